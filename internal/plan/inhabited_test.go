package plan_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestAddressesOfWhatIsReplaced: a subnet that others keep addresses of can never be deleted, so that the plan does not begin with
// another one. What gets others of the new one, or goes, is not in its way.
func TestAddressesOfWhatIsReplaced(t *testing.T) {
	one := func(address, value string, first bool, needs ...string) unit.Unit {
		u := of(address, value)
		u.Class, u.CreateFirst = unit.ClassResource, first
		u.Spec.(*spec).driver, u.Spec.(*spec).kind = unit.OpenStack, u.Address.Kind()
		for _, to := range needs {
			u.Edges = append(u.Edges, unit.Edge{To: at(to), Until: unit.Installed, Gate: unit.GateStart, Making: true})
		}
		return u
	}
	texts := func(all ...string) cty.Value {
		values := []cty.Value{cty.StringVal("fd00::1")}
		for _, text := range all {
			values = append(values, cty.StringVal(text))
		}
		return cty.ListVal(values)
	}
	for name, test := range map[string]struct {
		user    string // what is wanted of the port
		needs   string
		address string
		first   bool
		kept    bool
	}{
		"which is created first":     {"p", "subnet.s", "10.0.0.9", true, true},
		"which is deleted first":     {"p", "subnet.s", "10.0.0.9", false, true},
		"in one network":             {"p", "network.n", "10.0.0.9", true, true},
		"of another subnet":          {"p", "subnet.s", "10.0.1.9", true, false},
		"in another network":         {"p", "network.other", "10.0.0.9", true, false},
		"of a port that is replaced": {"!p", "subnet.s", "10.0.0.9", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(one("network.n", "n", false), one("network.other", "o", false), one("subnet.s", "!2", test.first, "network.n"), one("port.p", test.user, false, test.needs))
			has(in, one("network.n", "n", false), one("network.other", "o", false), one("subnet.s", "s", false, "network.n"), one("port.p", "p", false, test.needs))
			for i, address := range []string{"subnet.s", "port.p"} {
				in.States[at(address)].Outputs = cty.ObjectVal([]map[string]cty.Value{
					{"id": cty.StringVal("s"), "cidr": cty.StringVal("10.0.0.0/24")}, {"id": cty.StringVal("p"), "addresses": texts(test.address)},
				}[i])
			}
			for i := range in.Units {
				in.Units[i].MayLose = true
			}
			c := plan.Make(*in).Change(at("subnet.s"))
			if kept := c.Action == unit.ActionBlocked; kept != test.kept || kept && !strings.Contains(c.Reason, "port.p would keep an address of the old one") {
				t.Errorf("got %s: %s", c.Action, c.Reason)
			}
		})
	}
}

// TestAddressesThatFollow: an address of a subnet that Neutron gives all ports by itself goes with the subnet, and an instance that has its
// address by a port has that of the new one with it, whatever else of the subnet the instance is made of.
func TestAddressesThatFollow(t *testing.T) {
	resource := func(address, value string, needs ...string) unit.Unit {
		u := of(address, value)
		u.Class, u.MayLose = unit.ClassResource, true
		u.Spec.(*spec).driver, u.Spec.(*spec).kind = unit.OpenStack, u.Address.Kind()
		for _, to := range needs {
			u.Edges = append(u.Edges, unit.Edge{To: at(to), Until: unit.Installed, Gate: unit.GateStart, Making: true})
		}
		return u
	}
	address := func(text string) cty.Value { return cty.ListVal([]cty.Value{cty.StringVal(text)}) }
	for name, test := range map[string]struct {
		mode, cidr string
		port       string // its address
		wanted     string // of the port
		instance   string // its address
		kept       string // by whom
		apart      bool   // nothing tells that the port is beside the subnet
	}{
		"of slaac":                        {"slaac", "fd00::/64", "fd00::9", "p", "fd00::9", "", false},
		"of dhcpv6-stateless":             {"dhcpv6-stateless", "fd00::/64", "fd00::9", "p", "fd00::9", "", false},
		"of dhcpv6-stateful":              {"dhcpv6-stateful", "fd00::/64", "fd00::9", "p", "fd00::9", "port.p", false},
		"by a port that goes":             {"", "10.0.0.0/24", "10.0.0.9", "!p", "10.0.0.9", "", false},
		"by a port that stays":            {"", "10.0.0.0/24", "10.0.0.9", "p", "10.0.0.9", "port.p", false},
		"by a port in an unnamed network": {"", "10.0.0.0/24", "10.0.0.9", "p", "10.0.0.9", "instance.i", true},
		"besides that of a port":          {"", "10.0.0.0/24", "10.0.0.9", "!p", "10.0.0.10", "instance.i", false},
	} {
		t.Run(name, func(t *testing.T) {
			all := func(subnet, port string) []unit.Unit {
				needs := []string{"subnet.s"}
				if test.apart {
					needs = nil
				}
				return []unit.Unit{resource("subnet.s", subnet), resource("port.p", port, needs...), resource("instance.i", "i", "port.p", "subnet.s")}
			}
			in := input(all("!2", test.wanted)...)
			has(in, all("s", "p")...)
			mode := cty.NullVal(cty.String)
			if test.mode != "" {
				mode = cty.StringVal(test.mode)
			}
			in.States[at("subnet.s")].Outputs = cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("s"), "cidr": cty.StringVal(test.cidr), "ipv6_address_mode": mode})
			in.States[at("port.p")].Outputs = cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("p"), "addresses": address(test.port)})
			in.States[at("instance.i")].Outputs = cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("i"), "addresses": address(test.instance)})
			c := plan.Make(*in).Change(at("subnet.s"))
			if kept := c.Action == unit.ActionBlocked; kept != (test.kept != "") || kept && !strings.Contains(c.Reason, "but "+test.kept+" would keep an address of the old one") {
				t.Errorf("got %s: %s", c.Action, c.Reason)
			}
		})
	}
}

