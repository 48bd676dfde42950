package kube

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// watches starts a watch for whatever is asked for, and remembers what we wrote ourselves until
// the watch has caught up with it.
type watches struct {
	cluster *Cluster
	written *written

	mu     sync.Mutex
	closed bool
	byKey  map[watchKey]*watch
	others int // of these are of what others manage, and end when nobody needs them any more
}

func newWatches(c *Cluster) *watches {
	return &watches{cluster: c, written: newWritten(), byKey: map[watchKey]*watch{}}
}

// Get returns the objects as the watches show them, without a request per object: the first call
// for a kind (in a namespace) lists and then watches what bears the label of Helm or ours; nodes
// and namespaces are all watched. The objects are shared and must not be changed.
//
// A missing key means that no such object of ours or Helm's is there; one that has lost the label,
// or never had it, is found by [Cluster.Confirm]. When something could not be read the error is a
// [PartialError], and the answer holds for all objects but those that it calls unknown. A kind
// that the server does not serve has no objects.
func (c *Cluster) Get(ctx context.Context, refs ...unit.ObjectRef) (map[unit.ObjectRef]*unstructured.Unstructured, error) {
	return c.get(ctx, refs, nil)
}

// get is Get that looks for some objects in the watches of what others manage, by the label that they are to have.
func (c *Cluster) get(ctx context.Context, refs []unit.ObjectRef, managers map[unit.ObjectRef]string) (map[unit.ObjectRef]*unstructured.Unstructured, error) {
	groups := map[watchKey][]unit.ObjectRef{}
	for _, ref := range refs {
		key := watchKey{apiVersion: ref.APIVersion, kind: ref.Kind, namespace: ref.Namespace, manager: managers[ref]}
		groups[key] = append(groups[key], ref)
	}
	var (
		found   = make(map[unit.ObjectRef]*unstructured.Unstructured, len(refs))
		unknown = map[unit.ObjectRef]error{}
		causes  []error
		mu      sync.Mutex
		group   contain.Group
	)
	for key, refs := range groups {
		group.Go(func() {
			w, err := c.watches.synced(ctx, key)
			defer c.watches.release(w)
			mu.Lock()
			defer mu.Unlock()
			for _, ref := range refs {
				if err != nil {
					unknown[ref] = err
				} else if object := c.watches.get(w, ref); object != nil {
					found[ref] = object
				}
			}
			if err != nil {
				causes = append(causes, err)
			}
		})
	}
	group.Wait()
	if len(causes) > 0 {
		return found, &PartialError{unknown: unknown, err: joinDistinct(causes)}
	}
	return found, nil
}

// get returns what is known of an object: what we wrote, until the watch has seen it. A nil watch
// is that of a kind that is not served.
func (ws *watches) get(w *watch, ref unit.ObjectRef) *unstructured.Unstructured {
	if w == nil {
		return nil
	}
	return ws.written.newer(w.key.ref(ref.Name), w.get(ref.Name))
}

// all returns every object of a kind that each cluster has: without it, nothing is known of what there is.
func (c *Cluster) all(ctx context.Context, key watchKey) ([]*unstructured.Unstructured, error) {
	w, err := c.watches.synced(ctx, key)
	if err != nil {
		return nil, err
	}
	defer c.watches.release(w)
	if w == nil {
		return nil, fmt.Errorf("read %s: the server says that it has no such kind", key)
	}
	var objects []*unstructured.Unstructured
	for _, item := range w.informer.GetStore().List() {
		if object, ok := item.(*unstructured.Unstructured); ok {
			objects = append(objects, object)
		}
	}
	return objects, nil
}

// synced returns the watch for a kind once it shows what is there; nil without an error when the
// server does not serve such a kind, or serves it in namespaces and none is given. One of what others manage does not
// end before it is released.
func (ws *watches) synced(ctx context.Context, key watchKey) (*watch, error) {
	doing := "read " + key.String()
	served, ok, err := ws.cluster.kinds.lookup(ctx, key.apiVersion, key.kind)
	if err != nil {
		return nil, ws.cluster.explainError(err, doing)
	}
	if !ok {
		return nil, nil
	}
	if served.namespaced != (key.namespace != "") {
		if served.namespaced {
			return nil, nil // outside of all namespaces there is none
		}
		key.namespace = ""
	}
	w, err := ws.start(key, served)
	if err != nil {
		return nil, err
	}
	if err := w.wait(ctx); err != nil {
		ws.release(w)
		return nil, ws.cluster.explainError(err, doing)
	}
	return w, nil
}

