package openstack_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// objects are what is written as a list of objects or as nested blocks.
func objects(all ...values) cty.Value {
	types := map[string]cty.Type{}
	for _, one := range all {
		for name, v := range one {
			types[name] = v.Type()
		}
	}
	var elements []cty.Value
	for _, one := range all {
		parts := map[string]cty.Value{}
		for name, t := range types {
			if parts[name] = cty.NullVal(t); one[name] != cty.NilVal {
				parts[name] = one[name]
			}
		}
		elements = append(elements, cty.ObjectVal(parts))
	}
	return cty.ListVal(elements)
}

// altered returns a function that changes an object of Neutron as somebody else would.
func altered(path, key string, body map[string]any) func(*testing.T, string) {
	return func(t *testing.T, id string) {
		t.Helper()
		request(t, "network", http.MethodPut, "v2.0/"+path+"/"+id, map[string]any{key: body})
	}
}

// erased returns a function that deletes one.
func erased(path string) func(*testing.T, string) {
	return func(t *testing.T, id string) {
		t.Helper()
		request(t, "network", http.MethodDelete, "v2.0/"+path+"/"+id, nil)
	}
}

// segment makes a network with a subnet, and returns the ids of both.
func segment(t *testing.T, b *bench, cidr string, written values) (network, subnet string) {
	t.Helper()
	n := target(t, "network", unique("net"), written)
	b.converge(t, &n)
	s := target(t, "subnet", unique("sub"), values{"network": text(n.ID), "cidr": text(cidr), "enable_dhcp": cty.False})
	b.converge(t, &s)
	return n.ID, s.ID
}

// outsideNetwork makes an external network whose automatic addresses begin at 198.51.100.100: a router's would be the one that a test asks for
// now and then.
func outsideNetwork(t *testing.T, b *bench) string {
	t.Helper()
	n := target(t, "network", unique("net"), values{"external": cty.True})
	b.converge(t, &n)
	s := target(t, "subnet", unique("sub"), values{
		"network": text(n.ID), "cidr": text("198.51.100.0/24"), "enable_dhcp": cty.False,
		"allocation_pools": cty.ListVal([]cty.Value{cty.ObjectVal(values{"start": text("198.51.100.100"), "end": text("198.51.100.254")})}),
	})
	b.converge(t, &s)
	return n.ID
}

// dualStack makes a network with a subnet of IPv4, and one of IPv6 whose addresses are automatic.
func dualStack(t *testing.T, b *bench, four, six string, written values) (network, subnet, automatic string) {
	t.Helper()
	network, subnet = segment(t, b, four, written)
	return network, subnet, made(t, b, "subnet", automaticSubnet(network, six))
}

func automaticSubnet(network, cidr string) values {
	return values{"network": text(network), "cidr": text(cidr), "ipv6_address_mode": text("slaac"), "ipv6_ra_mode": text("slaac")}
}

// made makes an object and returns its id.
func made(t *testing.T, b *bench, kind string, written values) string {
	t.Helper()
	tg := target(t, kind, unique(kind), written)
	b.converge(t, &tg)
	return tg.ID
}

