package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// recorded is the target as the engine hands it over once it was complete: with what is on record as ours.
func recorded(tg unit.Target, set map[string][]string) unit.Target {
	tg.Complete, tg.Set = true, set
	return tg
}

// one makes an object of Neutron as somebody else would, which goes with what it is a part of.
func one(t *testing.T, path, key string, body map[string]any) {
	t.Helper()
	request(t, "network", http.MethodPost, "v2.0/"+path, map[string]any{key: body})
}

func blocksAt(st unit.State, name, attribute string) string {
	var found []string
	for _, v := range st.Outputs.GetAttr(name).AsValueSlice() {
		switch part := v.GetAttr(attribute); part.Type() {
		case cty.Number:
			found = append(found, part.AsBigFloat().String())
		default:
			found = append(found, part.AsString())
		}
	}
	return strings.Join(found, " ")
}

// TestBedRulesOfAPolicy: our rules come, change and go; those of others stay.
func TestBedRulesOfAPolicy(t *testing.T) {
	b := newBench(t)
	egress := objects(values{"direction": text("egress"), "max_kbps": number(1000), "max_burst_kbps": number(800)})
	policy := target(t, "qos_policy", unique("policy"), values{"bandwidth_limit": egress})
	b.converge(t, &policy)
	one(t, "qos/policies/"+policy.ID+"/bandwidth_limit_rules", "bandwidth_limit_rule", map[string]any{"direction": "ingress", "max_kbps": 77})
	policy = recorded(policy, map[string][]string{"bandwidth_limit": {"egress"}})
	b.settled(t, policy, "/v2.0/qos/policies")
	policy = with(t, policy, values{"bandwidth_limit": objects(values{"direction": text("egress"), "max_kbps": number(3000)})})
	if got := blocksAt(b.converge(t, &policy), "bandwidth_limit", "max_kbps"); !strings.Contains(got, "3000") || !strings.Contains(got, "77") {
		t.Errorf("the limits are %s", got)
	}
	policy = with(t, policy, values{"bandwidth_limit": emptyBlocks("qos_policy", "bandwidth_limit")})
	_, diff := b.compare(t, policy)
	expectDiff(t, "our rule is taken out", diff, unit.ActionUpdate, []string{"bandwidth_limit"})
	if got := blocksAt(b.converge(t, &policy), "bandwidth_limit", "max_kbps"); got != "77" {
		t.Errorf("the limits are %s, want the foreign one", got)
	}
	b.settled(t, policy, "/v2.0/qos/policies")
	network := target(t, "network", unique("net"), values{"qos_policy": text(policy.ID)})
	b.converge(t, &network)
	b.settled(t, network, "/v2.0/networks")
	if err := b.destroy(t.Context(), t, policy); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "bandwidth_limit ingress") {
		t.Errorf("a policy with a rule of others was deleted: %v", err)
	}
	for _, rule := range objectsOf(request(t, "network", http.MethodGet, "v2.0/qos/policies/"+policy.ID+"/bandwidth_limit_rules", nil)["bandwidth_limit_rules"]) {
		request(t, "network", http.MethodDelete, "v2.0/qos/policies/"+policy.ID+"/bandwidth_limit_rules/"+rule["id"].(string), nil)
	}
	if err := b.destroy(t.Context(), t, policy); err == nil {
		t.Error("a policy that a network uses was deleted")
	}
}

func objectsOf(v any) []map[string]any {
	var all []map[string]any
	list, _ := v.([]any)
	for _, one := range list {
		object, _ := one.(map[string]any)
		all = append(all, object)
	}
	return all
}

// TestBedGroupWithRulesOfOthers: a group changes in place, and stays as long as it has a rule that others have added.
func TestBedGroupWithRulesOfOthers(t *testing.T) {
	b := newBench(t)
	group := target(t, "security_group", unique("group"), values{"rule": cty.ListVal([]cty.Value{ruleValue(80, "web")})})
	b.converge(t, &group)
	group = with(t, group, values{"stateful": cty.False})
	_, diff := b.compare(t, group)
	expectDiff(t, "another kind of rules", diff, unit.ActionUpdate, []string{"stateful"})
	b.converge(t, &group)
	b.settled(t, group, "/v2.0/security-groups")
	theirs := foreign(t, "network", "v2.0/security-group-rules", "security_group_rule", map[string]any{
		"security_group_id": group.ID, "direction": "ingress", "ethertype": "IPv4", "protocol": "tcp", "port_range_min": 22, "port_range_max": 22,
	})
	if err := b.destroy(t.Context(), t, group); !unit.IsBlocked(err) || !strings.Contains(err.Error(), theirs) {
		t.Errorf("the rule of others: %v", err)
	}
	request(t, "network", http.MethodDelete, "v2.0/security-group-rules/"+theirs, nil)
	if err := b.destroy(t.Context(), t, group); err != nil {
		t.Errorf("it stays: %v", err)
	}
}

