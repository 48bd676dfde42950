package plan_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
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
