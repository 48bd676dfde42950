package plan_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestAddedWhatIsNotTold is a change, as of user data that Nova tells administrators only.
func TestAddedWhatIsNotTold(t *testing.T) {
	u := of("resource.web", "")
	desired := func(data bool) cty.Value {
		v := cty.NullVal(cty.String)
		if data {
			v = cty.StringVal("x").Mark(model.Sensitive)
		}
		return cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("web"), "user_data": v})
	}
	block := schema.New().Resource("instance")
	for name, c := range map[string]struct {
		applied, now, told, complete bool
		want                         unit.Action
	}{
		"added":                    {now: true, complete: true, want: unit.ActionReplace},
		"added, and told":          {now: true, told: true, complete: true, want: unit.ActionNone},
		"there from the beginning": {applied: true, now: true, complete: true, want: unit.ActionNone},
		"taken out":                {applied: true, complete: true, want: unit.ActionNone},
		"never as it was wanted":   {now: true, want: unit.ActionNone},
		"neither then nor now":     {complete: true, want: unit.ActionNone},
	} {
		u.Spec = &unit.Resource{Kind: "instance", Block: block, Desired: desired(c.applied)}
		e := entryOf(u)
		if e.Applied = ""; c.complete {
			e.Applied, e.Sensitive = plan.Applied(&u, desired(c.applied)), plan.Sensitive(desired(c.applied), marker())
		}
		u.Spec = &unit.Resource{Kind: "instance", Block: block, Desired: desired(c.now)}
		in, state := input(u), seen("web")
		in.Units[0].MayLose = true
		in.Entries = append(in.Entries, e)
		state.Outputs = cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("web")})
		if c.told {
			state.Outputs = cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("web"), "user_data": cty.StringVal("x").Mark(model.Sensitive)})
		}
		in.States[u.Address] = &state
		in.Compare[unit.OpenStack] = func(unit.Target, cty.Value, unit.State) unit.Diff { return unit.Diff{Action: unit.ActionNone} }
		if got := plan.Make(*in).Change(u.Address); got.Action != c.want {
			t.Errorf("%s: %s, %q, %+v", name, got.Action, got.Reason, got.Fields)
		}
	}
}
