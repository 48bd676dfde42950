package plan_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestNamesAreExchanged has objects get the names of each other: where a service takes a name for one only, that is held back.
func TestNamesAreExchanged(t *testing.T) {
	for name, test := range map[string]struct {
		kind    string
		names   map[string][2]string // by address: what it is called, and is to be
		domains map[string]string
		blocked string
	}{
		"two":                         {"user", map[string][2]string{"user.a": {"x", "y"}, "user.b": {"y", "x"}}, nil, "user.a user.b"},
		"three":                       {"group", map[string][2]string{"group.a": {"x", "y"}, "group.b": {"y", "z"}, "group.c": {"z", "x"}}, nil, "group.a group.b group.c"},
		"two, and one that follows":   {"role", map[string][2]string{"role.a": {"x", "y"}, "role.b": {"y", "x"}, "role.c": {"z", "x"}}, nil, "role.a role.b"},
		"one after the other":         {"user", map[string][2]string{"user.a": {"x", "y"}, "user.b": {"y", "z"}}, nil, ""},
		"in different domains":        {"user", map[string][2]string{"user.a": {"x", "y"}, "user.b": {"y", "x"}}, map[string]string{"user.a": "d1", "user.b": "d2"}, ""},
		"of kinds that share a name":  {"network", map[string][2]string{"network.a": {"x", "y"}, "network.b": {"y", "x"}}, nil, ""},
		"one stays as it is":          {"user", map[string][2]string{"user.a": {"x", "y"}, "user.b": {"y", "y"}}, nil, ""},
		"what has that name is other": {"user", map[string][2]string{"user.a": {"x", "y"}}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := input()
			for address, names := range test.names {
				object := func(called string) cty.Value {
					return cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal(called), "domain": cty.StringVal(test.domains[address])})
				}
				u := unit.Unit{Address: at(address), Class: unit.ClassResource, Spec: &unit.Resource{
					Kind: test.kind, Block: schema.New().Resource(test.kind), Desired: object(names[1]),
				}}
				in.Units = append(in.Units, u)
				entry := entryOf(u)
				entry.ID = address
				in.Entries = append(in.Entries, entry)
				state := seen("")
				state.ID, state.Outputs = address, object(names[0])
				in.States[at(address)] = &state
			}
			in.Compare[unit.OpenStack] = func(target unit.Target, _ cty.Value, _ unit.State) unit.Diff {
				if names := test.names[target.Address.String()]; names[0] == names[1] {
					return unit.Diff{Action: unit.ActionNone}
				}
				return unit.Diff{Action: unit.ActionUpdate, Fields: []unit.Field{{Path: "name"}}}
			}
			var blocked []string
			for _, c := range plan.Make(*in).Changes {
				if c.Action == unit.ActionBlocked {
					blocked = append(blocked, c.Address.String())
					if !strings.Contains(c.Reason, "takes a name for one "+test.kind) || !strings.Contains(c.Reason, "a name that is free") {
						t.Errorf("%s: %s", c.Address, c.Reason)
					}
				}
			}
			if got := strings.Join(blocked, " "); got != test.blocked {
				t.Errorf("blocked are %q, want %q", got, test.blocked)
			}
		})
	}
}