func emptyBlocks(kind, name string) cty.Value {
	return cty.ListValEmpty(language().Resource(kind).Nested(name).ValueType().ElementType())
}

// TestBedSubPorts: our sub-ports come, change and go; a trunk with those of others stays.
func TestBedSubPorts(t *testing.T) {
	b := newBench(t)
	network, _ := segment(t, b, "10.21.0.0/24", values{})
	port := func() string { return made(t, b, "port", values{"network": text(network)}) }
	parent, first, second := port(), port(), port()
	sub := func(port string, tag int64) values {
		return values{"port": text(port), "segmentation_type": text("vlan"), "segmentation_id": number(tag)}
	}
	trunk := target(t, "trunk", unique("trunk"), values{"port": text(parent), "sub_port": objects(sub(first, 101))})
	b.converge(t, &trunk)
	foreignPort := foreign(t, "network", "v2.0/ports", "port", map[string]any{"network_id": network})
	request(t, "network", http.MethodPut, "v2.0/trunks/"+trunk.ID+"/add_subports", map[string]any{
		"sub_ports": []any{map[string]any{"port_id": foreignPort, "segmentation_type": "vlan", "segmentation_id": 200}},
	})
	trunk = recorded(trunk, map[string][]string{"sub_port": {first}})
	b.settled(t, trunk, "/v2.0/trunks")
	trunk = with(t, trunk, values{"sub_port": objects(sub(first, 102), sub(second, 103))})
	b.converge(t, &trunk)
	trunk = recorded(with(t, trunk, values{"sub_port": objects(sub(second, 103)), "admin_state_up": cty.False}), map[string][]string{"sub_port": {first, second}})
	_, diff := b.compare(t, trunk)
	expectDiff(t, "a sub-port is taken out", diff, unit.ActionUpdate, []string{"admin_state_up", "sub_port"})
	if got := blocksAt(b.converge(t, &trunk), "sub_port", "port"); strings.Contains(got, first) || !strings.Contains(got, second) || !strings.Contains(got, foreignPort) {
		t.Errorf("the sub-ports are %s", got)
	}
	b.settled(t, trunk, "/v2.0/trunks")
	if err := b.destroy(t.Context(), t, trunk); !unit.IsBlocked(err) || !strings.Contains(err.Error(), foreignPort) {
		t.Errorf("a foreign sub-port was cut off: %v", err)
	}
	trunk = with(t, trunk, values{"admin_state_up": cty.True})
	b.converge(t, &trunk)
	request(t, "network", http.MethodPut, "v2.0/trunks/"+trunk.ID+"/remove_subports", map[string]any{"sub_ports": []any{map[string]any{"port_id": foreignPort}}})
}

// TestBedSubPortInherits: a sub-port that had a tag of its own gets that of its network.
func TestBedSubPortInherits(t *testing.T) {
	b := newBench(t)
	network, _ := segment(t, b, "10.34.0.0/24", values{})
	tagged := made(t, b, "network", values{
		"mtu": number(1400), "provider_network_type": text("vlan"), "provider_physical_network": text("physnet1"), "provider_segmentation_id": number(777),
	})
	parent, sub := made(t, b, "port", values{"network": text(network)}), made(t, b, "port", values{"network": text(tagged)})
	trunk := target(t, "trunk", unique("trunk"), values{
		"port": text(parent), "sub_port": objects(values{"port": text(sub), "segmentation_type": text("vlan"), "segmentation_id": number(101)}),
	})
	b.converge(t, &trunk)
	trunk = with(t, trunk, values{"sub_port": objects(values{"port": text(sub), "segmentation_type": text("inherit")})})
	_, diff := b.compare(t, trunk)
	expectDiff(t, "it inherits", diff, unit.ActionUpdate, []string{"sub_port"})
	if got := blocksAt(b.converge(t, &trunk), "sub_port", "segmentation_id"); got != "777" {
		t.Errorf("its tag is %s, want that of the network", got)
	}
	b.settled(t, trunk, "/v2.0/trunks", "/v2.0/ports", "/v2.0/networks")
}

