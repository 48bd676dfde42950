package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// weighing is a plan of resources that is weighed against quotas.
type weighing struct {
	in   *plan.Input
	plan *plan.Plan
}

func number(n int64) cty.Value { return cty.NumberIntVal(n) }

// add has the plan do something to a resource; what is there was made in the project p1, as the values say.
func (w *weighing) add(address string, action unit.Action, wanted, there map[string]cty.Value, fields ...string) *unit.Unit {
	u := unit.Unit{Address: at(address), Class: unit.ClassResource}
	kind := strings.TrimPrefix(u.Address.Kind(), "data.")
	if wanted != nil {
		u.Spec = &unit.Resource{Kind: kind, Desired: cty.ObjectVal(wanted)}
		w.in.Units = append(w.in.Units, u)
	}
	state := unit.State{Existence: unit.Absent, Project: "home"}
	if there != nil {
		state = unit.State{Existence: unit.Present, ID: "id of " + u.Address.Name(), Project: "p1", Outputs: cty.ObjectVal(there)}
	}
	if kind == "project" {
		state.ID, state.Project = u.Address.Name(), ""
	}
	w.in.States[u.Address] = new(state)
	c := plan.Change{Address: u.Address, Class: u.Class, Kind: kind, Action: action}
	for _, name := range fields {
		c.Fields = append(c.Fields, unit.Field{Path: name})
	}
	w.plan.Changes = append(w.plan.Changes, c)
	return &u
}

func listOf(values []cty.Value) cty.Value {
	if len(values) == 0 {
		return cty.ListValEmpty(cty.String)
	}
	return cty.ListVal(values)
}

func (w *weighing) demand() *plan.Demand {
	slices.SortFunc(w.plan.Changes, func(a, b plan.Change) int { return a.Address.Compare(b.Address) })
	return w.plan.Demand(*w.in)
}

