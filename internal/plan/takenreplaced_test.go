package plan_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestTakenOverFromWhatIsRenamed is the same with a kind whose objects can be given another name.
func TestTakenOverFromWhatIsRenamed(t *testing.T) {
	for path, want := range map[string]string{
		"name":   "is resource.old already, which is to get another name",
		"shared": "is resource.old already: to give it another address, write a moved block",
	} {
		in := input(of("resource.new", "a"), of("resource.old", "b"))
		in.Units[0].Spec = &unit.Resource{Kind: "address_scope", Block: schema.New().Resource("address_scope")} // which has a name
		entry := entryOf(of("resource.old", "a"))
		entry.ID, entry.Locator.Kind = "one", "address_scope"
		in.Entries = append(in.Entries, entry)
		in.Compare[unit.OpenStack] = func(target unit.Target, _ cty.Value, _ unit.State) unit.Diff {
			if target.ID == "" {
				return unit.Diff{Action: unit.ActionAdopt}
			}
			return unit.Diff{Action: unit.ActionUpdate, Fields: []unit.Field{{Path: path}}}
		}
		for _, address := range []string{"resource.old", "resource.new"} {
			state := seen("a")
			state.ID = "one"
			in.States[at(address)] = new(state)
		}
		c := plan.Make(*in).Change(at("resource.new"))
		if c.Action != unit.ActionBlocked || !strings.Contains(c.Reason, want) {
			t.Errorf("a change of %s: %+v", path, c)
		}
	}
}

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