// TestBedRoutesAndOuterAddresses: our routes come and go, those of others stay; the gateway has the address that
// is written.
func TestBedRoutesAndOuterAddresses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	outside, outer := segment(t, b, "203.0.113.0/24", values{"external": cty.True})
	_, subnet := segment(t, b, "10.22.0.0/24", values{})
	route := func(to, by string) values { return values{"destination": text(to), "next_hop": text(by)} }
	router := target(t, "router", unique("router"), values{
		"external_network": text(outside), "subnets": list(subnet),
		"external_fixed_ip": objects(values{"subnet": text(outer), "ip_address": text("203.0.113.50")}),
		"route":             objects(route("10.23.0.0/16", "10.22.0.9")),
	})
	b.converge(t, &router)
	b.settled(t, router, "/v2.0/routers", "/v2.0/ports")
	request(t, "network", http.MethodPut, "v2.0/routers/"+router.ID+"/add_extraroutes", map[string]any{
		"router": map[string]any{"routes": []any{map[string]any{"destination": "10.29.0.0/16", "nexthop": "10.22.0.8"}}},
	})
	router = recorded(router, map[string][]string{"route": {"10.23.0.0/16 10.22.0.9"}})
	b.settled(t, router, "/v2.0/routers", "/v2.0/ports")
	router = with(t, router, values{
		"route":             objects(route("10.24.0.0/16", "10.22.0.9")),
		"external_fixed_ip": objects(values{"ip_address": text("203.0.113.51"), "subnet": text(outer)}),
	})
	st := b.converge(t, &router)
	if got := blocksAt(st, "route", "destination"); !strings.Contains(got, "10.24.0.0/16") || !strings.Contains(got, "10.29.0.0/16") || strings.Contains(got, "10.23.0.0/16") {
		t.Errorf("the routes are %s", got)
	}
	if got := blocksAt(st, "external_fixed_ip", "ip_address"); got != "203.0.113.51" {
		t.Errorf("the gateway has %s", got)
	}
	b.settled(t, router, "/v2.0/routers", "/v2.0/ports")
	router = recorded(with(t, router, values{"route": emptyBlocks("router", "route")}), map[string][]string{"route": {"10.24.0.0/16 10.22.0.9"}})
	if got := blocksAt(b.converge(t, &router), "route", "destination"); got != "10.29.0.0/16" {
		t.Errorf("the routes are %s, want the foreign one", got)
	}
	if err := b.destroy(t.Context(), t, router); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "10.29.0.0/16") {
		t.Errorf("a foreign route was taken away: %v", err)
	}
	request(t, "network", http.MethodPut, "v2.0/routers/"+router.ID, map[string]any{"router": map[string]any{"routes": []any{}}})
}