// start returns the watch, which it starts when it does not run, and which has one user more.
func (ws *watches) start(key watchKey, served kind) (*watch, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	var owed []unit.ObjectRef
	before := ws.byKey[key]
	if before != nil {
		if !before.withheld() {
			before.users++
			return before, nil
		}
		ws.drop(before) // it would try again by itself, but only after up to half a minute
		before.cancel()
		owed = before.owed
		if before.informer.HasSynced() {
			owed = before.refs()
		}
	}
	if ws.closed {
		return nil, errors.New("read " + key.String() + ": the connection has been closed")
	}
	var objects dynamic.ResourceInterface = ws.cluster.dynamic.Resource(served.resource)
	if key.namespace != "" {
		objects = ws.cluster.dynamic.Resource(served.resource).Namespace(key.namespace)
	}
	w, err := newWatch(key, objects, ws.cluster.dynamic, ws.gone, func(old, object *unstructured.Unstructured, ref unit.ObjectRef) {
		ws.changed(old, object, ref, key.manager)
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ws.cluster.ctx)
	w.cancel, w.users, w.owed = cancel, 1, owed
	ws.byKey[key] = w
	if key.manager != "" {
		ws.others++
	}
	ws.cluster.running.Go(func() { w.informer.RunWithContext(ctx) })
	if before != nil {
		ws.cluster.running.Go(func() {
			if cache.WaitForCacheSync(ctx.Done(), w.informer.HasSynced) { // else the next one owes it
				ws.tell(slices.Concat(owed, w.refs()))
			}
		})
	}
	return w, nil
}

// gone ends the watch of a kind that the server does not serve any more.
func (ws *watches) gone(w *watch) {
	gv, err := schema.ParseGroupVersion(w.key.apiVersion)
	if err == nil {
		ws.cluster.kinds.forget(gv)
	}
	ws.mu.Lock()
	ws.drop(w)
	ws.mu.Unlock()
	w.cancel()
	ws.tell(w.refs())
}

// tell has objects looked at.
func (ws *watches) tell(refs []unit.ObjectRef) {
	for _, ref := range refs {
		ws.cluster.subscribers.tell(ref)
	}
}

// release says that nobody looks at a watch any more who was given it; nil is none.
func (ws *watches) release(w *watch) {
	if w == nil {
		return
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	w.users--
}

// retain ends the watches of what others manage that are not needed any more, but for those that somebody is looking at:
// who has done so asks again. A look that begins later starts another one.
func (ws *watches) retain(needed func(watchKey) bool) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.others == 0 {
		return
	}
	for key, w := range ws.byKey {
		if key.manager != "" && w.users == 0 && !needed(key) {
			ws.drop(w)
			w.cancel()
		}
	}
}

// drop forgets a watch; ws.mu is held.
func (ws *watches) drop(w *watch) {
	if ws.byKey[w.key] != w {
		return
	}
	delete(ws.byKey, w.key)
	if w.key.manager != "" {
		ws.others--
	}
}

// changed hears of every change in any watch; manager is by whose label that one watches, "" for us and Helm.
func (ws *watches) changed(old, object *unstructured.Unstructured, ref unit.ObjectRef, manager string) {
	last := object
	if last == nil {
		last = old
	}
	ws.written.seen(ref, manager, last.GetResourceVersion())
	if ref.Kind == "CustomResourceDefinition" {
		ws.cluster.kinds.forgetAbsence()
	}
	if old != nil && object != nil && sameContent(old, object) {
		return // a version that changes nothing we look at
	}
	ws.cluster.subscribers.tell(ref)
}

func (ws *watches) close() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	ws.closed = true
}

// joinDistinct joins errors, and tells those with the same text once.
func joinDistinct(errs []error) error {
	seen := map[string]bool{}
	var distinct []error
	for _, err := range errs {
		if !seen[err.Error()] {
			seen[err.Error()] = true
			distinct = append(distinct, err)
		}
	}
	return errors.Join(distinct...)
}
