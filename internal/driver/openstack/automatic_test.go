package openstack_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	fourAddress, autoAddress = "10.44.0.2", "2001:db8:44:0:f816:3eff:fefd:dca6"
	plainAddress             = "2001:db8:45::5"
)

func at(subnet, address string) map[string]any {
	return map[string]any{"subnet_id": subnet, "ip_address": address}
}

// sixSubnets are s6, whose addresses are automatic, and s7, whose are not. It counts how often they are asked for.
func sixSubnets(asked *int, mutex *sync.Mutex) func(*http.Request) any {
	return func(*http.Request) any {
		mutex.Lock()
		defer mutex.Unlock()
		*asked++
		return map[string]any{"subnets": []any{
			map[string]any{"id": "s6", "ipv6_address_mode": "slaac", "ipv6_ra_mode": nil},
			map[string]any{"id": "s7", "ipv6_address_mode": "dhcpv6-stateful", "ipv6_ra_mode": "dhcpv6-stateful"},
		}}
	}
}

// TestAutomaticAddressesAreNoDifference: Neutron gives a port, and the gateway of a router, an address of each subnet with
// automatic addresses besides those that are asked for, and takes none of them away. Which those subnets are is asked once.
func TestAutomaticAddressesAreNoDifference(t *testing.T) {
	t.Parallel()
	four := values{"subnet": text("s4")}
	for name, c := range map[string]struct {
		want   []values
		have   []any
		asked  int
		action unit.Action
	}{
		"one of IPv4":            {[]values{four}, []any{at("s4", fourAddress), at("s6", autoAddress)}, 1, unit.ActionNone},
		"IPv4 alone":             {[]values{four}, []any{at("s4", fourAddress)}, 0, unit.ActionNone},
		"the automatic one":      {[]values{{"subnet": text("s6")}}, []any{at("s6", autoAddress)}, 0, unit.ActionNone},
		"both":                   {[]values{four, {"subnet": text("s6")}}, []any{at("s6", autoAddress), at("s4", fourAddress)}, 0, unit.ActionNone},
		"as old exports have it": {[]values{four, {"subnet": text("s6"), "ip_address": text("2001:DB8:44::f816:3eff:fefd:dca6")}}, []any{at("s4", fourAddress), at("s6", autoAddress)}, 0, unit.ActionNone},
		"nothing is written":     {nil, []any{at("s4", fourAddress), at("s6", autoAddress)}, 0, unit.ActionNone},
		"one of ordinary IPv6":   {[]values{four}, []any{at("s4", fourAddress), at("s7", plainAddress)}, 1, unit.ActionBlocked},
		"one more is wanted":     {[]values{four, {"subnet": text("s4"), "ip_address": text("10.44.0.9")}}, []any{at("s4", fourAddress), at("s6", autoAddress)}, 1, unit.ActionUpdate},
		"not known yet":          {[]values{{"subnet": cty.UnknownVal(cty.String)}}, []any{at("s4", fourAddress), at("s6", autoAddress)}, 1, unit.ActionNone},
		"perhaps that one":       {[]values{four, {"subnet": cty.UnknownVal(cty.String)}}, []any{at("s4", fourAddress), at("s6", autoAddress)}, 1, unit.ActionNone},
	} {
		for _, kind := range []string{"port", "router"} {
			t.Run(kind+", "+name, func(t *testing.T) {
				t.Parallel()
				written, block := values{"network": text("n1")}, "fixed_ip"
				if kind == "router" {
					written, block = values{"external_network": text("n1")}, "external_fixed_ip"
				}
				if len(c.want) > 0 {
					written[block] = objects(c.want...)
				}
				tg := known(t, kind, "x1", written)
				one := map[string]any{
					"id": "x1", "name": tg.Address.Name(), "network_id": "n1", "project_id": "p1", "description": "[" + tg.Mark + "]", "tags": []any{}, "routes": []any{},
					"fixed_ips": c.have, "external_gateway_info": map[string]any{"network_id": "n1", "external_fixed_ips": c.have},
				}
				var asked int
				var mutex sync.Mutex
				ports := listed("ports", one)
				if kind == "router" {
					ports = listed("ports")
				}
				b := &bench{Driver: answering(t, map[string]func(*http.Request) any{
					"/v2.0/routers": listed("routers", one), "/v2.0/ports": ports, "/v2.0/subnets": sixSubnets(&asked, &mutex),
				})}
				u := &unit.Unit{Address: tg.Address, Class: unit.ClassResource, Spec: tg.Spec}
				for range 2 {
					change := plan.Decide(u, &inventory.Entry{Address: u.Address, Phase: inventory.Owned}, tg, wantedOf(tg), b.see(t, tg), b.Compare)
					if change.Action != c.action {
						t.Errorf("got %s: %s of %+v", change.Action, change.Reason, change.Fields)
					}
				}
				if asked != c.asked {
					t.Errorf("subnets were listed %d times, want %d", asked, c.asked)
				}
			})
		}
	}
}