// TestBedPortsOfAnInstance: an instance has a port of its own and one of the configuration, and an address outside
// that leads to the one, then to the other.
func TestBedPortsOfAnInstance(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	outside, _ := segment(t, b, "192.0.2.0/24", values{"external": cty.True})
	network, subnet := segment(t, b, "10.25.0.0/24", values{})
	second, other := segment(t, b, "10.26.0.0/24", values{})
	made(t, b, "router", values{"external_network": text(outside), "subnets": list(subnet, other)})
	group, own := made(t, b, "security_group", values{}), made(t, b, "security_group", values{})
	port := target(t, "port", unique("port"), values{
		"network": text(network), "security_groups": list(group), "fixed_ip": objects(values{"subnet": text(subnet), "ip_address": text("10.25.0.40")}),
	})
	b.converge(t, &port)
	url, checksum := b.disk(t, 1<<20)
	image := target(t, "image", unique("image"), values{
		"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare"),
	})
	b.converge(t, &image)
	flavor := smallFlavor(t)
	b.converge(t, &flavor)
	server := target(t, "instance", unique("vm"), values{
		"image": text(image.ID), "flavor": text(flavor.ID), "networks": list(second), "ports": list(port.ID), "security_groups": list(own),
	})
	st := b.converge(t, &server)
	if got := listTexts(st.Outputs.GetAttr("ports")); len(got) != 2 || got[1] != port.ID {
		t.Errorf("the ports are %v", got)
	}
	b.settled(t, server, "/v2.1/servers/detail", "/v2.0/ports")
	b.settled(t, port, "/v2.0/ports")
	if err := b.destroy(t.Context(), t, port); !unit.IsBlocked(err) || !strings.Contains(err.Error(), server.ID) {
		t.Errorf("the port was taken away from the instance: %v", err)
	}
	_, diff := b.compare(t, with(t, server, values{"ports": list(port.ID, own)}))
	expectDiff(t, "another port", diff, unit.ActionUpdate, []string{"ports"})

	address := target(t, "floating_ip", unique("ip"), values{"floating_network": text(outside), "instance": text(server.ID), "fixed_ip": text("10.25.0.40")})
	st = b.converge(t, &address)
	if got := st.Outputs.GetAttr("port").AsString(); got != port.ID {
		t.Errorf("it leads to the port %s, want %s", got, port.ID)
	}
	b.settled(t, address, "/v2.0/floatingips")
	several := with(t, address, values{"fixed_ip": cty.NullVal(cty.String), "instance": cty.NullVal(cty.String), "port": text(listTexts(b.see(t, server).Outputs.GetAttr("ports"))[0])})
	_, diff = b.compare(t, several)
	expectDiff(t, "another port of the instance", diff, unit.ActionUpdate, []string{"port"})
	address = several
	b.converge(t, &address)
	b.settled(t, address, "/v2.0/floatingips")

	nowhere := with(t, address, values{"port": cty.NullVal(cty.String), "instance": text(server.ID), "fixed_ip": text("10.25.0.99")})
	st, _ = b.compare(t, nowhere)
	if _, err := b.Apply(t.Context(), nowhere, wantedOf(nowhere), st); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "fixed_ip") {
		t.Errorf("an address that the instance does not have: %v", err)
	}
	b.remove(t, address)

	theirs := foreign(t, "network", "v2.0/ports", "port", map[string]any{"network_id": network})
	plug(t, server.ID, theirs)
	server = recorded(with(t, server, values{"ports": cty.NullVal(cty.List(cty.String))}), map[string][]string{"ports": {port.ID}})
	_, diff = b.compare(t, server)
	expectDiff(t, "one fewer", diff, unit.ActionUpdate, []string{"ports"})
	if got := listTexts(b.converge(t, &server).Outputs.GetAttr("ports")); len(got) != 2 || slices.Contains(got, port.ID) || !slices.Contains(got, theirs) {
		t.Errorf("the ports are %v, want one that Nova made and %s", got, theirs)
	}
	b.settled(t, server, "/v2.1/servers/detail", "/v2.0/ports")
	if err := b.destroy(t.Context(), t, port); err != nil {
		t.Errorf("its port stays: %v", err)
	}
}

// plug has somebody else give an instance a port.
func plug(t *testing.T, server, port string) {
	t.Helper()
	request(t, "compute", http.MethodPost, "servers/"+server+"/os-interface", map[string]any{"interfaceAttachment": map[string]any{"port_id": port}})
}

func listTexts(v cty.Value) []string {
	var found []string
	for _, element := range v.AsValueSlice() {
		found = append(found, element.AsString())
	}
	return found
}

// TestBedPoolsKeepTheirRanges: Neutron takes no range away, and everything else changes meanwhile.
func TestBedPoolsKeepTheirRanges(t *testing.T) {
	b := newBench(t)
	scope := made(t, b, "address_scope", values{"ip_version": number(4)})
	pool := target(t, "subnet_pool", unique("pool"), values{"prefixes": list("10.90.0.0/16", "10.92.0.0/16"), "address_scope": text(scope)})
	b.converge(t, &pool)
	b.settled(t, pool, "/v2.0/subnetpools")
	less := with(t, pool, values{"prefixes": list("10.90.0.0/16"), "description": text("Less")})
	st, diff := b.compare(t, less)
	if diff.Action != unit.ActionUpdate || !strings.Contains(diff.Reason, "10.92.0.0/16") {
		t.Errorf("the diff is %+v", diff)
	}
	if _, err := b.Apply(t.Context(), less, wantedOf(less), st); err != nil {
		t.Fatal(err)
	}
	if _, diff := b.compare(t, less); diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, "10.92.0.0/16") {
		t.Errorf("the diff is %+v", diff)
	}
}