func networkLives() map[string]life {
	vlan := func(physical string, id int64) values {
		return values{"network_type": text("vlan"), "physical_network": text(physical), "segmentation_id": number(id)}
	}
	route := func(to string) values { return values{"destination": text(to), "next_hop": text("10.16.0.9")} }
	return map[string]life{
		"network of segments": {
			kind: "network", lists: []string{"/v2.0/networks"}, search: []string{"name"},
			needs:   func(t *testing.T, _ *bench) values { t.Helper(); alone(t, "vlans"); return values{} },
			first:   values{"segments": objects(vlan("physnet1", 1801), vlan("physnet2", 102), values{"network_type": text("vxlan")})},
			changed: values{"description": text("In two rooms"), "mtu": number(1400)},
			meddle:  altered("networks", "network", map[string]any{"description": "theirs"}), meddled: []string{"description"},
			vanish:   erased("networks"),
			replaced: values{"segments": objects(vlan("physnet1", 1803), vlan("physnet2", 102))},
		},
		"subnet": {
			kind: "subnet", lists: []string{"/v2.0/subnets"}, search: []string{"network", "cidr"},
			needs: func(t *testing.T, b *bench) values { return values{"network": text(made(t, b, "network", values{}))} },
			first: values{
				"cidr": text("10.18.0.0/24"), "description": text("Front"), "enable_dhcp": cty.False, "dns_nameservers": list("192.0.2.53"), "tags": set("a"),
				"host_routes": objects(values{"destination": text("10.19.0.0/16"), "next_hop": text("10.18.0.9")}),
			},
			changed: values{"description": text("Back"), "enable_dhcp": cty.True, "dns_nameservers": list("192.0.2.54", "192.0.2.53")},
			meddle:  altered("subnets", "subnet", map[string]any{"enable_dhcp": false, "host_routes": []any{}}), meddled: []string{"enable_dhcp", "host_routes"},
			vanish: erased("subnets"), replaced: values{"cidr": text("10.18.0.0/25")},
		},
		"subnet of IPv6": {
			kind: "subnet", lists: []string{"/v2.0/subnets"}, search: []string{"network", "ipv6_address_mode", "ipv6_ra_mode"},
			needs:   func(t *testing.T, b *bench) values { return values{"network": text(made(t, b, "network", values{}))} },
			first:   values{"cidr": text("2001:db8:18::/64"), "ipv6_address_mode": text("slaac"), "ipv6_ra_mode": text("slaac")},
			changed: values{"description": text("Back"), "dns_nameservers": list("2001:db8::53")},
			meddle:  altered("subnets", "subnet", map[string]any{"dns_nameservers": []any{}}), meddled: []string{"dns_nameservers"},
			vanish: erased("subnets"), replaced: values{"ipv6_address_mode": text("dhcpv6-stateless"), "ipv6_ra_mode": text("dhcpv6-stateless")},
		},
		"router beside automatic addresses": {
			kind: "router", lists: []string{"/v2.0/routers", "/v2.0/ports"}, search: []string{"name"},
			needs: func(t *testing.T, b *bench) values {
				outside, outer, _ := dualStack(t, b, "203.0.113.0/24", "2001:db8:a1::/64", values{"external": cty.True})
				_, inner, six := dualStack(t, b, "10.43.0.0/24", "2001:db8:a2::/64", values{})
				return values{"external_network": text(outside), "subnets": list(inner, six), "external_fixed_ip": objects(values{"subnet": text(outer)})}
			},
			first: values{}, changed: values{"description": text("Back"), "admin_state_up": cty.False},
			meddle: altered("routers", "router", map[string]any{"admin_state_up": true}), meddled: []string{"admin_state_up"},
			vanish: isolated, another: anotherProject,
		},
		"port beside automatic addresses": {
			kind: "port", lists: []string{"/v2.0/ports"}, search: []string{"name", "network"},
			needs: func(t *testing.T, b *bench) values {
				network, subnet, _ := dualStack(t, b, "10.44.0.0/24", "2001:db8:a3::/64", values{})
				return values{"network": text(network), "fixed_ip": objects(values{"subnet": text(subnet), "ip_address": text("10.44.0.9")})}
			},
			first: values{}, changed: values{"description": text("Back"), "admin_state_up": cty.False},
			meddle: altered("ports", "port", map[string]any{"admin_state_up": true}), meddled: []string{"admin_state_up"},
			vanish: erased("ports"), replaced: values{"mac_address": text("fa:16:3e:00:00:78")},
		},
		"router": {
			kind: "router", lists: []string{"/v2.0/routers", "/v2.0/ports"}, search: []string{"name"},
			needs: func(t *testing.T, b *bench) values {
				outside, outer := segment(t, b, "203.0.113.0/24", values{"external": cty.True})
				_, inner := segment(t, b, "10.16.0.0/24", values{})
				return values{
					"external_network": text(outside), "subnets": list(inner),
					"external_fixed_ip": objects(values{"subnet": text(outer), "ip_address": text("203.0.113.50")}),
				}
			},
			first:   values{"description": text("Front"), "enable_snat": cty.False, "tags": set("a"), "route": objects(route("10.20.0.0/16"))},
			changed: values{"description": text("Back"), "enable_snat": cty.True, "admin_state_up": cty.False, "route": objects(route("10.20.0.0/16"), route("10.21.0.0/16"))},
			meddle:  altered("routers", "router", map[string]any{"admin_state_up": true, "routes": []any{}}), meddled: []string{"admin_state_up", "route"},
			vanish: isolated, another: anotherProject,
		},
		"security group": {
			kind: "security_group", lists: []string{"/v2.0/security-groups"}, search: []string{"name"},
			first:   values{"description": text("Front"), "tags": set("a"), "rule": cty.ListVal([]cty.Value{ruleValue(80, "web"), ruleValue(443, "")})},
			changed: values{"description": text("Back"), "stateful": cty.False, "rule": cty.ListVal([]cty.Value{ruleValue(80, "site"), ruleValue(22, "")})},
			meddle:  ruleless(22), meddled: []string{"rule"},
			vanish: erased("security-groups"), another: anotherProject,
		},
		"port": {
			kind: "port",
			needs: func(t *testing.T, b *bench) values {
				network, subnet := segment(t, b, "10.11.0.0/24", values{})
				return values{
					"network": text(network), "security_groups": list(made(t, b, "security_group", values{})), "qos_policy": text(made(t, b, "qos_policy", values{})),
					"fixed_ip": objects(values{"subnet": text(subnet)}, values{"subnet": text(subnet), "ip_address": text("10.11.0.9")}),
				}
			},
			first: values{
				"description": text("Front"), "tags": set("a"), "allowed_address_pairs": objects(
					values{"ip_address": text("10.11.0.200/32")}, values{"ip_address": text("10.11.0.200"), "mac_address": text("FA:16:3E:00:00:09")}),
				"binding_profile": cty.MapVal(values{"a": text("1")}),
			},
			changed: values{
				"description": text("Back"), "admin_state_up": cty.False, "security_groups": cty.ListValEmpty(cty.String),
				"allowed_address_pairs": objects(values{"ip_address": text("10.12.0.0/24")}), "binding_profile": cty.MapVal(values{"a": text("2"), "b": text("3")}),
			},
			meddle:  altered("ports", "port", map[string]any{"allowed_address_pairs": []any{}, "admin_state_up": true}),
			meddled: []string{"admin_state_up", "allowed_address_pairs"},
			vanish:  erased("ports"), replaced: values{"mac_address": text("fa:16:3e:00:00:77")},
			lists: []string{"/v2.0/ports"}, search: []string{"name", "network"},
		},
		"floating IP": {
			kind: "floating_ip",
			needs: func(t *testing.T, b *bench) values {
				outside := outsideNetwork(t, b)
				network, subnet := segment(t, b, "10.13.0.0/24", values{})
				made(t, b, "router", values{"external_network": text(outside), "subnets": list(subnet)})
				return values{"floating_network": text(outside), "port": text(made(t, b, "port", values{"network": text(network)}))}
			},
			first:   values{"description": text("Front"), "address": text("198.51.100.77"), "tags": set("a")},
			changed: values{"description": text("Back"), "tags": set("a", "b")},
			meddle:  altered("floatingips", "floatingip", map[string]any{"port_id": nil}), meddled: []string{"port"},
			vanish: erased("floatingips"), replaced: values{"address": text("198.51.100.78")},
			lists: []string{"/v2.0/floatingips"}, search: []string{"address", "floating_network"},
		},
		"floating IP of one of several addresses": {
			kind: "floating_ip",
			needs: func(t *testing.T, b *bench) values {
				outside := outsideNetwork(t, b)
				network, subnet := segment(t, b, "10.45.0.0/24", values{})
				made(t, b, "router", values{"external_network": text(outside), "subnets": list(subnet)})
				return values{"floating_network": text(outside), "port": text(made(t, b, "port", values{"network": text(network), "fixed_ip": objects(
					values{"subnet": text(subnet), "ip_address": text("10.45.0.5")}, values{"subnet": text(subnet), "ip_address": text("10.45.0.6")})}))}
			},
			first:   values{"description": text("Front"), "address": text("198.51.100.87"), "fixed_ip": text("10.45.0.6")},
			changed: values{"description": text("Back"), "tags": set("a")},
			meddle:  altered("floatingips", "floatingip", map[string]any{"port_id": nil}), meddled: []string{"port", "fixed_ip"},
			vanish: erased("floatingips"), replaced: values{"address": text("198.51.100.88")},
			lists: []string{"/v2.0/floatingips"}, search: []string{"address", "floating_network"},
		},
		"trunk": {
			kind: "trunk",
			needs: func(t *testing.T, b *bench) values {
				network, _ := segment(t, b, "10.14.0.0/24", values{})
				parent, sub := made(t, b, "port", values{"network": text(network)}), made(t, b, "port", values{"network": text(network)})
				return values{"port": text(parent), "sub_port": objects(values{"port": text(sub), "segmentation_type": text("vlan"), "segmentation_id": number(101)})}
			},
			first:   values{"description": text("Front"), "tags": set("a")},
			changed: values{"description": text("Back"), "admin_state_up": cty.False, "name": text(unique("trunk"))},
			meddle:  altered("trunks", "trunk", map[string]any{"name": "other"}), meddled: []string{"name"},
			vanish: func(t *testing.T, id string) {
				t.Helper()
				altered("trunks", "trunk", map[string]any{"admin_state_up": true})(t, id)
				erased("trunks")(t, id)
			},
			another: func(t *testing.T, b *bench) values {
				network, _ := segment(t, b, "10.17.0.0/24", values{})
				return values{"port": text(made(t, b, "port", values{"network": text(network)}))}
			},
			lists: []string{"/v2.0/trunks"}, search: []string{"port"},
		},
		"subnet pool": {
			kind: "subnet_pool",
			first: values{
				"description": text("Front"), "prefixes": list("10.80.0.0/17", "10.80.128.0/17", "10.80.4.0/24"), "min_prefix_length": number(20),
				"max_prefix_length": number(28), "default_prefix_length": number(24), "default_quota": number(512), "tags": set("a"),
			},
			changed: values{"prefixes": list("10.82.0.0/16", "10.80.0.0/16"), "default_prefix_length": number(26), "max_prefix_length": number(29), "default_quota": number(1024)},
			meddle:  altered("subnetpools", "subnetpool", map[string]any{"default_prefixlen": 25}), meddled: []string{"default_prefix_length"},
			vanish: erased("subnetpools"), replaced: values{"shared": cty.True}, lists: []string{"/v2.0/subnetpools"}, search: []string{"name"},
		},
		"subnet pool with the usual default": {
			kind: "subnet_pool", first: values{"prefixes": list("10.84.0.0/16")}, changed: values{"min_prefix_length": number(20)},
			meddle: altered("subnetpools", "subnetpool", map[string]any{"min_prefixlen": 18}), meddled: []string{"min_prefix_length"},
			vanish: erased("subnetpools"), replaced: values{"shared": cty.True}, lists: []string{"/v2.0/subnetpools"}, search: []string{"name"},
		},
		"subnet of a pool": {
			kind: "subnet",
			needs: func(t *testing.T, b *bench) values {
				pool := made(t, b, "subnet_pool", values{"prefixes": list("2001:db8:40::/48"), "default_prefix_length": number(64)})
				return values{"network": text(made(t, b, "network", values{})), "subnet_pool": text(pool)}
			},
			first: values{"enable_dhcp": cty.False}, changed: values{"description": text("Back")},
			meddle: altered("subnets", "subnet", map[string]any{"enable_dhcp": true}), meddled: []string{"enable_dhcp"},
			vanish: erased("subnets"), replaced: values{"prefix_length": number(72)}, lists: []string{"/v2.0/subnets"}, search: []string{"subnet_pool"},
		},
		"address scope": {
			kind: "address_scope", unmarked: true,
			first: values{"ip_version": number(4)}, changed: values{"name": text(unique("scope"))},
			meddle: altered("address-scopes", "address_scope", map[string]any{"name": "other"}), meddled: []string{"name"},
			vanish: erased("address-scopes"), replaced: values{"ip_version": number(6)}, lists: []string{"/v2.0/address-scopes"}, search: []string{"name", "ip_version"},
		},
		"QoS policy": {
			kind: "qos_policy",
			first: values{
				"description": text("Front"), "dscp_mark": number(26), "tags": set("a"),
				"bandwidth_limit":   objects(values{"direction": text("egress"), "max_kbps": number(1000)}, values{"direction": text("ingress"), "max_kbps": number(2000), "max_burst_kbps": number(1500)}),
				"minimum_bandwidth": objects(values{"direction": text("egress"), "min_kbps": number(100)}),
			},
			changed: values{
				"description": text("Back"), "shared": cty.True, "dscp_mark": number(28),
				"bandwidth_limit": objects(values{"direction": text("egress"), "max_kbps": number(1200), "max_burst_kbps": number(900)}),
			},
			meddle: altered("qos/policies", "policy", map[string]any{"shared": false}), meddled: []string{"shared"},
			vanish: erased("qos/policies"), another: anotherProject, lists: []string{"/v2.0/qos/policies"}, search: []string{"name"},
		},
		"RBAC policy": {
			kind: "rbac_policy", unmarked: true,
			needs: func(t *testing.T, b *bench) values {
				return values{"object": text(made(t, b, "network", values{})), "target": text(made(t, b, "project", values{}))}
			},
			first: values{"object_type": text("network"), "action": text("access_as_shared")}, changed: values{"target": text("*")},
			meddle: altered("rbac-policies", "rbac_policy", map[string]any{"target_tenant": strings.Repeat("ab", 16)}), meddled: []string{"target"},
			vanish: erased("rbac-policies"), lists: []string{"/v2.0/rbac-policies"}, search: []string{"object", "target"},
			another: func(t *testing.T, b *bench) values { return values{"object": text(made(t, b, "network", values{}))} },
		},
	}
}

// isolated takes interfaces and routes away from a router, as one that has some stays, and deletes it.
func isolated(t *testing.T, id string) {
	t.Helper()
	altered("routers", "router", map[string]any{"routes": []any{}})(t, id)
	ports, _ := request(t, "network", http.MethodGet, "v2.0/ports?device_owner=network:router_interface&device_id="+id, nil)["ports"].([]any)
	for _, p := range ports {
		port := map[string]any{"port_id": p.(map[string]any)["id"]}
		request(t, "network", http.MethodPut, "v2.0/routers/"+id+"/remove_router_interface", port)
	}
	erased("routers")(t, id)
}

// ruleless takes the rules for a port away from a security group.
func ruleless(port int) func(*testing.T, string) {
	return func(t *testing.T, id string) {
		t.Helper()
		path := fmt.Sprintf("v2.0/security-group-rules?port_range_min=%d&security_group_id=%s", port, id)
		rules, _ := request(t, "network", http.MethodGet, path, nil)["security_group_rules"].([]any)
		for _, r := range rules {
			erased("security-group-rules")(t, r.(map[string]any)["id"].(string))
		}
	}
}
