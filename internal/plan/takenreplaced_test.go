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

// TestTakenOverFromWhatConnectsSomethingElse has a block of a kind that is known by what it connects get other parts, and a new block
// those that it had. It goes by what is on record of the old one, and as well where that was made by an attempt that was cut off.
func TestTakenOverFromWhatConnectsSomethingElse(t *testing.T) {
	for name, test := range map[string]struct {
		kind   string
		action unit.Action
		id     string // on record
	}{
		"an assignment":                  {"role_assignment", unit.ActionReplace, "one"},
		"that of an attempt":             {"role_assignment", unit.ActionReplace, ""},
		"a right":                        {"rbac_policy", unit.ActionUpdate, "one"},
		"that of an attempt, made so":    {"rbac_policy", unit.ActionUpdate, ""},
		"one that two blocks want alike": {"role_assignment", unit.ActionNone, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(of("resource.new", "a"), of("resource.old", "b"))
			for i := range in.Units {
				in.Units[i].Spec = &unit.Resource{Kind: test.kind, Block: schema.New().Resource(test.kind)}
			}
			entry := entryOf(of("resource.old", "a"))
			entry.ID, entry.Locator.Kind = test.id, test.kind
			in.Entries = append(in.Entries, entry)
			in.Compare[unit.OpenStack] = func(target unit.Target, _ cty.Value, _ unit.State) unit.Diff {
				if target.Address == at("resource.new") {
					return unit.Diff{Action: unit.ActionAdopt}
				}
				return unit.Diff{Action: test.action, Fields: []unit.Field{{Path: "target"}}}
			}
			for address, owned := range map[string]bool{"resource.old": true, "resource.new": false} {
				state := seen("a")
				state.ID, state.Owned, state.Mark = "one", owned, ""
				in.States[at(address)] = new(state)
			}
			c := plan.Make(*in).Change(at("resource.new"))
			if blocked := c.Action == unit.ActionBlocked && strings.Contains(c.Reason, "is resource.old already, which is to be another one"); blocked != (test.action != unit.ActionNone) {
				t.Errorf("got %+v", c)
			}
		})
	}
}

// TestLookedUpBesideItsBlock has something looked up that a block of the same configuration changes, where neither shows a mark: to
// look at it takes nothing from anybody.
func TestLookedUpBesideItsBlock(t *testing.T) {
	in := input(of("data.resource.seen", "a"), of("resource.old", "b"))
	entry := entryOf(of("resource.old", "a"))
	entry.ID = "one"
	in.Entries = append(in.Entries, entry)
	in.Compare[unit.OpenStack] = func(target unit.Target, _ cty.Value, _ unit.State) unit.Diff {
		if target.Address == at("resource.old") {
			return unit.Diff{Action: unit.ActionUpdate, Fields: []unit.Field{{Path: "description"}}}
		}
		return unit.Diff{Action: unit.ActionNone}
	}
	for _, address := range []string{"data.resource.seen", "resource.old"} {
		state := seen("a")
		state.ID = "one"
		in.States[at(address)] = new(state)
	}
	made := plan.Make(*in)
	if c := made.Change(at("data.resource.seen")); c.Action != unit.ActionNone {
		t.Errorf("got %+v", c)
	}
	if c := made.Change(at("resource.old")); c.Action != unit.ActionUpdate {
		t.Errorf("got %+v", c)
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