// TestAutomaticAddressesThatCannotBeTold: what is not known is no difference either, and not taken for nothing.
func TestAutomaticAddressesThatCannotBeTold(t *testing.T) {
	t.Parallel()
	tg := known(t, "port", "x1", values{"network": text("n1"), "fixed_ip": objects(values{"subnet": text("s4")})})
	d := answering(t, map[string]func(*http.Request) any{
		"/v2.0/ports": listed("ports", map[string]any{
			"id": "x1", "name": tg.Address.Name(), "network_id": "n1", "project_id": "p1", "description": "[" + tg.Mark + "]", "tags": []any{},
			"fixed_ips": []any{at("s4", fourAddress), at("s6", autoAddress)},
		}),
		"/v2.0/subnets": func(*http.Request) any { return http.StatusForbidden },
	})
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if err == nil || !strings.Contains(err.Error(), "addresses by themselves") {
		t.Errorf("it says %v", err)
	}
	if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != unit.ActionUnknown || len(diff.Fields) > 0 {
		t.Errorf("got %s of %+v", diff.Action, diff.Fields)
	}
}

// TestExportOfAutomaticAddresses: Neutron takes none that is written, so that exports do not have them.
func TestExportOfAutomaticAddresses(t *testing.T) {
	t.Parallel()
	answers := whole()
	mode := func(id, cidr string, mode any) map[string]any {
		return map[string]any{"id": idOf(id), "name": "of " + id, "project_id": idOf("a1"), "network_id": idOf("a4"), "cidr": cidr, "ip_version": 6, "enable_dhcp": true, "ipv6_address_mode": mode, "ipv6_ra_mode": mode}
	}
	port := func(id string, addresses ...any) map[string]any {
		return map[string]any{"id": idOf(id), "name": "port " + id, "project_id": idOf("a1"), "network_id": idOf("a4"), "fixed_ips": addresses, "mac_address": "fa:16:3e:fd:dc:a6", "admin_state_up": true, "security_groups": []any{}, "port_security_enabled": true}
	}
	subnets, _ := answers["/v2.0/subnets"](nil).(map[string]any)["subnets"].([]map[string]any)
	answers["/v2.0/subnets"] = listed("subnets", append(slices.Clone(subnets), mode("46", "2001:db8:44::/64", "slaac"), mode("47", "2001:db8:45::/64", "dhcpv6-stateful"))...)
	answers["/v2.0/ports"] = listed("ports",
		port("51", at(idOf("a5"), "10.1.0.5"), at(idOf("46"), autoAddress), at(idOf("47"), plainAddress)), port("52", at(idOf("46"), autoAddress)))
	delete(answers, "/v2.0/floatingips")
	answers["/v2.0/floatingips"], answers["/v2.0/trunks"] = listed("floatingips"), listed("trunks")
	d := answering(t, answers)
	live, _, err := d.Live(t.Context(), []string{"project", "network", "subnet", "port", "subnet_pool", "address_scope", "qos_policy", "security_group"})
	if err != nil {
		t.Fatal(err)
	}
	_, hcl := adoptsAll(t, d, live, export.Selection{})
	for part, n := range map[string]int{autoAddress: 0, plainAddress: 1, "fixed_ip {": 3, `ipv6_ra_mode      = "slaac"`: 1, `ipv6_address_mode = "dhcpv6-stateful"`: 1} {
		if got := strings.Count(hcl, part); got != n {
			t.Errorf("%q is there %d times, want %d:\n%s", part, got, n, hcl)
		}
	}
}