func TestQuotaIsExceeded(t *testing.T) {
	in := map[string]cty.Value{"project": cty.StringVal("p1")}
	home := map[string]cty.Value{"project": cty.NullVal(cty.String)}
	sized := func(n int64) map[string]cty.Value {
		return map[string]cty.Value{"project": cty.StringVal("p1"), "size": number(n)}
	}
	ruled := func(n int) map[string]cty.Value {
		var rules []cty.Value
		for port := range n {
			rules = append(rules, cty.ObjectVal(map[string]cty.Value{"direction": cty.StringVal("ingress"), "port_min": number(int64(port + 1))}))
		}
		return map[string]cty.Value{"project": cty.StringVal("p1"), "rule": cty.TupleVal(rules)}
	}
	born := func(n int) map[string]cty.Value { // with the rules that Neutron gives each group
		values, out := ruled(n), []cty.Value{}
		for _, version := range []string{"IPv4", "IPv6"} {
			out = append(out, cty.ObjectVal(map[string]cty.Value{"direction": cty.StringVal("egress"), "ethertype": cty.StringVal(version)}))
		}
		values["rule"] = cty.TupleVal(append(out, values["rule"].AsValueSlice()...))
		return values
	}
	connected := func(networks ...cty.Value) map[string]cty.Value {
		return map[string]cty.Value{"project": cty.StringVal("p1"), "networks": listOf(networks)}
	}
	routed := func(subnets ...cty.Value) map[string]cty.Value {
		return map[string]cty.Value{"project": cty.StringVal("p1"), "subnets": cty.ListVal(subnets)}
	}
	set := func(w *weighing, address, attribute string, keys ...string) { // as ours
		w.in.Entries = append(w.in.Entries, inventory.Entry{Address: at(address), UID: address, Set: map[string][]string{attribute: keys}})
	}
	flavored := func(id cty.Value) map[string]cty.Value {
		return map[string]cty.Value{"project": cty.StringVal("p1"), "flavor": id}
	}
	tagged := func(keys ...string) map[string]cty.Value {
		items := map[string]cty.Value{}
		for _, key := range keys {
			items[key] = cty.StringVal("x")
		}
		return map[string]cty.Value{"project": cty.StringVal("p1"), "metadata": cty.MapVal(items)}
	}
	grouped := func(group cty.Value) map[string]cty.Value {
		return map[string]cty.Value{"project": cty.StringVal("p1"), "server_group": group}
	}
	of := func(volume cty.Value) map[string]cty.Value {
		return map[string]cty.Value{"project": cty.StringVal("p1"), "volume": volume, "size": cty.NullVal(cty.Number)}
	}
	small := map[string]cty.Value{"vcpus": number(1), "ram": number(512)}
	large := map[string]cty.Value{"vcpus": number(8), "ram": number(4096)}
	quota := func(name string, n int64) map[string]cty.Value {
		return map[string]cty.Value{"quota": cty.ObjectVal(map[string]cty.Value{name: number(n), "subnets": cty.NullVal(cty.Number)})}
	}
	for name, c := range map[string]struct {
		plan  func(w *weighing)
		limit string
		live  unit.Quota
		want  string // of the project p1, "" for no warning
	}{
		"room for it":   {func(w *weighing) { w.add("network.a", unit.ActionCreate, in, nil) }, "networks", unit.Quota{Limit: 3, Used: 2}, ""},
		"full":          {func(w *weighing) { w.add("network.a", unit.ActionCreate, in, nil) }, "networks", unit.Quota{Limit: 3, Used: 3}, "of networks the quota allows 3, 3 are in use, and the plan makes 1 more"},
		"without end":   {func(w *weighing) { w.add("network.a", unit.ActionCreate, in, nil) }, "networks", unit.Quota{Limit: -1, Used: 3}, ""},
		"none at all":   {func(w *weighing) { w.add("port.a", unit.ActionCreate, in, nil) }, "ports", unit.Quota{}, "allows 0, 0 are in use"},
		"of our own":    {func(w *weighing) { w.add("network.a", unit.ActionCreate, home, nil) }, "networks", unit.Quota{}, ""},
		"floating ips":  {func(w *weighing) { w.add("floating_ip.a", unit.ActionCreate, in, nil) }, "floating_ips", unit.Quota{}, "of floating ips"},
		"subnet pools":  {func(w *weighing) { w.add("subnet_pool.a", unit.ActionCreate, in, nil) }, "subnet_pools", unit.Quota{Limit: 1, Used: 1}, "of subnet pools the quota allows 1, 1 are in use"},
		"trunks":        {func(w *weighing) { w.add("trunk.a", unit.ActionCreate, in, nil) }, "trunks", unit.Quota{Limit: 1, Used: 1}, "of trunks the quota allows 1, 1 are in use"},
		"server groups": {func(w *weighing) { w.add("server_group.a", unit.ActionCreate, in, nil) }, "server_groups", unit.Quota{Limit: 10, Used: 10}, "of server groups the quota allows 10, 10 are in use, and the plan makes 1 more"},
		"two volumes, each small enough": {func(w *weighing) {
			w.add("volume.a", unit.ActionCreate, sized(50), nil)
			w.add("volume.b", unit.ActionCreate, sized(60), nil)
		}, "per_volume_gigabytes", unit.Quota{Limit: 60}, ""},
		"one volume that is too large": {func(w *weighing) {
			w.add("volume.a", unit.ActionCreate, sized(50), nil)
			w.add("volume.b", unit.ActionCreate, sized(61), nil)
		}, "per_volume_gigabytes", unit.Quota{Limit: 60}, "of per volume gigabytes the quota allows 60, and the plan needs 61"},
		"made too large": {func(w *weighing) { w.add("volume.a", unit.ActionUpdate, sized(61), sized(10), "size") }, "per_volume_gigabytes", unit.Quota{Limit: 60}, "the plan needs 61"},
		"a snapshot is no volume": {func(w *weighing) {
			w.add("volume.a", unit.ActionNone, sized(61), sized(61))
			w.add("snapshot.a", unit.ActionCreate, of(cty.StringVal("id of a")), nil)
		}, "per_volume_gigabytes", unit.Quota{Limit: 60}, ""},
		"rules": {func(w *weighing) {
			w.add("security_group.a", unit.ActionCreate, ruled(3), nil)
		}, "security_group_rules", unit.Quota{Limit: 6, Used: 2}, "of security group rules the quota allows 6, 2 are in use, and the plan makes 5 more"},
		"rules that Neutron makes by itself": {func(w *weighing) {
			w.add("security_group.a", unit.ActionCreate, map[string]cty.Value{"project": cty.StringVal("p1")}, nil)
		}, "security_group_rules", unit.Quota{Limit: 5, Used: 4}, "the plan makes 2 more"},
		"the same ones, written": {func(w *weighing) {
			w.add("security_group.a", unit.ActionCreate, born(1), nil)
		}, "security_group_rules", unit.Quota{Limit: 2}, "the plan makes 3 more"},
		"beside the group of a new project": {func(w *weighing) {
			w.add("security_group.a", unit.ActionCreate, ruled(0), nil)
		}, "security_groups", unit.Quota{Limit: 1}, "of security groups the quota allows 1, 0 are in use, and the plan makes 2 more"},
		"beside the group that is there": {func(w *weighing) {
			w.add("security_group.a", unit.ActionCreate, ruled(0), nil)
		}, "security_groups", unit.Quota{Limit: 2, Used: 1}, ""},
		"rules beside those that Neutron has made": {func(w *weighing) {
			w.add("security_group.a", unit.ActionUpdate, ruled(3), born(1), "rule")
		}, "security_group_rules", unit.Quota{Limit: 4, Used: 3}, "the plan makes 2 more"},
		"a port in each network of an instance": {func(w *weighing) {
			w.add("instance.a", unit.ActionCreate, connected(cty.StringVal("n1"), cty.StringVal("n1"), cty.UnknownVal(cty.String)), nil)
		}, "ports", unit.Quota{Limit: 4, Used: 2}, "of ports the quota allows 4, 2 are in use, and the plan makes 3 more"},
		"a port in the only network": {func(w *weighing) {
			w.add("instance.a", unit.ActionCreate, in, nil)
			w.add("instance.b", unit.ActionCreate, map[string]cty.Value{"project": cty.StringVal("p1"), "ports": cty.UnknownVal(cty.List(cty.String))}, nil)
			w.add("instance.c", unit.ActionCreate, connected(), nil)
		}, "ports", unit.Quota{Limit: 2, Used: 2}, "the plan makes 1 more"},
		"metadata with our mark": {func(w *weighing) {
			w.add("instance.a", unit.ActionCreate, tagged("a", "b"), nil)
			w.add("instance.b", unit.ActionCreate, tagged("a", "b", "c"), nil)
		}, "metadata_items", unit.Quota{Limit: 3}, "of metadata items the quota allows 3, and the plan needs 4"},
		"as much metadata as fits": {func(w *weighing) { w.add("instance.a", unit.ActionCreate, tagged("a", "b"), nil) }, "metadata_items", unit.Quota{Limit: 3}, ""},
		"metadata without a drive": {func(w *weighing) {
			one := tagged("a", "b")
			one["config_drive"] = cty.False
			w.add("instance.a", unit.ActionCreate, one, nil)
		}, "metadata_items", unit.Quota{Limit: 3}, "the plan needs 4"},
		"more metadata": {func(w *weighing) { w.add("instance.a", unit.ActionUpdate, tagged("a", "b"), tagged("a"), "metadata") }, "metadata_items", unit.Quota{Limit: 2}, "the plan needs 3"},
		"less metadata": {func(w *weighing) { w.add("instance.a", unit.ActionUpdate, tagged("a"), tagged("a", "b"), "metadata") }, "metadata_items", unit.Quota{Limit: 1}, ""},
		"members of a group that is there": {func(w *weighing) {
			w.add("server_group.g", unit.ActionNone, in, in)
			w.add("instance.a", unit.ActionNone, grouped(cty.StringVal("id of g")), grouped(cty.StringVal("id of g")))
			w.add("instance.b", unit.ActionCreate, grouped(cty.StringVal("id of g")), nil)
		}, "server_group_members", unit.Quota{Limit: 1}, "of server group members the quota allows 1, and the plan needs 2"},
		"members of a group that is made, and of another one": {func(w *weighing) {
			for _, name := range []string{"g", "h"} {
				w.add("server_group."+name, unit.ActionCreate, in, nil)
				w.add("instance."+name, unit.ActionCreate, grouped(cty.UnknownVal(cty.String)), nil)
				w.in.Units[len(w.in.Units)-1].Edges = []unit.Edge{{To: at("server_group." + name), Until: unit.Ready, Gate: unit.GateStart}}
			}
		}, "server_group_members", unit.Quota{Limit: 1}, ""},
		"interfaces of a router": {func(w *weighing) {
			subnets := cty.ListVal([]cty.Value{cty.StringVal("s1"), cty.UnknownVal(cty.String)})
			w.add("router.a", unit.ActionCreate, map[string]cty.Value{"project": cty.StringVal("p1"), "subnets": subnets}, nil)
		}, "ports", unit.Quota{Limit: 3, Used: 2}, "the plan makes 2 more"},
		"another network of an instance": {func(w *weighing) {
			w.add("instance.a", unit.ActionUpdate, connected(cty.StringVal("n1"), cty.StringVal("n2")), connected(cty.StringVal("n1")), "networks")
		}, "ports", unit.Quota{Limit: 1, Used: 1}, "the plan makes 1 more"},
		"another subnet for a router": {func(w *weighing) {
			w.add("router.a", unit.ActionUpdate, routed(cty.StringVal("s1"), cty.StringVal("s3")), routed(cty.StringVal("s1"), cty.StringVal("s2")), "subnets")
			set(w, "router.a", "subnets", "s1", "s2")
		}, "ports", unit.Quota{Limit: 2, Used: 2}, ""},
		"one that comes in place of what is there": {func(w *weighing) {
			w.add("router.a", unit.ActionUpdate, routed(cty.UnknownVal(cty.String)), routed(cty.StringVal("s1")), "subnets")
			set(w, "router.a", "subnets", "s1")
		}, "ports", unit.Quota{Limit: 1, Used: 1}, ""},
		"beside one of somebody else": {func(w *weighing) {
			w.add("router.a", unit.ActionUpdate, routed(cty.StringVal("s3")), routed(cty.StringVal("s2")), "subnets")
		}, "ports", unit.Quota{Limit: 1, Used: 1}, "the plan makes 1 more"},
		"another network of an instance, which is attached first": {func(w *weighing) {
			w.add("instance.a", unit.ActionUpdate, connected(cty.StringVal("n2")), connected(cty.StringVal("n1")), "networks")
			set(w, "instance.a", "networks", "n1")
		}, "ports", unit.Quota{Limit: 1, Used: 1}, "the plan makes 1 more"},
		"a rule of a group for one of another": {func(w *weighing) {
			w.add("security_group.a", unit.ActionUpdate, ruled(2), ruled(1), "rule")
			w.add("security_group.b", unit.ActionUpdate, ruled(1), ruled(2), "rule")
			set(w, "security_group.b", "rule", "ingress IPv4 any 2 2 any")
		}, "security_group_rules", unit.Quota{Limit: 3, Used: 3}, ""},
		"an instance for another": {func(w *weighing) {
			w.add("instance.a", unit.ActionCreate, connected(cty.StringVal("n1")), nil)
			w.add("instance.b", unit.ActionDelete, nil, connected(cty.StringVal("n1")))
		}, "ports", unit.Quota{Limit: 1, Used: 1}, ""},
		"rules of a group that has some": {func(w *weighing) {
			w.add("security_group.a", unit.ActionUpdate, ruled(3), ruled(1), "rule")
		}, "security_group_rules", unit.Quota{Limit: 4, Used: 3}, "the plan makes 2 more"},
		"fewer rules beside those of others, which stay": {func(w *weighing) {
			w.add("security_group.a", unit.ActionUpdate, ruled(1), ruled(5), "rule")
			w.add("security_group.b", unit.ActionCreate, ruled(1), nil)
		}, "security_group_rules", unit.Quota{Limit: 5, Used: 5}, "the plan makes 3 more"},
		"rules of a group that goes": {func(w *weighing) {
			w.add("security_group.a", unit.ActionDelete, nil, born(3))
			w.add("security_group.b", unit.ActionCreate, ruled(3), nil)
		}, "security_group_rules", unit.Quota{Limit: 5, Used: 5}, ""},
		"not known where": {func(w *weighing) {
			w.add("network.a", unit.ActionCreate, map[string]cty.Value{"project": cty.UnknownVal(cty.String)}, nil)
		}, "networks", unit.Quota{}, ""},
		"one for another": {func(w *weighing) {
			w.add("network.a", unit.ActionCreate, in, nil)
			w.add("network.b", unit.ActionDelete, nil, in)
		}, "networks", unit.Quota{Limit: 1, Used: 1}, ""},
		"fewer, and too many all the same": {func(w *weighing) {
			w.add("network.a", unit.ActionCreate, in, nil)
			w.add("network.b", unit.ActionDelete, nil, in)
		}, "networks", unit.Quota{Limit: 1, Used: 7}, "allows 1, 7 are in use, and the plan makes 1 more and 1 fewer"},
		"two for one": {func(w *weighing) {
			w.add("network.a", unit.ActionCreate, in, nil)
			w.add("network.b", unit.ActionDelete, nil, in)
			w.add("network.c", unit.ActionCreate, in, nil)
		}, "networks", unit.Quota{Limit: 1, Used: 1}, "makes 2 more and 1 fewer"},
		"nowhere that anybody knows": {func(w *weighing) {
			w.add("network.a", unit.ActionCreate, map[string]cty.Value{"project": cty.DynamicVal}, nil)
		}, "networks", unit.Quota{}, ""},
		"made smaller": {func(w *weighing) { w.add("volume.a", unit.ActionUpdate, sized(10), sized(50), "size") }, "gigabytes", unit.Quota{Limit: 10, Used: 60}, ""},
		"replaced":     {func(w *weighing) { w.add("network.a", unit.ActionReplace, in, in) }, "networks", unit.Quota{Limit: 1, Used: 1}, ""},
		"stays":        {func(w *weighing) { w.add("network.a", unit.ActionNone, in, in) }, "networks", unit.Quota{Limit: 1, Used: 2}, ""},
		"blocked":      {func(w *weighing) { w.add("network.a", unit.ActionBlocked, in, nil) }, "networks", unit.Quota{}, ""},
		"a large one":  {func(w *weighing) { w.add("volume.a", unit.ActionCreate, sized(50), nil) }, "gigabytes", unit.Quota{Limit: 100, Used: 60}, "of gigabytes the quota allows 100, 60 are in use, and the plan makes 50 more"},
		"made larger":  {func(w *weighing) { w.add("volume.a", unit.ActionUpdate, sized(50), sized(10), "size") }, "gigabytes", unit.Quota{Limit: 100, Used: 61}, "the plan makes 40 more"},
		"larger, fits": {func(w *weighing) { w.add("volume.a", unit.ActionUpdate, sized(50), sized(10), "size") }, "gigabytes", unit.Quota{Limit: 100, Used: 60}, ""},
		"renamed":      {func(w *weighing) { w.add("volume.a", unit.ActionUpdate, sized(50), sized(10), "name") }, "gigabytes", unit.Quota{}, ""},
		"room of unknown size": {func(w *weighing) {
			w.add("volume.a", unit.ActionCreate, sized(50), nil)
			w.add("volume.b", unit.ActionDelete, nil, in)
		}, "gigabytes", unit.Quota{Limit: 50, Used: 50}, ""},
		"more than all of it": {func(w *weighing) {
			w.add("volume.a", unit.ActionCreate, sized(50), nil)
			w.add("volume.b", unit.ActionDelete, nil, in)
		}, "gigabytes", unit.Quota{Limit: 49, Used: 49}, "makes 50 more, whatever goes"},
		"room of a known size": {func(w *weighing) {
			w.add("volume.a", unit.ActionCreate, sized(50), nil)
			w.add("volume.b", unit.ActionDelete, nil, sized(20))
		}, "gigabytes", unit.Quota{Limit: 50, Used: 21}, "makes 50 more and 20 fewer"},
		"a snapshot of a volume": {func(w *weighing) {
			w.add("volume.a", unit.ActionNone, sized(30), sized(30))
			w.add("snapshot.a", unit.ActionCreate, of(cty.StringVal("id of a")), nil)
		}, "gigabytes", unit.Quota{Limit: 50, Used: 30}, "makes 30 more"},
		"of a volume that becomes larger": {func(w *weighing) {
			w.add("volume.a", unit.ActionUpdate, sized(40), sized(30), "size")
			w.add("snapshot.a", unit.ActionCreate, of(cty.StringVal("id of a")), nil)
		}, "gigabytes", unit.Quota{Limit: 50, Used: 30}, "makes 50 more"},
		"of a volume that is made": {func(w *weighing) {
			w.add("volume.a", unit.ActionCreate, sized(30), nil)
			w.add("snapshot.a", unit.ActionCreate, of(cty.UnknownVal(cty.String)), nil)
			w.in.Units[1].Edges = []unit.Edge{{To: at("volume.a"), Until: unit.Ready, Gate: unit.GateStart}}
		}, "gigabytes", unit.Quota{Limit: 50}, "makes 60 more"},
		"of a volume that nobody knows": {func(w *weighing) {
			w.add("snapshot.a", unit.ActionCreate, of(cty.StringVal("theirs")), nil)
		}, "gigabytes", unit.Quota{}, ""},
		"a snapshot goes with its volume": {func(w *weighing) {
			w.add("snapshot.a", unit.ActionDelete, nil, map[string]cty.Value{"volume": cty.StringVal("id of a"), "size": number(30)})
			w.add("volume.a", unit.ActionDelete, nil, sized(30))
			w.add("volume.b", unit.ActionCreate, sized(61), nil)
		}, "gigabytes", unit.Quota{Limit: 60, Used: 60}, "makes 61 more and 60 fewer"},
		"cores": {func(w *weighing) {
			w.add("flavor.large", unit.ActionNone, large, large)
			w.add("instance.a", unit.ActionCreate, flavored(cty.StringVal("id of large")), nil)
		}, "cores", unit.Quota{Limit: 9, Used: 2}, "of cores the quota allows 9, 2 are in use, and the plan makes 8 more"},
		"cores of a flavor that is not known": {func(w *weighing) {
			w.add("instance.a", unit.ActionCreate, flavored(cty.StringVal("theirs")), nil)
		}, "cores", unit.Quota{}, ""},
		"cores of a flavor that is made": {func(w *weighing) {
			w.add("flavor.large", unit.ActionCreate, large, nil)
			w.add("instance.a", unit.ActionCreate, flavored(cty.UnknownVal(cty.String)), nil)
			w.in.Units[1].Edges = []unit.Edge{{To: at("flavor.large"), Until: unit.Ready, Gate: unit.GateStart}}
		}, "cores", unit.Quota{Limit: 9, Used: 2}, "makes 8 more"},
		"resized": {func(w *weighing) {
			w.add("flavor.large", unit.ActionNone, large, large)
			w.add("flavor.small", unit.ActionNone, small, small)
			w.add("instance.a", unit.ActionUpdate, flavored(cty.StringVal("id of large")), flavored(cty.StringVal("id of small")), "flavor")
		}, "ram", unit.Quota{Limit: 4095, Used: 512}, "of ram in MiB the quota allows 4095, 512 are in use, and the plan makes 3584 more"},
		"resized once its flavor is there": {func(w *weighing) {
			w.add("flavor.large", unit.ActionCreate, large, nil)
			w.add("flavor.small", unit.ActionNone, small, small)
			w.add("instance.a", unit.ActionUpdate, flavored(cty.UnknownVal(cty.String)), flavored(cty.StringVal("id of small")), "flavor")
			w.in.Units[2].Edges = []unit.Edge{{To: at("flavor.large"), Until: unit.Ready, Gate: unit.GateStart}}
			w.plan.Changes[2].Later = true
		}, "cores", unit.Quota{Limit: 7, Used: 1}, "makes 7 more"},
		"its flavor goes, too": {func(w *weighing) {
			w.add("flavor.large", unit.ActionDelete, nil, large)
			w.add("flavor.small", unit.ActionNone, small, small)
			w.add("instance.a", unit.ActionDelete, nil, flavored(cty.StringVal("id of large")))
			w.add("instance.b", unit.ActionCreate, flavored(cty.StringVal("id of small")), nil)
		}, "cores", unit.Quota{Limit: 1, Used: 9}, "makes 1 more and 8 fewer"},
		"drift of the quota is only reported": {func(w *weighing) {
			w.add("network.a", unit.ActionCreate, in, nil)
			w.add("project.p1", unit.ActionNone, quota("networks", 4), quota("networks", 3))
		}, "networks", unit.Quota{Limit: 3, Used: 3}, "project.p1: of networks the quota allows 3"},
		"a quota of the configuration": {func(w *weighing) {
			w.add("network.a", unit.ActionCreate, in, nil)
			w.add("project.p1", unit.ActionUpdate, quota("networks", 4), quota("networks", 3))
		}, "networks", unit.Quota{Limit: 3, Used: 3}, ""},
		"a lower one": {func(w *weighing) {
			w.add("network.a", unit.ActionCreate, in, nil)
			w.add("project.p1", unit.ActionUpdate, quota("networks", 2), quota("networks", 3))
		}, "networks", unit.Quota{Limit: 3, Used: 2}, "project.p1: of networks the quota allows 2"},
		"one that is held back": {func(w *weighing) {
			w.add("network.a", unit.ActionCreate, in, nil)
			w.add("project.p1", unit.ActionBlocked, quota("networks", 4), quota("networks", 3))
		}, "networks", unit.Quota{Limit: 3, Used: 3}, "project.p1: of networks the quota allows 3"},
		"one of something else": {func(w *weighing) {
			w.add("subnet.a", unit.ActionCreate, in, nil)
			w.add("project.p1", unit.ActionNone, quota("networks", 4), quota("networks", 4))
		}, "subnets", unit.Quota{Limit: 3, Used: 3}, "project.p1: of subnets the quota allows 3"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &weighing{input(), &plan.Plan{}}
			c.plan(w)
			got := w.demand().Exceeded(map[string]map[string]unit.Quota{"p1": {c.limit: c.live}}, nil)
			text := ""
			for _, d := range got {
				text += d.Detail
				if d.Severity != diag.Warning || d.Code != plan.CodeQuota || d.Hint == "" {
					t.Errorf("%+v", d)
				}
			}
			if c.want == "" && text != "" || !strings.Contains(text, c.want) {
				t.Errorf("%q", text)
			}
		})
	}
}
