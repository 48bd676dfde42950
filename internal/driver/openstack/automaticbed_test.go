//go:build beds

package openstack_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// interfacesOf are the ports by which a router has its subnets, each with its addresses.
func interfacesOf(t *testing.T, router string) map[string]string {
	t.Helper()
	ports, _ := request(t, "network", http.MethodGet, "v2.0/ports?device_owner=network:router_interface&device_id="+router, nil)["ports"].([]any)
	all := map[string]string{}
	for _, p := range ports {
		p := p.(map[string]any)
		var addresses []string
		for _, a := range p["fixed_ips"].([]any) {
			addresses = append(addresses, a.(map[string]any)["ip_address"].(string))
		}
		slices.Sort(addresses)
		all[strings.Join(addresses, " ")] = p["id"].(string)
	}
	return all
}

func expectInterfaces(t *testing.T, what, router string, want ...string) map[string]string {
	t.Helper()
	have := interfacesOf(t, router)
	var addresses []string
	for a := range have {
		addresses = append(addresses, a)
	}
	slices.Sort(addresses)
	if !slices.Equal(addresses, want) {
		t.Errorf("%s: the interfaces have %q, want %q", what, addresses, want)
	}
	return have
}

// TestBedRouterOfTwoVersions: a router gets into subnets of IPv6, of which those of one network share a port, and out of
// each of them without losing the others, or IPv4.
func TestBedRouterOfTwoVersions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	network, four, six := dualStack(t, b, "10.45.0.0/24", "2001:db8:b1::/64", values{})
	second := made(t, b, "subnet", values{"network": text(network), "cidr": text("2001:db8:b2::/64"), "ipv6_ra_mode": text("dhcpv6-stateful"), "ipv6_address_mode": text("dhcpv6-stateful")})
	third := made(t, b, "subnet", automaticSubnet(network, "2001:db8:b3::/64"))
	const ours, one, two, three = "10.45.0.1", "2001:db8:b1::", "2001:db8:b2::", "2001:db8:b3::"
	router := target(t, "router", unique("router"), values{"subnets": list(four)})
	set := func(subnets ...string) {
		was, written := router.Set["subnets"], cty.ListValEmpty(cty.String)
		if len(subnets) > 0 {
			written = list(subnets...)
		}
		router = with(t, router, values{"subnets": written})
		router.Complete, router.Set = true, map[string][]string{"subnets": append(slices.Clone(subnets), was...)}
		b.converge(t, &router)
		router.Set = map[string][]string{"subnets": subnets}
		b.settled(t, router, "/v2.0/routers", "/v2.0/ports")
	}
	b.converge(t, &router)
	router.Fresh = false
	set(four)
	expectInterfaces(t, "IPv4 alone", router.ID, ours)
	set(four, six)
	was := expectInterfaces(t, "an automatic subnet", router.ID, ours, one)
	set(six, second, four)
	now := expectInterfaces(t, "a second one of IPv6", router.ID, ours, one+" "+two)
	if was[ours] != now[ours] || was[one] != now[one+" "+two] {
		t.Errorf("the ports were %v, and are %v", was, now)
	}
	request(t, "network", http.MethodPut, "v2.0/routers/"+router.ID+"/add_router_interface", map[string]any{"subnet_id": third})
	b.settled(t, router, "/v2.0/routers", "/v2.0/ports")
	set(four, second)
	expectInterfaces(t, "the first one of IPv6 is out", router.ID, ours, two+" "+three)
	set(second)
	expectInterfaces(t, "IPv4 is out", router.ID, two+" "+three)
	if err := b.destroy(t.Context(), t, router); !unit.IsBlocked(err) || !strings.Contains(err.Error(), third) {
		t.Errorf("a router with an interface of others was deleted: %v", err)
	}
	request(t, "network", http.MethodPut, "v2.0/routers/"+router.ID+"/remove_router_interface", map[string]any{"subnet_id": third})

	// As older versions made it: a port that was no router's yet, so that Neutron gave it automatic addresses besides.
	old := foreign(t, "network", "v2.0/ports", "port", map[string]any{
		"network_id": network, "description": "[" + router.Mark + "]", "fixed_ips": []any{map[string]any{"subnet_id": four, "ip_address": ours}},
	})
	router = recorded(router, map[string][]string{"subnets": {second}})
	set()
	request(t, "network", http.MethodPut, "v2.0/routers/"+router.ID+"/add_router_interface", map[string]any{"port_id": old})
	set(four)
	set(four, second)
	if have := interfacesOf(t, router.ID); len(have) != 1 {
		t.Errorf("the interfaces have %v, want one port", have)
	}
	set(four)
	for addresses, port := range interfacesOf(t, router.ID) {
		if port != old || !strings.Contains(addresses, ours) || strings.Contains(addresses, two+" ") {
			t.Errorf("the port that IPv4 is on was %s, and is %s with %s", old, port, addresses)
		}
	}
	if err := b.destroy(t.Context(), t, router); err != nil {
		t.Error(err)
	}
}

