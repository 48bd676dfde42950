package openstack_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func ruleValue(port int64, description string) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{
		"direction": text("ingress"), "ethertype": text("IPv4"), "protocol": text("tcp"),
		"port_min": cty.NumberIntVal(port), "port_max": cty.NumberIntVal(port),
		"remote_cidr": text("192.0.2.0/24"), "description": text(description),
	})
}

func TestBedNetworkLivesAndDies(t *testing.T) {
	b := newBench(t)
	network := target(t, "network", unique("net"), values{
		"description": text("Front end"), "mtu": cty.NumberIntVal(1400), "tags": set("shop"), "admin_state_up": cty.True,
	})
	st := b.converge(t, &network)
	if st.ID == "" || !st.Owned || st.Outputs.GetAttr("id").AsString() != st.ID {
		t.Errorf("the state is %+v", st)
	}
	if got := st.Outputs.GetAttr("description").AsString(); got != "Front end" {
		t.Errorf("the description is shown as %q: the mark is nobody's business", got)
	}
	b.settled(t, network, "/v2.0/networks")

	changed := with(t, network, values{"description": text("Back end"), "mtu": cty.NumberIntVal(1300), "tags": set("shop", "two")})
	_, diff := b.compare(t, changed)
	if diff.Action != unit.ActionUpdate || len(diff.Fields) != 3 {
		t.Errorf("the diff is %+v", diff)
	}
	b.converge(t, &changed)
	b.settled(t, changed, "/v2.0/networks")

	replaced := with(t, changed, values{"provider_network_type": text("vlan")})
	if _, diff := b.compare(t, replaced); diff.Action != unit.ActionReplace || diff.Cost == "" {
		t.Errorf("the diff is %+v", diff)
	}
	if err := b.destroy(t.Context(), t, changed); err != nil {
		t.Fatal(err)
	}
	if st := b.see(t, changed); !st.Gone() {
		t.Errorf("it is deleted, but the state is %+v", st)
	}
}

func TestBedRouterSubnetAndGroup(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	outside := target(t, "network", unique("outside"), values{"external": cty.True})
	b.converge(t, &outside)
	pool := target(t, "subnet", unique("pool"), values{"network": text(outside.ID), "cidr": text("198.51.100.0/24"), "enable_dhcp": cty.False})
	b.converge(t, &pool)
	network := target(t, "network", unique("net"), values{})
	b.converge(t, &network)
	written := values{
		"network": text(network.ID), "cidr": text("2001:db8:0:1::/64"), "gateway_ip": text("2001:0db8:0:1::1"),
		"dns_nameservers": list("2001:db8::53"), "enable_dhcp": cty.False,
		"host_routes": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"destination": text("2001:db8:9::/48"), "next_hop": text("2001:db8:0:1::9")})}),
	}
	subnet := target(t, "subnet", unique("sub"), written)
	b.converge(t, &subnet)
	b.settled(t, subnet, "/v2.0/subnets")
	second := target(t, "subnet", unique("sub"), values{"network": text(network.ID), "cidr": text("10.9.0.0/24")})
	b.converge(t, &second)

	router := target(t, "router", unique("router"), values{
		"external_network": text(outside.ID), "enable_snat": cty.False, "subnets": list(subnet.ID, second.ID),
	})
	st := b.converge(t, &router)
	if got := st.Outputs.GetAttr("subnets").LengthInt(); got != 2 {
		t.Errorf("%d interfaces, want 2", got)
	}
	b.settled(t, router, "/v2.0/routers", "/v2.0/ports")
	router = with(t, router, values{"subnets": list(second.ID), "enable_snat": cty.True})
	b.converge(t, &router)
	b.settled(t, router, "/v2.0/routers", "/v2.0/ports")
	router = with(t, router, values{"external_network": cty.NullVal(cty.String), "enable_snat": cty.NullVal(cty.Bool)})
	router.Set = map[string][]string{"external_network": {outside.ID}}
	if st := b.converge(t, &router); !st.Outputs.GetAttr("external_network").IsNull() || st.Outputs.GetAttr("subnets").LengthInt() != 1 {
		t.Errorf("the gateway is in %#v, the interfaces in %#v", st.Outputs.GetAttr("external_network"), st.Outputs.GetAttr("subnets"))
	}
	b.settled(t, router, "/v2.0/routers", "/v2.0/ports")

	group := target(t, "security_group", unique("group"), values{"rule": cty.ListVal([]cty.Value{ruleValue(80, "web"), ruleValue(443, "")}), "tags": set("a")})
	b.converge(t, &group)
	b.settled(t, group, "/v2.0/security-groups")
	group = with(t, group, values{"rule": cty.ListVal([]cty.Value{ruleValue(80, "site"), ruleValue(22, "")})})
	st = b.converge(t, &group)
	var seen []string
	for _, rule := range st.Outputs.GetAttr("rule").AsValueSlice() {
		if port := rule.GetAttr("port_min"); !port.IsNull() {
			seen = append(seen, port.AsBigFloat().String()+" "+rule.GetAttr("description").AsString())
		}
	}
	slices.Sort(seen)
	if !slices.Equal(seen, []string{"22 ", "80 site"}) {
		t.Errorf("our rules are %q", seen)
	}
	if got := st.Outputs.GetAttr("rule").LengthInt(); got != 4 {
		t.Errorf("%d rules, want ours and the two that Neutron gives a group", got)
	}
	b.settled(t, group, "/v2.0/security-groups")
}