// TestInterfacesOfIPv6: the subnets of IPv6 of a network share a port of the router. What goes is taken off it, and what
// Neutron has put beside IPv4 by itself is nobody's.
func TestInterfacesOfIPv6(t *testing.T) {
	t.Parallel()
	four, auto := at("s4", "10.44.0.1"), at("s6", autoAddress)
	first, second := at("s6", "2001:db8:44::"), at("s7", "2001:db8:45::")
	ours := func(addresses ...any) []any { return addresses }
	for name, c := range map[string]struct {
		ports  map[string][]any // ours, but p9
		want   []string
		set    []string
		action unit.Action
		took   []string
	}{
		"nobody's beside IPv4":            {map[string][]any{"p1": ours(four, auto)}, []string{"s4"}, []string{"s4"}, unit.ActionNone, nil},
		"both on one port":                {map[string][]any{"p1": ours(four, auto)}, []string{"s4", "s6"}, []string{"s4", "s6"}, unit.ActionNone, nil},
		"IPv6 is taken out":               {map[string][]any{"p1": ours(four, auto)}, []string{"s4"}, []string{"s4", "s6"}, unit.ActionUpdate, []string{"remove_router_interface subnet_id=s6"}},
		"IPv4 is taken out":               {map[string][]any{"p1": ours(four, auto)}, []string{"s6"}, []string{"s4", "s6"}, unit.ActionUpdate, []string{"remove_router_interface port_id=p1", "ports 2001:db8:44::", "add_router_interface port_id=p0"}},
		"one of two":                      {map[string][]any{"p1": ours(first, second)}, []string{"s6"}, []string{"s6", "s7"}, unit.ActionUpdate, []string{"remove_router_interface subnet_id=s7"}},
		"one that others have added":      {map[string][]any{"p1": ours(first, second)}, []string{"s6"}, []string{"s6"}, unit.ActionNone, nil},
		"both, and nothing is on record":  {map[string][]any{"p1": ours(first, second)}, []string{}, nil, unit.ActionUpdate, []string{"remove_router_interface subnet_id=s6", "remove_router_interface subnet_id=s7"}},
		"two are wanted":                  {nil, []string{"s6", "s7"}, nil, unit.ActionUpdate, []string{"ports 2001:db8:44::", "add_router_interface port_id=p0", "add_router_interface subnet_id=s7"}},
		"a second one is wanted":          {map[string][]any{"p1": ours(first)}, []string{"s6", "s7"}, []string{"s6"}, unit.ActionUpdate, []string{"add_router_interface subnet_id=s7"}},
		"beside one of others":            {map[string][]any{"p9": ours(first)}, []string{"s7"}, nil, unit.ActionUpdate, []string{"add_router_interface subnet_id=s7"}},
		"IPv4 comes after them":           {map[string][]any{"p1": ours(first, second)}, []string{"s6", "s7", "s4"}, []string{"s6", "s7"}, unit.ActionUpdate, []string{"ports 10.44.0.1", "add_router_interface port_id=p0"}},
		"another one in place of the one": {map[string][]any{"p1": ours(first)}, []string{"s7"}, []string{"s6"}, unit.ActionUpdate, []string{"remove_router_interface subnet_id=s6", "ports 2001:db8:45::", "add_router_interface port_id=p0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := values{"subnets": cty.ListValEmpty(cty.String)}
			if len(c.want) > 0 {
				written["subnets"] = list(c.want...)
			}
			tg := known(t, "router", "r1", written)
			tg.Set, tg.Complete = map[string][]string{"subnets": c.set}, true
			cloud := &sixRouter{mark: tg.Mark, ports: maps.Clone(c.ports)}
			b := &bench{Driver: answering(t, cloud.answers(tg.Address.Name()))}
			st, diff := b.compare(t, tg)
			if diff.Action != c.action {
				t.Fatalf("got %s of %+v", diff.Action, diff.Fields)
			}
			if diff.Action == unit.ActionNone {
				return
			}
			if _, err := b.Apply(t.Context(), tg, wantedOf(tg), st); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(cloud.took, c.took) {
				t.Errorf("it took %q, want %q", cloud.took, c.took)
			}
			if _, diff := b.compare(t, tg); diff.Action != unit.ActionNone {
				t.Errorf("afterwards %s of %+v", diff.Action, diff.Fields)
			}
		})
	}
}

