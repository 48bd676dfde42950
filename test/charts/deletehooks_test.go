//go:build beds

package charts_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/release"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// harmless are the hooks that may run when a release is uninstalled, and what they do. Glance's is off together with
// the bootstrap job, whose images it would delete.
func harmless() map[string]string {
	return map[string]string{
		"cinder Job/cinder-clean": "deletes the Secrets with the keyrings, which the jobs of an installation make again",
	}
}

// TestDeleteHooksOfOpenStackHelm wants no hook of OpenStack-Helm's charts to delete data when a release is
// uninstalled: what a service has made goes only where somebody asks for it.
func TestDeleteHooksOfOpenStackHelm(t *testing.T) {
	dir := checkoutOfCharts(t)
	seen := map[string]bool{}
	composed.Variants(t, func(t *testing.T, units map[string]unit.Unit) {
		for _, r := range releases(units) {
			for _, o := range objectsOf(t, documents(t, theirs(t, dir, r.Name), r)) {
				for event := range strings.SplitSeq(o.GetAnnotations()[release.HookAnnotation], ",") {
					event := release.HookEvent(strings.TrimSpace(event))
					// What a hook runs with counts as little as the objects of the release do.
					if event != release.HookPreDelete && event != release.HookPostDelete || o.GetKind() != "Job" && o.GetKind() != "Pod" {
						continue
					}
					hook := r.Name + " " + o.GetKind() + "/" + o.GetName()
					seen[hook] = true
					if harmless()[hook] == "" {
						t.Errorf("%s is run as %s, and nobody said what it deletes", hook, event)
					}
				}
			}
		}
	})
	for _, hook := range slices.Sorted(maps.Keys(harmless())) {
		if !seen[hook] {
			t.Errorf("%s is explained, and no chart has it", hook)
		}
	}
}
