package plan_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestTakenOverFromWhatGoes has a block of a kind without marks get another label without a moved block. What the old one has
// looks like nobody's, and is not taken over to be deleted then.
func TestTakenOverFromWhatGoes(t *testing.T) {
	for name, test := range map[string]struct {
		wanted   bool // the old block is still there
		removals plan.Removals
		change   func(*inventory.Entry)
		want     unit.Action
	}{
		"it goes":      {want: unit.ActionBlocked},
		"it may not":   {change: func(e *inventory.Entry) { e.PreventDestroy = true }, want: unit.ActionBlocked},
		"is forgotten": {removals: plan.Removals{model.Removal{From: at("resource.old")}}, want: unit.ActionAdopt},
		"is another":   {change: func(e *inventory.Entry) { e.ID = "other" }, want: unit.ActionAdopt},
		"stays":        {wanted: true, want: unit.ActionAdopt},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(of("resource.new", "a"))
			if test.wanted {
				in.Units = append(in.Units, of("resource.old", "a"))
			}
			entry := entryOf(of("resource.old", "a"))
			if entry.ID = "one"; test.change != nil {
				test.change(&entry)
			}
			in.Entries, in.Removals = append(in.Entries, entry), test.removals
			in.Compare[unit.OpenStack] = func(target unit.Target, _ cty.Value, _ unit.State) unit.Diff {
				if target.ID == "" {
					return unit.Diff{Action: unit.ActionAdopt}
				}
				return unit.Diff{Action: unit.ActionNone}
			}
			for _, address := range []string{"resource.old", "resource.new"} {
				state := seen("a")
				state.ID = "one"
				in.States[at(address)] = new(state)
			}
			c := plan.Make(*in).Change(at("resource.new"))
			if c.Action != test.want || test.want == unit.ActionBlocked && !strings.Contains(c.Reason, "is resource.old already: to give it another address, write a moved block") {
				t.Errorf("got %+v", c)
			}
		})
	}
}