// sixRouter is a router with interfaces as Neutron has them.
type sixRouter struct {
	mark  string
	mutex sync.Mutex
	ports map[string][]any
	took  []string
	made  []any // the addresses of the port that no router has
}

func (c *sixRouter) answers(name string) map[string]func(*http.Request) any {
	router := map[string]any{"id": "r1", "name": name, "project_id": "p1", "description": "[" + c.mark + "]", "tags": []any{}, "routes": []any{}}
	gateways := map[string]string{"s4": "10.44.0.1", "s6": "2001:db8:44::", "s7": "2001:db8:45::"}
	all := map[string]func(*http.Request) any{
		"/v2.0/routers":    listed("routers", router),
		"/v2.0/routers/r1": func(*http.Request) any { return map[string]any{"router": router} },
		"/v2.0/ports": func(r *http.Request) any {
			c.mutex.Lock()
			defer c.mutex.Unlock()
			list := []any{}
			for id, addresses := range c.ports {
				description := "[" + c.mark + "]"
				if id == "p9" {
					description = ""
				}
				if !r.URL.Query().Has("description") {
					list = append(list, map[string]any{"id": id, "network_id": "n1", "device_id": "r1", "device_owner": "network:router_interface", "description": description, "fixed_ips": addresses})
				}
			}
			return map[string]any{"ports": list}
		},
		"POST /v2.0/ports": func(r *http.Request) any {
			var body struct {
				Port struct {
					Owner string           `json:"device_owner"`
					IPs   []map[string]any `json:"fixed_ips"`
				} `json:"port"`
			}
			if json.NewDecoder(r.Body).Decode(&body) != nil || body.Port.Owner != "network:router_interface" {
				return http.StatusBadRequest // an address in an automatic subnet is for a router's port alone
			}
			c.mutex.Lock()
			defer c.mutex.Unlock()
			c.took, c.made = append(c.took, "ports "+body.Port.IPs[0]["ip_address"].(string)), []any{body.Port.IPs[0]}
			return map[string]any{"port": map[string]any{"id": "p0"}}
		},
	}
	for id, gateway := range gateways {
		all["/v2.0/subnets/"+id] = func(*http.Request) any {
			return map[string]any{"subnet": map[string]any{"id": id, "network_id": "n1", "gateway_ip": gateway}}
		}
	}
	change := func(action string, then func(port, subnet string) any) {
		all["PUT /v2.0/routers/r1/"+action] = func(r *http.Request) any {
			var body map[string]string
			if json.NewDecoder(r.Body).Decode(&body) != nil {
				return http.StatusBadRequest
			}
			c.mutex.Lock()
			defer c.mutex.Unlock()
			for key, value := range body {
				c.took = append(c.took, action+" "+key+"="+value)
			}
			return then(body["port_id"], body["subnet_id"])
		}
	}
	change("add_router_interface", func(port, subnet string) any {
		if c.ports == nil {
			c.ports = map[string][]any{}
		}
		if port != "" {
			c.ports[port] = c.made
			return map[string]any{"port_id": port}
		}
		for id, addresses := range c.ports {
			if slices.ContainsFunc(addresses, func(a any) bool { return strings.Contains(a.(map[string]any)["ip_address"].(string), ":") }) {
				c.ports[id] = append(slices.Clone(addresses), at(subnet, gateways[subnet]))
				return map[string]any{"port_id": id}
			}
		}
		return http.StatusBadRequest
	})
	change("remove_router_interface", func(port, subnet string) any {
		delete(c.ports, port)
		for id, addresses := range c.ports {
			left := slices.DeleteFunc(slices.Clone(addresses), func(a any) bool { return a.(map[string]any)["subnet_id"] == subnet })
			if c.ports[id] = left; len(left) == 0 {
				delete(c.ports, id)
			}
		}
		return map[string]any{}
	})
	return all
}