// TestAddressesThatAChangeLeaves: an instance that gets another network gives the address up that it has, and one that gets one more
// network does not.
func TestAddressesThatAChangeLeaves(t *testing.T) {
	resource := func(address, value string, needs ...string) unit.Unit {
		u := of(address, value)
		u.Class, u.MayLose, u.CreateFirst = unit.ClassResource, true, true
		u.Spec.(*spec).driver, u.Spec.(*spec).kind = unit.OpenStack, u.Address.Kind()
		for _, to := range needs {
			u.Edges = append(u.Edges, unit.Edge{To: at(to), Until: unit.Installed, Gate: unit.GateStart, Making: true})
		}
		return u
	}
	for name, test := range map[string]struct {
		field string
		needs []string
		kept  bool
	}{
		"nothing of networks":          {"security_groups", []string{"network.n"}, true},
		"one more network":             {"networks", []string{"network.n", "network.other"}, true},
		"another network":              {"networks", []string{"network.other", "subnet.s"}, false},
		"another network, and nothing": {"networks", []string{"network.other"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			all := func(subnet, instance string, needs ...string) []unit.Unit {
				return []unit.Unit{resource("network.n", "n"), resource("network.other", "o"), resource("subnet.s", subnet, "network.n"), resource("instance.i", instance, needs...)}
			}
			in := input(all("!2", "other", test.needs...)...)
			has(in, all("s", "i", "network.n")...)
			in.States[at("subnet.s")].Outputs = cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal("s"), "cidr": cty.StringVal("10.0.0.0/24")})
			in.States[at("instance.i")].Outputs = cty.ObjectVal(map[string]cty.Value{
				"id": cty.StringVal("i"), "addresses": cty.ListVal([]cty.Value{cty.StringVal("10.0.0.9")}),
			})
			in.Compare[unit.OpenStack] = func(tg unit.Target, desired cty.Value, s unit.State) unit.Diff {
				d := compare(tg, desired, s)
				if tg.Address == at("instance.i") {
					d.Fields[0].Path = test.field
				}
				return d
			}
			c := plan.Make(*in).Change(at("subnet.s"))
			if kept := c.Action == unit.ActionBlocked; kept != test.kept || kept && !strings.Contains(c.Reason, "instance.i would keep an address of the old one") {
				t.Errorf("got %s: %s", c.Action, c.Reason)
			}
		})
	}
}

// TestManyAddressesOfWhatIsReplaced: who is beside one of many subnets is not looked for among all ports. Of four times as many, which took
// 15 times as long then, the best of some rounds counts, in processor time.
func TestManyAddressesOfWhatIsReplaced(t *testing.T) {
	resource := func(address, value string, needs ...string) unit.Unit {
		u := of(address, value)
		u.Class, u.CreateFirst, u.MayLose = unit.ClassResource, true, true
		u.Spec.(*spec).driver, u.Spec.(*spec).kind = unit.OpenStack, u.Address.Kind()
		for _, to := range needs {
			u.Edges = append(u.Edges, unit.Edge{To: at(to), Until: unit.Installed, Gate: unit.GateStart, Making: true})
		}
		return u
	}
	used := func() time.Duration {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			t.Fatal(err)
		}
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	takes := func(subnets int) time.Duration {
		var was, want []unit.Unit
		for i := range subnets {
			network, subnet := fmt.Sprintf("network.n%d", i), fmt.Sprintf("subnet.s%d", i)
			was = append(was, resource(network, "n"), resource(subnet, "s", network))
			want = append(want, resource(network, "n"), resource(subnet, "!2", network))
			for j := range 4 {
				port := resource(fmt.Sprintf("port.p%d-%d", i, j), "p", network)
				was, want = append(was, port), append(want, port)
			}
		}
		in := input(want...)
		has(in, was...)
		least := time.Hour
		for range 3 {
			began := used()
			if c := plan.Make(*in).Change(at("subnet.s1")); c.Action != unit.ActionReplace {
				t.Fatalf("it is %s: %s", c.Action, c.Reason)
			}
			least = min(least, used()-began)
		}
		return least
	}
	if few, many := takes(250), takes(1000); many > 9*few {
		t.Errorf("250 subnets take %v, and 1000 take %v", few, many)
	}
}
