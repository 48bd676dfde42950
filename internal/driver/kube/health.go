package kube

import (
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/cause"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Health tells how an object fares, and why when it is not ready. Kinds without conditions are
// ready when they are there, and so is what only shows how other things stand. A Job is ready once it is
// complete, a route once a Gateway has accepted it, and what Rook makes of Ceph once its phase says so.
func (c *Cluster) Health(live *unstructured.Unstructured) (unit.Health, string) {
	if live.GetKind() == "Job" && live.GroupVersionKind().Group == "batch" && live.GetDeletionTimestamp() == nil {
		health, message := jobHealth(live)
		return health, c.mask(message)
	}
	if isRoute(live) && live.GetDeletionTimestamp() == nil {
		health, message := routeHealth(live)
		return health, c.mask(message)
	}
	if unit.RefOf(live.Object).IsShown() && live.GetDeletionTimestamp() == nil {
		return unit.HealthReady, "" // its conditions are about something else
	}
	if group := live.GroupVersionKind().Group; group == "cert-manager.io" && live.GetKind() == "Certificate" && !hasConditions(live) {
		return unit.HealthProgressing, "cert-manager has not seen it yet"
	}
	if live.GroupVersionKind().Group == rookGroup && live.GetDeletionTimestamp() == nil {
		if health, message, done := rookHealth(live); done {
			return health, c.mask(message)
		}
	}
	result, err := status.Compute(live)
	if err != nil {
		return unit.HealthUnknown, c.mask("its status cannot be read: " + err.Error())
	}
	switch result.Status {
	case status.CurrentStatus:
		return unit.HealthReady, ""
	case status.FailedStatus:
		return unit.HealthFailed, c.mask(result.Message)
	case status.TerminatingStatus:
		return unit.HealthProgressing, c.mask("it is being deleted" + cause.Held(live.GetFinalizers()))
	case status.InProgressStatus:
		return unit.HealthProgressing, c.mask(result.Message)
	default:
		return unit.HealthUnknown, c.mask(result.Message)
	}
}

// hasConditions tells whether somebody said something of an object yet. The library takes silence for consent, and a
// certificate that nobody has signed is none.
func hasConditions(live *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	return len(conditions) > 0
}

// jobHealth is for Jobs, which the library calls current as soon as they have started.
func jobHealth(live *unstructured.Unstructured) (unit.Health, string) {
	conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		if condition["status"] != "True" {
			continue
		}
		switch condition["type"] {
		case "Complete":
			return unit.HealthReady, ""
		case "Failed":
			message, _ := condition["message"].(string)
			return unit.HealthFailed, "the job failed: " + message
		case "Suspended":
			return unit.HealthProgressing, "the job is suspended"
		}
	}
	failed, _, _ := unstructured.NestedInt64(live.Object, "status", "failed")
	if failed > 0 {
		return unit.HealthProgressing, "the job runs; pods that failed: " + cause.Coarse(int(failed))
	}
	return unit.HealthProgressing, "the job runs"
}
