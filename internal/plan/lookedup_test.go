package plan_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestLookUpOfWhatComes: what is looked up and not there may come with what it waits for, and holds nothing back in a plan that
// makes that. Beside what is there already it is missing.
func TestLookUpOfWhatComes(t *testing.T) {
	for name, test := range map[string]struct {
		project unit.Action
		want    unit.Action
		reason  string
	}{
		"it is to be made":   {unit.ActionCreate, unit.ActionDeferred, "once resource.project is there"},
		"it is there":        {unit.ActionNone, unit.ActionBlocked, "nothing matches"},
		"it is only changed": {unit.ActionUpdate, unit.ActionBlocked, "nothing matches"},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(of("resource.project", "a"))
			data := of("resource.looked", "a", "resource.project")
			data.Spec = &unit.Resource{Kind: "resource", Lookup: true, Desired: cty.StringVal("a")}
			in.Units = append(in.Units, data)
			in.States[data.Address] = &unit.State{Existence: unit.Absent}
			state := seen("a")
			if test.project == unit.ActionCreate {
				state = unit.State{Existence: unit.Absent}
			}
			in.States[at("resource.project")] = new(state)
			in.Compare[unit.OpenStack] = func(target unit.Target, _ cty.Value, _ unit.State) unit.Diff {
				if target.Address == data.Address {
					return unit.Diff{Action: unit.ActionBlocked, Reason: "nothing matches"}
				}
				return unit.Diff{Action: test.project}
			}
			if c := plan.Make(*in).Change(data.Address); c.Action != test.want || c.Reason != test.reason {
				t.Errorf("%s: %s", c.Action, c.Reason)
			}
		})
	}
}
