package kube

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// rookGroup is that of the objects from which Rook makes a cluster of Ceph.
const rookGroup = "ceph.rook.io"

// rookPhases are the kinds of which Rook always says in a phase how they stand. Of most of them it has no
// conditions, and the library takes silence for consent.
func rookPhases() []string {
	return []string{"CephBlockPool", "CephClient", "CephCluster", "CephFilesystem", "CephObjectStore", "CephObjectStoreUser"}
}

// rookHealth tells how an object of Rook's fares by its phase. What fails Rook tries again by itself, so that it may
// become better. done is false where the conditions decide.
func rookHealth(live *unstructured.Unstructured) (health unit.Health, message string, done bool) {
	phase, _, _ := unstructured.NestedString(live.Object, "status", "phase")
	switch {
	case phase == "Ready", phase == "" && !slices.Contains(rookPhases(), live.GetKind()):
		return "", "", false
	case phase == "":
		return unit.HealthProgressing, "Rook has not seen it yet", true
	}
	message = "Rook says that it is " + phase
	if why, _, _ := unstructured.NestedString(live.Object, "status", "message"); why != "" {
		message += ": " + why
	}
	return unit.HealthProgressing, message, true
}
