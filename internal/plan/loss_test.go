package plan_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func TestReplacementThatLosesSomething(t *testing.T) {
	ip := func(address cty.Value) cty.Value {
		return cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"ip_address": cty.StringVal("10.0.0.1")}), cty.ObjectVal(map[string]cty.Value{"ip_address": address})})
	}
	given := func(path string) func(before, after string) func(*unit.Unit, *unit.Diff) {
		return func(before, after string) func(*unit.Unit, *unit.Diff) {
			return func(_ *unit.Unit, d *unit.Diff) {
				d.Action, d.Fields = unit.ActionUpdate, []unit.Field{{Path: path, Before: before, After: after}}
			}
		}
	}
	gateway, fixed := given("external_fixed_ip"), given("fixed_ip")
	renumbered := func(before, after string) func(*unit.Unit, *unit.Diff) {
		return func(_ *unit.Unit, d *unit.Diff) {
			d.Fields = []unit.Field{{Path: "address", Before: before, After: after, Effect: unit.Replace}}
		}
	}
	const one, two, anyOne = `{"ip_address":"203.0.113.5","subnet":"s1"}`, `{"ip_address":"203.0.113.6","subnet":"s1"}`, `{"subnet":"s1"}`
	some, null := cty.StringVal("192.0.2.1"), cty.NullVal(cty.String)
	for _, test := range []struct {
		name, kind string
		desired    map[string]cty.Value
		change     func(*unit.Unit, *unit.Diff)
		action     unit.Action
		reason     string
	}{
		{"an instance", "instance", nil, nil, unit.ActionBlocked, "what is on its disk, and the addresses that Nova chose would be lost: write lifecycle { replace = true }"},
		{"an instance whose block agrees", "instance", nil, func(u *unit.Unit, _ *unit.Diff) { u.MayLose = true }, unit.ActionReplace, ""},
		{"an instance that is healed", "instance", nil, func(_ *unit.Unit, d *unit.Diff) { d.Heals = true }, unit.ActionReplace, "attempt 1 of 3"},
		{"an instance that is protected", "instance", nil, func(u *unit.Unit, _ *unit.Diff) { u.MayLose, u.PreventDestroy = true, true }, unit.ActionBlocked, "prevent_destroy"},
		{"an instance that is changed", "instance", nil, func(_ *unit.Unit, d *unit.Diff) { d.Action = unit.ActionUpdate }, unit.ActionUpdate, ""},
		{"an instance that loses a network", "instance", nil, given("networks")(`["n1","n2"]`, `["n1"]`), unit.ActionBlocked, "some of its networks would be taken out, and the addresses that it has there would be lost: write lifecycle { replace = true }"},
		{"an instance that loses one of two alike", "instance", nil, given("networks")(`["n1","n1"]`, `["n1"]`), unit.ActionBlocked, "some of its networks would be taken out"},
		{"an instance that loses its networks", "instance", nil, given("networks")(`["n1"]`, `[]`), unit.ActionBlocked, "some of its networks would be taken out"},
		{"an instance that loses networks that are not told", "instance", nil, given("networks")(unit.TextSensitive, unit.TextSensitive), unit.ActionBlocked, "some of its networks would be taken out"},
		{"an instance that loses a network, and whose block agrees", "instance", nil, func(u *unit.Unit, d *unit.Diff) {
			given("networks")(`["n1","n2"]`, `["n1"]`)(u, d)
			u.MayLose = true
		}, unit.ActionUpdate, ""},
		{"an instance that gets a network", "instance", nil, given("networks")(`["n1"]`, `["n2","n1"]`), unit.ActionUpdate, ""},
		{"an instance that loses a network as it is replaced", "instance", nil, func(_ *unit.Unit, d *unit.Diff) {
			d.Fields = append(d.Fields, unit.Field{Path: "networks", Before: `["n1"]`, After: `["n2"]`, Effect: unit.Replace})
		}, unit.ActionBlocked, "it would have to be replaced, and what is on its disk, and the addresses that Nova chose would be lost"},
		{"an instance that loses a network, and is replaced for something else", "instance", nil, func(_ *unit.Unit, d *unit.Diff) {
			d.Fields = append(d.Fields, unit.Field{Path: "networks", Before: `["n1"]`, After: `["n2"]`})
		}, unit.ActionBlocked, "it would have to be replaced, and what is on its disk, and the addresses that Nova chose would be lost"},
		{"an instance that loses a port", "instance", nil, given("ports")(`["p1","p2"]`, `["p1"]`), unit.ActionUpdate, ""},
		{"a volume", "volume", nil, nil, unit.ActionBlocked, "the data on it would be lost"},
		{"a network", "network", nil, nil, unit.ActionReplace, ""},
		{"an image", "image", nil, nil, unit.ActionReplace, ""},
		{"a floating IP", "floating_ip", map[string]cty.Value{"address": null}, nil, unit.ActionBlocked, "its address would be lost"},
		{"a floating IP with its address", "floating_ip", map[string]cty.Value{"address": some}, nil, unit.ActionReplace, ""},
		{"a port", "port", map[string]cty.Value{"fixed_ip": cty.ListValEmpty(cty.DynamicPseudoType)}, nil, unit.ActionBlocked, "addresses that it has would be lost"},
		{"a port with one of its addresses", "port", map[string]cty.Value{"fixed_ip": ip(null)}, nil, unit.ActionBlocked, "addresses that it has would be lost"},
		{"a port with its addresses", "port", map[string]cty.Value{"fixed_ip": ip(some)}, nil, unit.ActionReplace, ""},
		{"a router without a gateway", "router", map[string]cty.Value{"external_network": null, "external_fixed_ip": cty.ListValEmpty(cty.DynamicPseudoType)}, nil, unit.ActionReplace, ""},
		{"a router", "router", map[string]cty.Value{"external_network": some, "external_fixed_ip": cty.ListValEmpty(cty.DynamicPseudoType)}, nil, unit.ActionBlocked, "the address of its gateway would be lost"},
		{"a router whose gateway goes", "router", nil, func(_ *unit.Unit, d *unit.Diff) {
			d.Action, d.Fields = unit.ActionUpdate, []unit.Field{{Path: "external_network", Before: "n1"}}
		}, unit.ActionBlocked, "it would be taken off what it has as external_network, and the address of its gateway would be lost: write lifecycle { replace = true }"},
		{"a router whose gateway goes, and whose block agrees", "router", nil, func(u *unit.Unit, d *unit.Diff) {
			u.MayLose, d.Action, d.Fields = true, unit.ActionUpdate, []unit.Field{{Path: "external_network", Before: "n1"}}
		}, unit.ActionUpdate, ""},
		{"a router whose gateway moves", "router", nil, func(_ *unit.Unit, d *unit.Diff) {
			d.Action, d.Fields = unit.ActionUpdate, []unit.Field{{Path: "external_network", Before: "n1", After: "n2"}}
		}, unit.ActionBlocked, "it would be given another external_network, and the address of its gateway would be lost: write lifecycle { replace = true }"},
		{"a router whose gateway moves, and whose block agrees", "router", nil, func(u *unit.Unit, d *unit.Diff) {
			u.MayLose, d.Action, d.Fields = true, unit.ActionUpdate, []unit.Field{{Path: "external_network", Before: "n1", After: "n2"}}
		}, unit.ActionUpdate, ""},
		{"a router that has its first gateway", "router", nil, func(_ *unit.Unit, d *unit.Diff) {
			d.Action, d.Fields = unit.ActionUpdate, []unit.Field{{Path: "external_network", After: "n2"}}
		}, unit.ActionUpdate, ""},
		{"a router whose gateway gets another address", "router", nil, gateway("["+one+"]", "["+two+"]"), unit.ActionBlocked, "it would be given another external_fixed_ip, and the address of its gateway would be lost: write lifecycle { replace = true }"},
		{"a router whose gateway gets another address, and whose block agrees", "router", nil, func(u *unit.Unit, d *unit.Diff) {
			gateway("["+one+"]", "["+two+"]")(u, d)
			u.MayLose = true
		}, unit.ActionUpdate, ""},
		{"a router whose gateway gets one in another subnet", "router", nil, gateway("["+one+"]", `[{"subnet":"s2"}]`), unit.ActionBlocked, "it would be given another external_fixed_ip"},
		{"a router whose gateway loses one of two", "router", nil, gateway("["+one+","+two+"]", "["+two+"]"), unit.ActionBlocked, "it would be given another external_fixed_ip"},
		{"a router whose gateway gets one that is not told", "router", nil, gateway("["+one+"]", unit.TextSensitive), unit.ActionBlocked, "it would be given another external_fixed_ip"},
		{"a router whose gateway gets one more", "router", nil, gateway("["+one+"]", "["+one+","+two+"]"), unit.ActionUpdate, ""},
		{"a router whose gateway keeps what it has there", "router", nil, gateway("["+one+"]", "["+anyOne+","+two+"]"), unit.ActionUpdate, ""},
		{"a router whose gateway gets its first address", "router", nil, gateway("[]", "["+two+"]"), unit.ActionUpdate, ""},
		{"a router whose gateway keeps one of two there", "router", nil, gateway("["+one+","+two+"]", "["+anyOne+"]"), unit.ActionBlocked, "it would be given another external_fixed_ip"},
		{"a router whose gateway keeps both of two there", "router", nil, gateway("["+one+","+two+"]", "["+anyOne+","+two+",{}]"), unit.ActionUpdate, ""},
		{"a port that gets another address", "port", nil, fixed("["+one+"]", "["+two+"]"), unit.ActionBlocked, "it would be given another fixed_ip, and addresses that it has would be lost: write lifecycle { replace = true }"},
		{"a port that gets another address, and whose block agrees", "port", nil, func(u *unit.Unit, d *unit.Diff) {
			fixed("["+one+"]", "["+two+"]")(u, d)
			u.MayLose = true
		}, unit.ActionUpdate, ""},
		{"a port that loses one of two", "port", nil, fixed("["+one+","+two+"]", "["+two+"]"), unit.ActionBlocked, "it would be given another fixed_ip"},
		{"a port that gets one in another subnet", "port", nil, fixed("["+one+"]", `[{"subnet":"s2"}]`), unit.ActionBlocked, "it would be given another fixed_ip"},
		{"a port that gets one more", "port", nil, fixed("["+one+"]", "["+two+","+one+"]"), unit.ActionUpdate, ""},
		{"a port that gets its first address", "port", nil, fixed("[]", "["+two+"]"), unit.ActionUpdate, ""},
		{"a port that keeps one in another spelling", "port", nil, fixed(`[{"ip_address":"2001:db8::1"}]`, `[{"ip_address":"2001:DB8:0::1"},`+two+"]"), unit.ActionUpdate, ""},
		{"a port that is replaced and gets another address", "port", map[string]cty.Value{"fixed_ip": ip(some)}, func(_ *unit.Unit, d *unit.Diff) {
			d.Fields = append(d.Fields, unit.Field{Path: "fixed_ip", Before: "[" + one + "]", After: "[" + two + "]"})
		}, unit.ActionBlocked, "it would have to be replaced, and addresses that it has would be lost"},
		{"a floating IP that gets another address", "floating_ip", map[string]cty.Value{"address": some}, renumbered("192.0.2.7", "192.0.2.1"), unit.ActionBlocked, "it would have to be replaced, and its address would be lost: write lifecycle { replace = true }"},
		{"a floating IP that gets another address, and whose block agrees", "floating_ip", map[string]cty.Value{"address": some}, func(u *unit.Unit, d *unit.Diff) {
			renumbered("192.0.2.7", "192.0.2.1")(u, d)
			u.MayLose = true
		}, unit.ActionReplace, ""},
		{"a router that loses its gateway as it is replaced", "router", map[string]cty.Value{"external_network": null}, func(_ *unit.Unit, d *unit.Diff) {
			d.Fields = append(d.Fields, unit.Field{Path: "external_network", Before: "n1"})
		}, unit.ActionBlocked, "the address of its gateway would be lost"},
		{"a router with its address", "router", map[string]cty.Value{"external_fixed_ip": ip(some)}, nil, unit.ActionReplace, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			resource := &unit.Resource{Kind: test.kind, Block: schema.New().Resource(test.kind)}
			u := &unit.Unit{Address: addr.MustParseObject(test.kind + ".a"), Class: unit.ClassResource, Spec: resource}
			diff := unit.Diff{Action: unit.ActionReplace, Cost: "much", Fields: []unit.Field{{Path: "x", Effect: unit.Replace}}}
			if test.change != nil {
				test.change(u, &diff)
			}
			entry := &inventory.Entry{Address: u.Address, Phase: inventory.Owned}
			compare := func(unit.Target, cty.Value, unit.State) unit.Diff { return diff }
			c := plan.Decide(u, entry, unit.Target{}, cty.ObjectVal(test.desired), unit.State{Existence: unit.Present, Owned: true}, compare)
			if c.Action != test.action || !strings.Contains(c.Reason, test.reason) || c.Cost != "much" {
				t.Errorf("got %s: %s (%s)", c.Action, c.Reason, c.Cost)
			}
			if test.action == unit.ActionBlocked && c.Wanted != diff.Action {
				t.Errorf("it wanted %s", c.Wanted)
			}
		})
	}
}