// A gateway comes out of the pools that Neutron made without one, and stays as long as a router has it.
func TestBedGatewayOfASubnet(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	network := target(t, "network", unique("net"), values{})
	b.converge(t, &network)
	subnet := target(t, "subnet", unique("sub"), values{
		"network": text(network.ID), "cidr": text("10.7.0.0/24"), "enable_dhcp": cty.False, "no_gateway": cty.True,
	})
	b.converge(t, &subnet)
	b.settled(t, subnet, "/v2.0/subnets")
	subnet = with(t, subnet, values{"no_gateway": cty.False})
	if st := b.converge(t, &subnet); st.Outputs.GetAttr("gateway_ip").AsString() != "10.7.0.1" {
		t.Errorf("the gateway is %#v", st.Outputs.GetAttr("gateway_ip"))
	}
	b.settled(t, subnet, "/v2.0/subnets")

	router := target(t, "router", unique("router"), values{"subnets": list(subnet.ID)})
	b.converge(t, &router)
	subnet = with(t, subnet, values{"no_gateway": cty.NullVal(cty.Bool), "gateway_ip": text("10.7.0.254")})
	if _, diff := b.compare(t, subnet); diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, router.ID) {
		t.Errorf("the router has the gateway, but the diff is %+v", diff)
	}
	router = with(t, router, values{"subnets": cty.ListValEmpty(cty.String)})
	b.converge(t, &router)
	b.converge(t, &subnet)
	b.settled(t, subnet, "/v2.0/subnets")
}

// Neutron keeps each of these rules in another form than it is written in.
func TestBedRulesInOtherForms(t *testing.T) {
	b := newBench(t)
	written := func(ethertype, protocol string, ports ...int64) cty.Value {
		all := map[string]cty.Value{
			"direction": text("ingress"), "ethertype": text(ethertype), "protocol": text(protocol),
			"port_min": cty.NullVal(cty.Number), "port_max": cty.NullVal(cty.Number),
		}
		if len(ports) == 2 {
			all["port_min"], all["port_max"] = cty.NumberIntVal(ports[0]), cty.NumberIntVal(ports[1])
		}
		return cty.ObjectVal(all)
	}
	group := target(t, "security_group", unique("group"), values{"rule": cty.ListVal([]cty.Value{
		written("IPv4", "tcp", 1, 65535), written("IPv4", "6"), written("IPv4", "UDP", 1, 65535), written("IPv6", "sctp", 1, 65535),
		written("IPv4", "icmp"), written("IPv6", "icmp"), written("IPv6", "icmpv6"), written("IPv4", "112"),
	})})
	st := b.converge(t, &group)
	if got := st.Outputs.GetAttr("rule").LengthInt(); got != 8 {
		t.Errorf("%d rules, want six of ours and the two that Neutron gives a group", got)
	}
	b.settled(t, group, "/v2.0/security-groups")
}

func TestBedProjectWithQuota(t *testing.T) {
	b := newBench(t)
	project := target(t, "project", unique("project"), values{
		"description": text("Shop"), "tags": set("shop"),
		"quota": cty.ObjectVal(map[string]cty.Value{"instances": cty.NumberIntVal(7), "networks": cty.NumberIntVal(-1), "gigabytes": cty.NumberIntVal(90)}),
	})
	b.converge(t, &project)
	b.settled(t, project, "/v3/projects", "/v2.0/quotas")
	plain := target(t, "project", unique("project"), values{"enabled": cty.True})
	b.converge(t, &plain)
	b.settled(t, plain, "/v3/projects")

	inside := target(t, "network", unique("net"), values{"project": text(project.ID)})
	if st := b.converge(t, &inside); st.Project != project.ID {
		t.Errorf("the network is in the project %s", st.Project)
	}
	if err := b.destroy(t.Context(), t, project); err == nil {
		t.Error("a project that still holds a network was deleted")
	}
}

func TestBedNetworkWithAForeignSubnetStays(t *testing.T) {
	b := newBench(t)
	network := target(t, "network", unique("net"), values{})
	b.converge(t, &network)
	subnet := target(t, "subnet", unique("sub"), values{"network": text(network.ID), "cidr": text("10.6.0.0/24")})
	b.converge(t, &subnet)
	if err := b.destroy(t.Context(), t, network); err == nil || unit.IsBlocked(err) {
		t.Errorf("our own subnet is on its way: %v", err)
	}
	foreign := foreignSubnet(t, network.ID, "10.5.0.0/24")
	if err := b.destroy(t.Context(), t, subnet); err != nil {
		t.Fatal(err)
	}
	if err := b.destroy(t.Context(), t, network); !unit.IsBlocked(err) || !strings.Contains(err.Error(), foreign) {
		t.Errorf("a foreign subnet went along: %v", err)
	}
}

func TestBedProjectInAnotherRegionIsNotAbsent(t *testing.T) {
	b := newBench(t)
	project := target(t, "project", unique("project"), values{})
	b.converge(t, &project)
	spec := *project.Spec.(*unit.Resource)
	spec.Region = "elsewhere"
	far := project
	far.Spec = &spec
	states, err := b.Observe(t.Context(), []unit.Target{far})
	if err == nil || states[far.Address].Existence != unit.Unknown {
		t.Errorf("got %+v, %v", states, err)
	}
	if _, err := b.Delete(t.Context(), far, unit.State{}); !unit.IsBlocked(err) {
		t.Errorf("delete: %v", err)
	}
}
