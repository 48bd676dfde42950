package kube

import (
	"cmp"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// routesGroup is that of the routes of the Gateway API.
const routesGroup = "gateway.networking.k8s.io"

// isRoute tells whether Gateways say in an object whether they serve it. The library looks at no conditions
// but those of the object itself, of which a route has none.
func isRoute(live *unstructured.Unstructured) bool {
	kind := live.GroupVersionKind()
	return kind.Group == routesGroup && slices.Contains([]string{"HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"}, kind.Kind)
}

// routeHealth tells whether a Gateway serves a route. Several controllers may say something of the same
// Gateway: one that accepts it is enough, unless another one refuses it.
func routeHealth(live *unstructured.Unstructured) (unit.Health, string) {
	wanted, _, _ := unstructured.NestedSlice(live.Object, "spec", "parentRefs")
	if len(wanted) == 0 {
		return unit.HealthReady, "" // nobody has to serve it
	}
	said, _, _ := unstructured.NestedSlice(live.Object, "status", "parents")
	health, message := unit.HealthProgressing, "no Gateway has accepted it yet"
	for _, item := range said {
		parent, _ := item.(map[string]any)
		accepted := parentCondition(live, parent, "Accepted")
		resolved := parentCondition(live, parent, "ResolvedRefs")
		name, _, _ := unstructured.NestedString(parent, "parentRef", "name")
		switch {
		case accepted.status == "False":
			return accepted.verdict(), fmt.Sprintf("Gateway %s does not accept it: %s", name, accepted.why)
		case resolved.status == "False":
			return resolved.verdict(), fmt.Sprintf("Gateway %s cannot find what it names: %s", name, resolved.why)
		case accepted.status == "True":
			health, message = unit.HealthReady, ""
		}
	}
	return health, message
}

// parentCond is what a controller says of a route and a Gateway.
type parentCond struct{ status, reason, why string }

// verdict tells whether it may become better by itself: what is named may come, a Gateway may be told to take
// routes from elsewhere only by a person.
func (c parentCond) verdict() unit.Health {
	switch c.reason {
	case "Pending", "BackendNotFound":
		return unit.HealthProgressing
	default:
		return unit.HealthFailed
	}
}

// parentCondition returns a condition that is about the route as it is now; an empty one while there is none.
func parentCondition(live *unstructured.Unstructured, parent map[string]any, kind string) parentCond {
	conditions, _, _ := unstructured.NestedSlice(parent, "conditions")
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		if condition["type"] != kind {
			continue
		}
		if seen, ok := condition["observedGeneration"].(int64); ok && seen < live.GetGeneration() {
			return parentCond{}
		}
		status, _ := condition["status"].(string)
		reason, _ := condition["reason"].(string)
		message, _ := condition["message"].(string)
		return parentCond{status: status, reason: reason, why: cmp.Or(message, reason, "no reason given")}
	}
	return parentCond{}
}
