package plan_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestWhatTwoBlocksHave has two blocks have one role assignment on record. Where one of them goes, or is to be another one, the
// object stays with the other; where that goes as well, it goes.
func TestWhatTwoBlocksHave(t *testing.T) {
	for name, test := range map[string]struct {
		units   []string
		diffs   map[string]unit.Action
		forget  bool
		id      string // of the second one
		project string // that it is in, while the first one is in another
		needed  bool   // it is, by something that stays
		many    bool   // what goes is too much, but for the first one, which a removed block names
		waits   bool   // it is suspended
		want    unit.Action
		another string
	}{
		"one goes":                     {units: []string{"b"}, want: unit.ActionBlocked, another: "destroy = false"},
		"one goes, and is named":       {units: []string{"b"}, forget: true, want: unit.ActionForget},
		"both go":                      {want: unit.ActionDelete},
		"one is to be another":         {units: []string{"a", "b"}, diffs: map[string]unit.Action{"a": unit.ActionReplace}, want: unit.ActionBlocked, another: "write another block"},
		"both are to be others":        {units: []string{"a", "b"}, diffs: map[string]unit.Action{"a": unit.ActionReplace, "b": unit.ActionReplace}, want: unit.ActionReplace},
		"both go, and one is held":     {needed: true, want: unit.ActionBlocked, another: "destroy = false"},
		"both go, and one is too many": {many: true, want: unit.ActionBlocked, another: "destroy = false"},
		"both go, and one waits":       {waits: true, want: unit.ActionBlocked, another: "which is suspended: both can go once it is resumed"},
		"one is another, and waits":    {units: []string{"a", "b"}, diffs: map[string]unit.Action{"a": unit.ActionReplace}, waits: true, want: unit.ActionBlocked, another: "write another block"},
		"one goes, of its project":     {units: []string{"b"}, project: "another", want: unit.ActionDelete},
		"one goes, each its own":       {units: []string{"b"}, id: "two", want: unit.ActionDelete},
		"both stay, and the same":      {units: []string{"a", "b"}, want: unit.ActionNone},
	} {
		t.Run(name, func(t *testing.T) {
			in := input()
			for _, n := range test.units {
				in.Units = append(in.Units, of("resource."+n, "a"))
			}
			for n, id := range map[string]string{"a": "one", "b": max("one", test.id)} {
				state := seen("a")
				state.ID = id
				in.States[at("resource."+n)] = new(state)
				entry := inventory.Entry{
					Address: at("resource." + n), UID: n, Locator: unit.Locator{Driver: unit.OpenStack, Kind: "resource"}, Phase: inventory.Owned, ID: id, Class: unit.ClassResource,
				}
				if entry.Locator.Project = test.project; n == "a" && test.project != "" {
					entry.Locator.Project = "one"
				}
				in.Entries = append(in.Entries, entry)
			}
			if test.needed {
				in.Entries = append(in.Entries, inventory.Entry{
					Address: at("resource.user"), UID: "user", Locator: unit.Locator{Driver: unit.OpenStack, Kind: "resource"}, Phase: inventory.Owned, ID: "user", Class: unit.ClassResource,
					Stays: true, Edges: []inventory.Edge{{To: at("resource.b"), Until: unit.Ready}},
				})
				in.States[at("resource.user")] = new(seen("a"))
			}
			if test.many {
				in.MaxDeletes, in.Removals = plan.Limits{All: &plan.Limit{}}, plan.Removals{{From: at("resource.a"), Destroy: true}}
			}
			if test.waits {
				in.Suspensions = []suspension.Suspension{{Target: at("resource.b")}}
			}
			in.Compare[unit.OpenStack] = func(target unit.Target, _ cty.Value, _ unit.State) unit.Diff {
				if action := test.diffs[target.Address.Name()]; action != "" {
					return unit.Diff{Action: action}
				}
				return unit.Diff{Action: unit.ActionNone}
			}
			if test.forget {
				in.Removals = plan.Removals{{From: at("resource.a")}}
			}
			c := plan.Make(*in).Change(at("resource.a"))
			if c.Action != test.want || !strings.Contains(c.Reason, test.another) || c.Action == unit.ActionBlocked && !strings.Contains(c.Reason, "is resource.b as well") {
				t.Errorf("%+v", c)
			}
		})
	}
}
