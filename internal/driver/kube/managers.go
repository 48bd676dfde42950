package kube

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// otherManager returns who manages an object by its label where that is neither us nor Helm, as the author of a
// manifest may write. We leave the label as it is, and so the object is watched by what it says, with what else says the
// same: a label of our own beside it would be a write to each such object that an older program has applied, and until then
// it would be in no watch. A value that the server refuses for a label is none to watch by; applying the object tells what
// is wrong.
func otherManager(object *unstructured.Unstructured) string {
	if watchedWhole(object.GetAPIVersion(), object.GetKind()) {
		return ""
	}
	by, _, err := unstructured.NestedString(object.Object, "metadata", "labels", LabelManagedBy)
	if err != nil || by == ManagedBy || by == managedByHelm || len(validation.IsValidLabelValue(by)) > 0 {
		return ""
	}
	return by
}

// labelling is a handler of objects that may be to say of others that they manage them.
type labelling interface {
	// managers are these others, by object; see [otherManager].
	managers() map[unit.ObjectRef]string
}

func managersOf(h handler) map[unit.ObjectRef]string {
	if l, ok := h.(labelling); ok {
		return l.managers()
	}
	return nil
}

// managers returns who manages objects by the labels that they are to have, where that is neither us nor Helm.
func (s *objectSet) managers() map[unit.ObjectRef]string {
	others := map[unit.ObjectRef]string{}
	for _, item := range s.items {
		if by := otherManager(item.object); by != "" {
			others[item.ref] = by
		}
	}
	return others
}

// putManagers says of an object, as it was at a version, who has written what. Where that is not the latest any more the
// error wraps [ErrConflict].
func (c *Cluster) putManagers(ctx context.Context, ref unit.ObjectRef, version string, entries []metav1.ManagedFieldsEntry) error {
	doing := "write who has written " + ref.String()
	objects, ok, err := c.toWrite(ctx, ref)
	if err != nil || !ok {
		return c.explainError(err, doing)
	}
	if len(entries) == 0 {
		entries = []metav1.ManagedFieldsEntry{{}} // the server takes no others for none
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": version, fieldManagers: entries}})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	written, err := objects.Patch(ctx, ref.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: Manager})
	switch {
	case apierrors.IsConflict(err):
		return fmt.Errorf("%s: %w", doing, ErrConflict)
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return c.explainError(err, doing)
	}
	c.watches.written.wrote(c.cacheRef(ctx, ref), strip(written))
	return nil
}

// dropLabels takes labels from an object, whoever has set them.
func (c *Cluster) dropLabels(ctx context.Context, ref unit.ObjectRef, uid types.UID, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	doing := "take labels from " + ref.String()
	objects, ok, err := c.toWrite(ctx, ref)
	if err != nil || !ok {
		return c.explainError(err, doing)
	}
	labels := map[string]any{}
	for _, key := range keys {
		labels[key] = nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": uid, "labels": labels}})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	written, err := objects.Patch(ctx, ref.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: managerNodes})
	if err != nil {
		return c.explainError(err, doing)
	}
	c.watches.written.wrote(c.cacheRef(ctx, ref), strip(written))
	return nil
}
