package kube

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// managerStatus is the field manager of how things stand. It is another one than that of what the
// configuration says, so that neither takes away what the other has written.
const managerStatus = "kupenstack-status"

// Shown returns what objects say of how things stand, from the watch. One that says nothing yet is empty; one
// that is not there is missing.
func (c *Cluster) Shown(ctx context.Context, refs ...unit.ObjectRef) (map[unit.ObjectRef]unit.Shown, error) {
	found, err := c.Get(ctx, refs...)
	if err != nil {
		return nil, err
	}
	shown := make(map[unit.ObjectRef]unit.Shown, len(found))
	for ref, object := range found {
		if object.GetDeletionTimestamp() != nil {
			continue
		}
		shown[ref] = sayingOf(object)
	}
	return shown, nil
}

// AllShown returns what the objects of all nodes, services, profiles and clouds say, from the watches. A cluster that does not
// have their kinds yet has none.
func (c *Cluster) AllShown(ctx context.Context) (map[unit.ObjectRef]unit.Shown, error) {
	var refs []unit.ObjectRef
	for _, kind := range []string{unit.KindShownNode, unit.KindShownService, unit.KindShownProfile, unit.KindShownCloud} {
		key := watchKey{apiVersion: unit.ShownVersion, kind: kind}
		w, err := c.watches.synced(ctx, key)
		if err != nil {
			return nil, err
		}
		if w == nil {
			continue
		}
		c.watches.release(w) // one of ours does not end
		for _, item := range w.informer.GetStore().List() {
			if object, ok := item.(*unstructured.Unstructured); ok {
				refs = append(refs, key.ref(object.GetName()))
			}
		}
	}
	return c.Shown(ctx, refs...)
}

// sayingOf returns what an object says.
func sayingOf(object *unstructured.Unstructured) unit.Shown {
	var says unit.Shown
	status, _, _ := unstructured.NestedMap(object.Object, "status")
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(status, &says); err != nil {
		return unit.Shown{} // that is not ours, and is written over
	}
	return says
}

// writtenOf is what sayingOf reads.
func writtenOf(says unit.Shown) (map[string]any, error) {
	return runtime.DefaultUnstructuredConverter.ToUnstructured(&says)
}

// Show has an object say how something stands. It makes none: for one that is not there any more it fails. It is
// [unit.ErrNoPlace] where the definition is one of an older version, without a status.
func (c *Cluster) Show(ctx context.Context, ref unit.ObjectRef, says unit.Shown) error {
	status, err := writtenOf(says)
	if err != nil {
		return err // a struct of texts: never
	}
	object := &unstructured.Unstructured{Object: map[string]any{"status": status}}
	object.SetAPIVersion(ref.APIVersion)
	object.SetKind(ref.Kind)
	object.SetName(ref.Name)
	_, err = c.ApplyStatus(ctx, managerStatus, object)
	if apierrors.IsNotFound(err) {
		if live, failed := c.Confirm(ctx, ref); failed == nil && live != nil {
			return fmt.Errorf("%s: %w", ref, unit.ErrNoPlace)
		}
	}
	return err
}

// SubscribeShown has f called for each change of an object that shows how things stand, as [Cluster.Subscribe]
// has.
func (c *Cluster) SubscribeShown(f func()) (cancel func()) {
	return c.Subscribe(func(ref unit.ObjectRef) {
		if ref.IsShown() {
			f()
		}
	})
}
