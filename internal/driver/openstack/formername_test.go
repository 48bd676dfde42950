package openstack

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWhatAnAttemptMadeUnderAnotherName: of what bears no mark, a block that gets another name after an attempt to create it was cut
// off is not made anew beside what that has led to.
func TestWhatAnAttemptMadeUnderAnotherName(t *testing.T) {
	d := testDriver(t)
	for name, c := range map[string]struct {
		kind      string
		raw       map[string]any
		attempted bool
		action    unit.Action
	}{
		"a group":                         {"server_group", map[string]any{"id": "g2", "name": "old", "project_id": "ours", "policy": "affinity"}, true, unit.ActionBlocked},
		"one from before":                 {"server_group", map[string]any{"id": "g1", "name": "old", "project_id": "ours", "policy": "affinity"}, true, unit.ActionCreate},
		"one in another project":          {"server_group", map[string]any{"id": "g2", "name": "old", "project_id": "p2", "policy": "affinity"}, true, unit.ActionCreate},
		"where nothing was tried":         {"server_group", map[string]any{"id": "g2", "name": "old", "project_id": "ours", "policy": "affinity"}, false, unit.ActionCreate},
		"what can be called otherwise":    {"host_aggregate", map[string]any{"id": float64(2), "name": "old"}, true, unit.ActionUpdate},
		"what bears the mark of somebody": {"host_aggregate", map[string]any{"id": float64(2), "name": "old", "metadata": map[string]any{markKey: "kupenstack:other.0123"}}, true, unit.ActionCreate},
	} {
		t.Run(name, func(t *testing.T) {
			written := map[string]cty.Value{"name": cty.StringVal("new")}
			before := &unit.Before{Of: "/old", IDs: []string{"1"}}
			if c.kind == "server_group" {
				written["policy"], before = cty.StringVal("affinity"), &unit.Before{Of: "ours/old", IDs: []string{"g1"}}
			}
			want := wantValue(c.kind, written)
			target := testTarget(t, c.kind, want)
			target.Attempted, target.Before = c.attempted, before
			o := d.kinds[c.kind].(interface{ read(map[string]any) *object }).read(c.raw)
			m, _ := find(d.kinds[c.kind], &session{project: "ours"}, target, want, indexed([]*object{o}))
			diff := d.Compare(target, want, state(target, m))
			if diff.Action != c.action || diff.Action == unit.ActionBlocked && !strings.Contains(diff.Reason, "old (g2); delete it") {
				t.Errorf("found %+v, and does %v: %s", m.object, diff.Action, diff.Reason)
			}
		})
	}
}
