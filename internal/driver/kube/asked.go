package kube

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// annotationReconcile asks for another look at what an object shows, each time that it has another value.
	annotationReconcile = "kupenstack.io/reconcile"
	// fieldHandled of the status is the value of that annotation that was seen last.
	fieldHandled = "lastHandledReconcileAt"
	// managerAsked is the field manager of that alone: what is shown beside it is written anew again and again.
	managerAsked = "kupenstack-asked"
	// mostHandled is how long a value is noted as it is. Of a longer one the digest is.
	mostHandled = 128
)

// Asking is what the annotation of an object says that asks for another look.
type Asking struct {
	Value string // "" for no annotation
	// Noted tells that this value was seen before, by this process or an earlier one.
	Noted bool
}

// AskedAt returns what the annotations say that ask for another look. Objects that are
// not there are missing. The error may go away by itself.
func (c *Cluster) AskedAt(ctx context.Context, refs ...unit.ObjectRef) (map[unit.ObjectRef]Asking, error) {
	found, err := c.Get(ctx, refs...)
	if err != nil {
		return nil, err
	}
	asked := make(map[unit.ObjectRef]Asking, len(found))
	for ref, object := range found {
		value := object.GetAnnotations()[annotationReconcile]
		asked[ref] = Asking{value, handledOf(object) == noteOf(value)}
	}
	return asked, nil
}

// NoteAsked notes at an object the value of its annotation that was seen, so that no later process takes it for a new
// one; "" for none. The error wraps [unit.ErrNoPlace] where the definition is one of an older version.
func (c *Cluster) NoteAsked(ctx context.Context, ref unit.ObjectRef, value string) error {
	status := map[string]any{}
	if note := noteOf(value); note != "" {
		status[fieldHandled] = note
	}
	object := &unstructured.Unstructured{Object: map[string]any{"status": status}}
	object.SetAPIVersion(ref.APIVersion)
	object.SetKind(ref.Kind)
	object.SetName(ref.Name)
	applied, err := c.ApplyStatus(ctx, managerAsked, object)
	switch {
	case apierrors.IsNotFound(err), errors.As(err, new(*UnknownKindError)): // it has no status, or is gone, which its watch tells
		return fmt.Errorf("%s: %w", ref, unit.ErrNoPlace)
	case err != nil:
		return err
	case handledOf(applied) != noteOf(value): // the server leaves out what the definition does not have
		return fmt.Errorf("%s: %w", ref, unit.ErrNoPlace)
	}
	return nil
}

// handledOf returns what is noted at an object; "" for nothing.
func handledOf(object *unstructured.Unstructured) string {
	note, _, err := unstructured.NestedString(object.Object, "status", fieldHandled)
	if err != nil {
		return "" // that is not ours, and is written over
	}
	return note
}

// noteOf is what is noted of a value: whoever may annotate an object does not decide how much.
func noteOf(value string) string {
	if len(value) <= mostHandled {
		return value
	}
	sum := sha256.Sum256([]byte(value))
	return "sha256:" + hex.EncodeToString(sum[:])
}
