package addons

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// controller is who says that routes are accepted.
const controller = "example.org/gateway"

// route is accepted by each of its Gateways.
func (p *player) route(_ context.Context, object *unstructured.Unstructured) error {
	parents, _, err := unstructured.NestedSlice(object.Object, "spec", "parentRefs")
	if err != nil {
		return err
	}
	said, _, err := unstructured.NestedSlice(object.Object, "status", "parents")
	if err != nil {
		return err
	}
	var all []any
	for i, parent := range parents {
		var old []any
		if i < len(said) {
			if before, ok := said[i].(map[string]any); ok {
				old, _, _ = unstructured.NestedSlice(before, "conditions")
			}
		}
		all = append(all, map[string]any{
			"parentRef": parent, "controllerName": controller, "conditions": conditions(object, old, "Accepted", "ResolvedRefs"),
		})
	}
	return unstructured.SetNestedSlice(object.Object, all, "status", "parents")
}

// policy is accepted for one Gateway, the name of which nobody reads here.
func (p *player) policy(_ context.Context, object *unstructured.Unstructured) error {
	said, _, err := unstructured.NestedSlice(object.Object, "status", "ancestors")
	if err != nil {
		return err
	}
	var old []any
	if len(said) == 1 {
		if before, ok := said[0].(map[string]any); ok {
			old, _, _ = unstructured.NestedSlice(before, "conditions")
		}
	}
	return unstructured.SetNestedSlice(object.Object, []any{map[string]any{
		"ancestorRef": map[string]any{"name": "gateway"}, "controllerName": controller, "conditions": conditions(object, old, "Accepted"),
	}}, "status", "ancestors")
}
