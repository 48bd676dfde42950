//go:build beds

package kube_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

// When a label changes that pods of a node have read, that is written down there, and stays so while others change.
func testRelabelled(t *testing.T, bed *cluster.Cluster) {
	w := newWorld(t, bed)
	d, told := w.driver(nil)
	relabelled := func() string {
		live, err := w.resource("nodes", "").Get(w.ctx, "node-1", metav1.GetOptions{})
		w.must(err)
		return live.GetAnnotations()[unit.RelabelledAnnotation]
	}
	read := []unit.StartLabel{{Key: "role/gateway", Release: "ovn", Chosen: "role/b"}}
	when := ""
	var target unit.Target
	for _, step := range []struct {
		labels  map[string]string
		readers []unit.StartLabel
		changes bool
	}{
		{map[string]string{"role/b": "enabled"}, read, false},
		{map[string]string{"role/b": "enabled", "role/gateway": "enabled"}, read, true},
		{map[string]string{"role/b": "enabled", "role/gateway": "enabled", "more": "x"}, read, false},
		{map[string]string{"role/b": "enabled", "role/gateway": "other"}, nil, false},
	} {
		target = w.target("node", &unit.Node{Name: "node-1", Labels: step.labels, StartLabels: step.readers})
		w.converge(d, target, told)
		now := relabelled()
		if at, err := time.Parse(time.RFC3339, now); step.changes && (err != nil || time.Since(at).Abs() > time.Minute) {
			t.Errorf("%v: relabelled at %q, %v", step.labels, now, err)
		}
		if !step.changes && now != when {
			t.Errorf("%v: relabelled at %q, before at %q", step.labels, now, when)
		}
		when = now
	}
	gone := unit.Target{Address: target.Address, Locator: target.Locator}
	state, err := d.Delete(w.ctx, gone, w.observe(d, gone))
	w.must(err)
	if !state.Gone() || relabelled() != "" {
		t.Errorf("deleted: %+v, relabelled at %q", state, relabelled())
	}
}
