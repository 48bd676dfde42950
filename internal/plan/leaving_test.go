package plan_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestLeaving: the compute services of the nodes are disabled that lose labels which instances may need, in a cloud with
// our Nova.
func TestLeaving(t *testing.T) {
	slot := func(before, after string) unit.Field {
		return unit.Field{Path: "metadata.labels." + unit.SlotLabel, Before: before, After: after}
	}
	role := func(label, before, after string) unit.Field {
		return unit.Field{Path: "metadata.labels." + label, Before: before, After: after}
	}
	compute := []string{unit.ComputeLabel}
	for _, test := range []struct {
		name   string
		fields []unit.Field // nil: the block is gone
		labels []string
		nova   inventory.Phase // "" for a cloud without our Nova
		change func(*plan.Input)
		want   string
	}{
		{"another slot", []unit.Field{slot("1", "2")}, compute, inventory.Owned, nil, "leaves slot 1"},
		{"a first slot", []unit.Field{slot("", "2")}, compute, inventory.Owned, nil, "gets slot 2"},
		{"no role", []unit.Field{role(unit.ComputeLabel, "enabled", "")}, compute, inventory.Owned, nil, "loses a role"},
		{"another role less", []unit.Field{role(unit.NetworkLabel, "enabled", "")}, compute, inventory.Owned, nil, "loses a role"},
		{"one role more", []unit.Field{role(unit.NetworkLabel, "", "enabled")}, compute, inventory.Owned, nil, ""},
		{"a label of people", []unit.Field{role("rack", "a", "b")}, compute, inventory.Owned, nil, ""},
		{"no block", nil, compute, inventory.Owned, nil, "leaves the cloud"},
		{"a node without the role", []unit.Field{slot("1", "2")}, []string{unit.ControlPlaneLabel}, inventory.Owned, nil, ""},
		{"a cloud without nova", []unit.Field{slot("1", "2")}, compute, "", nil, ""},
		{"a nova that goes", nil, compute, inventory.Deleting, nil, ""},
		{"suspended", []unit.Field{slot("1", "2")}, compute, inventory.Owned, func(in *plan.Input) {
			in.Suspensions = []suspension.Suspension{{Target: at("node.a")}}
		}, ""},
		{"the brake", nil, compute, inventory.Owned, func(in *plan.Input) { in.MaxDeletes = plan.Limits{All: &plan.Limit{}} }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			is, other := node("node.a", "h1", "x"), of("service.x", "x")
			in := input(is, other)
			has(in, is, other)
			if test.fields == nil {
				in = input(other)
				has(in, is, other)
			}
			if test.nova != "" {
				has(in, of("service.nova", "n"))
				in.Entries[len(in.Entries)-1].Phase = test.nova
			}
			state := seen("x")
			state.Labels = test.labels
			in.States[is.Address] = new(state)
			in.Compare[unit.Kubernetes] = func(t unit.Target, _ cty.Value, _ unit.State) unit.Diff {
				if t.Locator.Kind != unit.KindNode {
					return unit.Diff{Action: unit.ActionNone}
				}
				return unit.Diff{Action: unit.ActionUpdate, Fields: test.fields}
			}
			in.Hosts = plan.Hosts{None: true}
			if test.change != nil {
				test.change(in)
			}
			leaving := plan.Make(*in).Leaving()
			if got := leaving["h1"]; got != test.want || test.want == "" && len(leaving) > 0 {
				t.Fatalf("got %v, want %q", leaving, test.want)
			}
			if test.want == "" {
				return
			}
			// What the plan says of it, and who has to wait.
			for reason, hosts := range map[string]plan.Hosts{
				"; its compute service is disabled until then":                                            {Count: map[string]int{"h1": 2}, Leaving: map[string]error{"h1": nil}},
				"; its compute service could not be disabled, so that others may come: nova is read-only": {Count: map[string]int{"h1": 2}, Leaving: map[string]error{"h1": errors.New("nova is read-only")}},
			} {
				in.Hosts = hosts
				p := plan.Make(*in)
				if c := p.Change(is.Address); c.Action != unit.ActionBlocked || !strings.HasSuffix(c.Reason, reason) || !slices.Equal(p.Occupied(), []string{"h1"}) {
					t.Errorf("%s: %s, %v", c.Action, c.Reason, p.Occupied())
				}
			}
			in.Hosts = plan.Hosts{Leaving: map[string]error{"h1": nil}}
			p := plan.Make(*in)
			if c := p.Change(is.Address); !strings.HasSuffix(c.Cost, "the compute service on h1 is disabled first") || len(p.Occupied()) > 0 {
				t.Errorf("%s: %s, %v", c.Action, c.Cost, p.Occupied())
			}
			if names := in.KnownNodes(); fmt.Sprint(names) != "[h1]" {
				t.Errorf("nodes %v", names)
			}
		})
	}
}
