package plan_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestTakenOverFromWhatIsReplaced has a block of a kind without marks get another name, and a new block the name that it had: what
// the first one is about to replace, or has replaced and not deleted yet, is not taken over to be deleted then.
func TestTakenOverFromWhatIsReplaced(t *testing.T) {
	for name, former := range map[string]bool{"it is to be replaced": false, "it has been replaced": true} {
		t.Run(name, func(t *testing.T) {
			in := input(of("resource.new", "a"), of("resource.old", "b"))
			entry := entryOf(of("resource.old", "a"))
			if entry.ID = "one"; former {
				entry.ID, entry.Former = "two", []inventory.Former{{ID: "one", Locator: entry.Locator}}
			}
			in.Entries = append(in.Entries, entry)
			in.Compare[unit.OpenStack] = func(target unit.Target, _ cty.Value, _ unit.State) unit.Diff {
				switch target.ID {
				case "":
					return unit.Diff{Action: unit.ActionAdopt}
				case "one":
					return unit.Diff{Action: unit.ActionReplace}
				}
				return unit.Diff{Action: unit.ActionNone}
			}
			for address, id := range map[string]string{"resource.old": entry.ID, "resource.new": "one"} {
				state := seen("a")
				state.ID = id
				in.States[at(address)] = new(state)
			}
			c := plan.Make(*in).Change(at("resource.new"))
			if c.Action != unit.ActionBlocked || !strings.Contains(c.Reason, "is resource.old already, which is to be another one") {
				t.Errorf("got %+v", c)
			}
		})
	}
}
