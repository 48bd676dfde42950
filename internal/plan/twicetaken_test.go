package plan_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestTakenOverByTwo has two blocks find the same object that nobody has marked. By its name none of them takes it, unless an import
// block says which; a right of a user may be written twice.
func TestTakenOverByTwo(t *testing.T) {
	for name, test := range map[string]struct {
		kind     string
		imported bool // as the first one
		want     [2]unit.Action
	}{
		"a name":           {kind: "network", want: [2]unit.Action{unit.ActionBlocked, unit.ActionBlocked}},
		"without marks":    {kind: "server_group", want: [2]unit.Action{unit.ActionBlocked, unit.ActionBlocked}},
		"one is imported":  {kind: "network", imported: true, want: [2]unit.Action{unit.ActionImport, unit.ActionBlocked}},
		"a right, no name": {kind: "role_assignment", want: [2]unit.Action{unit.ActionAdopt, unit.ActionAdopt}},
	} {
		t.Run(name, func(t *testing.T) {
			in := input()
			addresses := [2]addr.Object{at("resource.a"), at("resource.b")}
			for _, address := range addresses {
				u := of(address.String(), "a")
				u.Spec = &unit.Resource{Kind: test.kind, Block: schema.New().Resource(test.kind), Desired: cty.StringVal("a")}
				in.Units = append(in.Units, u)
				state := seen("a")
				state.ID, state.Owned = "one", false
				in.States[address] = new(state)
			}
			in.Compare[unit.OpenStack] = func(target unit.Target, _ cty.Value, _ unit.State) unit.Diff {
				if target.Import != "" {
					return unit.Diff{Action: unit.ActionImport}
				}
				return unit.Diff{Action: unit.ActionAdopt}
			}
			if test.imported {
				in.Imports = map[addr.Object]model.Import{addresses[0]: {ID: "one"}}
			}
			p := plan.Make(*in)
			for i, address := range addresses {
				c := p.Change(address)
				if c.Action != test.want[i] || c.Action == unit.ActionBlocked && !strings.Contains(c.Reason, "has the name that "+addresses[1-i].String()+" wants as well, and nobody's mark: write an import block") {
					t.Errorf("%s: got %+v", address, c)
				}
			}
		})
	}
}

// TestTakenOverAfterAnother has a block find by its name what another block has on record: it is that one's, though no mark says so,
// also where an attempt of this one counts as what has made it. What has no name of its own may be wanted twice.
func TestTakenOverAfterAnother(t *testing.T) {
	for name, test := range map[string]struct {
		kind  string
		owned bool   // as if an attempt had made it
		own   string // what is on record of the second block already
		diff  unit.Action
		want  unit.Action
	}{
		"adopted":                {kind: "server_group", diff: unit.ActionAdopt, want: unit.ActionBlocked},
		"made by an attempt":     {kind: "server_group", owned: true, diff: unit.ActionNone, want: unit.ActionBlocked},
		"made, and to change":    {kind: "volume_qos", owned: true, diff: unit.ActionUpdate, want: unit.ActionBlocked},
		"of a mark that is gone": {kind: "network", diff: unit.ActionAdopt, want: unit.ActionBlocked},
		"on record of both":      {kind: "server_group", owned: true, own: "one", diff: unit.ActionNone, want: unit.ActionNone},
		"a right":                {kind: "role_assignment", diff: unit.ActionAdopt, want: unit.ActionAdopt},
	} {
		t.Run(name, func(t *testing.T) {
			in := input()
			addresses := [2]addr.Object{at("resource.a"), at("resource.b")}
			for i, address := range addresses {
				u := of(address.String(), "a")
				u.Spec = &unit.Resource{Kind: test.kind, Block: schema.New().Resource(test.kind), Desired: cty.StringVal("a")}
				in.Units = append(in.Units, u)
				state := seen("a")
				state.ID, state.Owned = "one", test.owned || i == 0
				in.States[address] = new(state)
				entry := inventory.Entry{Address: address, UID: address.Name(), Locator: unit.Locator{Driver: unit.OpenStack, Kind: test.kind}, Phase: inventory.Owned, ID: "one", Class: unit.ClassResource}
				if i == 1 {
					entry.ID, entry.Phase = test.own, inventory.Intent
				}
				in.Entries = append(in.Entries, entry)
			}
			in.Compare[unit.OpenStack] = func(target unit.Target, _ cty.Value, _ unit.State) unit.Diff {
				if target.Address == addresses[1] {
					return unit.Diff{Action: test.diff}
				}
				return unit.Diff{Action: unit.ActionNone}
			}
			p := plan.Make(*in)
			if c := p.Change(addresses[0]); c.Action != unit.ActionNone {
				t.Errorf("the first one: %+v", c)
			}
			c := p.Change(addresses[1])
			if c.Action != test.want || c.Action == unit.ActionBlocked && !strings.Contains(c.Reason, "the "+test.kind+" with the id one is "+addresses[0].String()+" already") {
				t.Errorf("the second one: %+v", c)
			}
		})
	}
}
