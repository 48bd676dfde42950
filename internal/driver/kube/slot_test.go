package kube

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestANodeThatMoves: the plan says what another slot costs, and that nothing else does.
func TestANodeThatMoves(t *testing.T) {
	for _, test := range []struct {
		name     string
		is, want map[string]string
		costs    bool
	}{
		{"another slot", map[string]string{unit.SlotLabel: "0"}, map[string]string{unit.SlotLabel: "1"}, true},
		{"the first one", nil, map[string]string{unit.SlotLabel: "1"}, false},
		{"the same", map[string]string{unit.SlotLabel: "1", unit.ProfileLabel: "a"}, map[string]string{unit.SlotLabel: "1", unit.ProfileLabel: "b"}, false},
		{"no slot any more", map[string]string{unit.SlotLabel: "1"}, map[string]string{unit.ComputeLabel: unit.LabelEnabled}, false},
	} {
		n := &nodeLabels{name: "n", spec: &unit.Node{Name: "n", Labels: test.want}}
		diff := n.compare(unit.State{Existence: unit.Present, Observed: &seenNode{labels: test.is, owned: []string{unit.SlotLabel}}})
		if diff.Action != unit.ActionUpdate || (diff.Cost != "") != test.costs {
			t.Errorf("%s: %s with the cost %q", test.name, diff.Action, diff.Cost)
		}
	}
}
