package kube

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// selectorOurs is for what we or Helm, on our behalf or not, have made.
	selectorOurs = LabelManagedBy + " in (" + managedByHelm + "," + ManagedBy + ")"
	syncTimeout  = 30 * time.Second
	syncPoll     = 10 * time.Millisecond
	// streamLife is longer than any stream lasts: client-go asks for ten minutes at most, and then for another one.
	streamLife = 11 * time.Minute
)

// watchKey says what a watch is for.
type watchKey struct {
	apiVersion, kind, namespace string
	manager                     string // who manages the objects by their label; "" for us and Helm
}

func (k watchKey) ref(name string) unit.ObjectRef {
	return unit.ObjectRef{APIVersion: k.apiVersion, Kind: k.kind, Namespace: k.namespace, Name: name}
}

func (k watchKey) String() string {
	if k.namespace == "" {
		return k.kind
	}
	return k.kind + " in " + k.namespace
}

// selector is by which labels the objects are watched.
func (k watchKey) selector() string {
	switch {
	case watchedWhole(k.apiVersion, k.kind):
		return ""
	case k.manager != "":
		return LabelManagedBy + "=" + k.manager
	}
	return selectorOurs
}

// watchedWhole tells whether all objects of a kind are watched, whoever made them.
func watchedWhole(apiVersion, kind string) bool {
	return apiVersion == "v1" && (kind == "Node" || kind == "Namespace")
}

// watch keeps the objects of a kind, in one namespace where the kind has them, as the API server
// tells of them.
type watch struct {
	key      watchKey
	informer cache.SharedIndexInformer
	cancel   context.CancelFunc
	users    int // who looks at it now; guarded by the mutex of the watches
	// owed are the objects of the one that this one came in place of: what its own first list says of them is told.
	owed []unit.ObjectRef

	mu      sync.Mutex
	err     error     // of the last attempt to reach the server; nil when it worked
	reached time.Time // when it last worked
}

// newWatch makes a watch that does not run yet. gone is called when the server does not serve the
// kind any more, changed for each change after the first list.
func newWatch(key watchKey, objects dynamic.ResourceInterface, client dynamic.Interface,
	gone func(*watch), changed func(old, object *unstructured.Unstructured, ref unit.ObjectRef),
) (*watch, error) {
	w := &watch{key: key}
	selector := key.selector()
	note := func(err error) {
		if w.note(err) {
			gone(w)
		}
	}
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.LabelSelector = selector
			list, err := objects.List(ctx, options)
			note(err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (apiwatch.Interface, error) {
			options.LabelSelector = selector
			stream, err := objects.Watch(ctx, options)
			if _, open := stream.(*apiwatch.StreamWatcher); err == nil && !open {
				// What client-go returns when the connection broke: a stream that has ended.
				stream, err = nil, errors.New("the connection was closed")
			}
			note(err)
			if err != nil {
				return nil, err
			}
			return attend(stream, options.TimeoutSeconds), nil
		},
	}
	w.informer = cache.NewSharedIndexInformerWithOptions(cache.ToListWatcherWithWatchListSemantics(source, client),
		&unstructured.Unstructured{}, cache.SharedIndexInformerOptions{ObjectDescription: key.String()})
	err := errors.Join(
		w.informer.SetTransform(func(item any) (any, error) {
			if object, ok := item.(*unstructured.Unstructured); ok {
				contain.Unsaid(func() { item = strip(object) })
			}
			return item, nil
		}),
		// The error has been noted already; the default would write to the standard error.
		w.informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {}),
	)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", key, err)
	}
	_, err = w.informer.AddEventHandler(w.handler(changed))
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", key, err)
	}
	return w, nil
}

func (w *watch) handler(changed func(old, object *unstructured.Unstructured, ref unit.ObjectRef)) cache.ResourceEventHandler {
	tell := func(old, object *unstructured.Unstructured, ref unit.ObjectRef) {
		contain.Unsaid(func() { changed(old, object, ref) }) // client-go logs the value of a panic
	}
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(item any, initial bool) {
			if object, ok := item.(*unstructured.Unstructured); ok && !initial {
				tell(nil, object, w.key.ref(object.GetName()))
			}
		},
		UpdateFunc: func(before, item any) {
			old, _ := before.(*unstructured.Unstructured)
			if object, ok := item.(*unstructured.Unstructured); ok && old != nil {
				tell(old, object, w.key.ref(object.GetName()))
			}
		},
		DeleteFunc: func(item any) {
			if lost, ok := item.(cache.DeletedFinalStateUnknown); ok {
				item = lost.Obj
			}
			if object, ok := item.(*unstructured.Unstructured); ok {
				tell(object, nil, w.key.ref(object.GetName()))
			}
		},
	}
}

// note remembers whether the server could be reached, and reports that the kind is gone.
func (w *watch) note(err error) (gone bool) {
	switch {
	case errors.Is(err, context.Canceled), apierrors.IsResourceExpired(err), apierrors.IsGone(err), apierrors.IsInvalid(err):
		return false // it lists again by itself
	case apierrors.IsNotFound(err):
		gone = true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err = err; err == nil {
		w.reached = time.Now()
	}
	return gone
}

// stalled tells whether the stream should have ended by now. Its connection stands, and nothing need come through it: what
// the watch shows may be old.
func (w *watch) stalled() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.reached) > streamLife
}

func (w *watch) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// withheld tells that its last request was not sent, as this process was not in charge any more.
func (w *watch) withheld() bool { return errors.Is(w.failure(), unit.ErrNotWriter) }

// wait returns nil once the watch shows what is there, or why it does not.
func (w *watch) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	ticker := time.NewTicker(syncPoll)
	defer ticker.Stop()
	for {
		if err := w.failure(); err != nil {
			return err
		}
		if w.informer.HasSynced() {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the list of %s did not arrive: %w", w.key, ctx.Err())
		case <-ticker.C:
		}
	}
}

// refs are the objects as last seen.
func (w *watch) refs() []unit.ObjectRef {
	var refs []unit.ObjectRef
	for _, item := range w.informer.GetStore().List() {
		if object, ok := item.(*unstructured.Unstructured); ok {
			refs = append(refs, w.key.ref(object.GetName()))
		}
	}
	return refs
}

// get returns the object as last seen, or nil.
func (w *watch) get(name string) *unstructured.Unstructured {
	key := name
	if w.key.namespace != "" {
		key = w.key.namespace + "/" + name
	}
	item, ok, err := w.informer.GetStore().GetByKey(key)
	if err != nil || !ok {
		return nil
	}
	object, _ := item.(*unstructured.Unstructured)
	return object
}