// TestAnAddressIsPutBack: what somebody else has changed goes back without being asked for, as that address is not ours.
func TestAnAddressIsPutBack(t *testing.T) {
	desired := cty.EmptyObjectVal
	for _, test := range []struct {
		kind string
		f    unit.Field
	}{
		{"router", unit.Field{Path: "external_network", Before: "theirs", After: "ours"}},
		{"router", unit.Field{Path: "external_fixed_ip", Before: `[{"ip_address":"203.0.113.5"}]`, After: `[{"ip_address":"203.0.113.6"}]`}},
		{"instance", unit.Field{Path: "networks", Before: `["n1","n2"]`, After: `["n1"]`}},
		{"port", unit.Field{Path: "fixed_ip", Before: `[{"ip_address":"10.0.0.5"},{"ip_address":"10.0.0.6"}]`, After: `[{"ip_address":"10.0.0.6"}]`}},
	} {
		resource, f := &unit.Resource{Kind: test.kind, Block: schema.New().Resource(test.kind)}, test.f
		u := &unit.Unit{Address: addr.MustParseObject(test.kind + ".a"), Class: unit.ClassResource, Spec: resource}
		entry := &inventory.Entry{Address: u.Address, Phase: inventory.Owned, Applied: plan.Applied(u, desired)}
		compare := func(unit.Target, cty.Value, unit.State) unit.Diff {
			return unit.Diff{Action: unit.ActionUpdate, Fields: []unit.Field{f}}
		}
		c := plan.Decide(u, entry, unit.Target{}, desired, unit.State{Existence: unit.Present, Owned: true}, compare)
		if c.Action != unit.ActionUpdate || !c.Drift {
			t.Errorf("%s: got %s: %s", f.Path, c.Action, c.Reason)
		}
	}
}
