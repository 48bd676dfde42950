package kube

import (
	"context"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// annotationReconcile asks for another look at what an object shows, each time that it has another value.
const annotationReconcile = "kupenstack.io/reconcile"

// AskedAt returns the values of the annotation that asks for another look, "" where there is none. Objects that are
// not there are missing. The error may go away by itself.
func (c *Cluster) AskedAt(ctx context.Context, refs ...unit.ObjectRef) (map[unit.ObjectRef]string, error) {
	found, err := c.Get(ctx, refs...)
	if err != nil {
		return nil, err
	}
	values := make(map[unit.ObjectRef]string, len(found))
	for ref, object := range found {
		values[ref] = object.GetAnnotations()[annotationReconcile]
	}
	return values, nil
}
