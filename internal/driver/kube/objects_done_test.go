package kube

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestJobsWhoseBlockWent: a Job that is not there any more has done its work, unless we were about to delete it: its
// block went, and came back while other objects of it were still going.
func TestJobsWhoseBlockWent(t *testing.T) {
	spec := &unit.Objects{Items: []map[string]any{
		{"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": "j", "namespace": "n"}, "spec": map[string]any{"ttlSecondsAfterFinished": int64(60)}},
		{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "c", "namespace": "n"}},
	}}
	for _, deleted := range []bool{false, true} {
		target := unit.Target{Address: addr.MustParseObject("manifest.a"), Spec: spec, Locator: spec.Locator(), Applied: spec.Digest()}
		if deleted {
			target.Applied = unit.Outlasting(target.Applied, "")
		}
		s := newObjectSet(&Cluster{}, newTroubles(), target, spec)
		live := s.items[1].object.DeepCopy()
		state, err := s.state(t.Context(), objects{s.items[1].ref: live})
		if err != nil || state.Existence != unit.Present || state.Installed == deleted {
			t.Errorf("deleted %v: %+v, %v", deleted, state, err)
		}
	}
}