// TestBedAutomaticAddresses: a colleague adds a subnet with automatic addresses to a network whose ports have written ones.
// That is no change of theirs; and what another client made there is exported so that it can be made again.
func TestBedAutomaticAddresses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	network, four := segment(t, b, "10.46.0.0/24", values{})
	port := target(t, "port", unique("port"), values{"network": text(network), "fixed_ip": objects(values{"subnet": text(four)})})
	b.converge(t, &port)
	six := made(t, b, "subnet", automaticSubnet(network, "2001:db8:b4::/64"))
	b.settled(t, port, "/v2.0/ports")
	if got := listTexts(b.see(t, port).Outputs.GetAttr("addresses")); len(got) != 2 {
		t.Errorf("its addresses are %q, want one of each version", got)
	}
	port = with(t, port, values{"fixed_ip": objects(values{"subnet": text(four)}, values{"subnet": text(four), "ip_address": text("10.46.0.46")})})
	b.converge(t, &port)
	b.settled(t, port, "/v2.0/ports")
	six6 := target(t, "port", unique("port"), values{"network": text(network), "fixed_ip": objects(values{"subnet": text(six)})})
	st := b.converge(t, &six6)
	b.settled(t, six6, "/v2.0/ports")
	if got := listTexts(st.Outputs.GetAttr("addresses")); len(got) != 1 || !strings.HasPrefix(got[0], "2001:db8:b4:") {
		t.Errorf("its addresses are %q, want the automatic one", got)
	}

	prefix := unique("export")
	p := newPerson(t)
	theirs := p.makes("network", "networks", "network", map[string]any{"name": prefix + "-web"})
	v4 := p.makes("network", "subnets", "subnet", map[string]any{"name": prefix + "-four", "network_id": theirs, "cidr": "10.47.0.0/24", "ip_version": 4})
	v6 := p.makes("network", "subnets", "subnet", map[string]any{"name": prefix + "-six", "network_id": theirs, "cidr": "2001:db8:b5::/64", "ip_version": 6, "ipv6_ra_mode": "slaac", "ipv6_address_mode": "slaac"})
	p.makes("network", "ports", "port", map[string]any{"name": prefix + "-both", "network_id": theirs})
	p.makes("network", "ports", "port", map[string]any{"name": prefix + "-alone", "network_id": theirs, "fixed_ips": []any{map[string]any{"subnet_id": v6}}})
	edge := p.makes("network", "routers", "router", map[string]any{"name": prefix + "-edge"})
	for _, subnet := range []string{v4, v6} {
		p.puts("network", "routers/"+edge+"/add_router_interface", map[string]any{"subnet_id": subnet})
	}
	for _, subnet := range []string{v4, v6} {
		afterwards(t, func(ctx context.Context) error {
			_, err := ask(ctx, t, "network", http.MethodPut, "v2.0/routers/"+edge+"/remove_router_interface", map[string]any{"subnet_id": subnet})
			return err
		})
	}
	live, _, err := b.Live(t.Context(), export.Kinds(language()))
	if err != nil {
		t.Fatal(err)
	}
	live = slices.DeleteFunc(live, func(o unit.Live) bool { return !strings.HasPrefix(o.Title, prefix) })
	result, hcl := adoptsAll(t, b.Driver, live, export.Selection{})
	if result.Objects != 6 || strings.Count(hcl, "fixed_ip {") != 2 || strings.Contains(hcl, "ff:fe") || strings.Count(hcl, `"slaac"`) != 2 {
		t.Errorf("%d objects:\n%s", result.Objects, hcl)
	}
	if !strings.Contains(hcl, fmt.Sprintf("fixed_ip {\n    subnet = subnet.%s-six\n  }", prefix)) {
		t.Errorf("the port with the automatic address alone does not say so:\n%s", hcl)
	}
}
