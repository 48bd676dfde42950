package openstack_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

type pairs = map[string]any

// subnetCloud has one subnet, and some ports in it.
type subnetCloud struct {
	*answers
	subnet pairs
	put    pairs // the last change
}

func newSubnetCloud(t *testing.T, gateway any, pools []any, ports ...any) (*subnetCloud, *openstack.Driver) {
	t.Helper()
	subnet := pairs{
		"id": "s1", "name": "s1", "project_id": "p1", "network_id": "n1", "cidr": "10.0.0.0/24", "ip_version": 4,
		"description": "[kupenstack:s1]", "gateway_ip": gateway, "allocation_pools": pools, "dns_nameservers": []any{},
	}
	c := &subnetCloud{subnet: subnet, answers: &answers{bodies: pairs{
		"/v2.0/subnets": pairs{"subnets": []any{subnet}}, "/v2.0/subnets/s1": pairs{"subnet": subnet}, "/v2.0/ports": pairs{"ports": ports},
	}}}
	c.change = func(w http.ResponseWriter, r *http.Request) {
		var body map[string]pairs
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Method != http.MethodPut || r.URL.Path != "/v2.0/subnets/s1" {
			http.Error(w, "{}", http.StatusNotFound)
			return
		}
		c.put = body["subnet"]
		for key, v := range c.put {
			c.subnet[key] = v
		}
		_ = json.NewEncoder(w).Encode(pairs{"subnet": c.subnet})
	}
	return c, c.driver(t)
}

func pool(start, end string) pairs { return pairs{"start": start, "end": end} }

func portAt(id, owner, subnet, address string) pairs {
	return pairs{
		"id": id, "device_id": "device-" + id, "device_owner": owner, "network_id": "n1",
		"fixed_ips": []any{pairs{"subnet_id": subnet, "ip_address": address}},
	}
}

// Neutron takes no gateway that is in an allocation pool, and a subnet without a gateway has its first
// address in one.
func TestGatewayLeavesThePools(t *testing.T) {
	for _, test := range []struct {
		name    string
		has     any
		pools   []any
		written values
		put     pairs
	}{
		{
			"the first address", nil,
			[]any{pool("10.0.0.1", "10.0.0.254")},
			values{"no_gateway": cty.False},
			pairs{"gateway_ip": "10.0.0.1", "allocation_pools": []any{pool("10.0.0.2", "10.0.0.254")}},
		},
		{
			"one in the middle", nil,
			[]any{pool("10.0.0.1", "10.0.0.9"), pool("10.0.0.20", "10.0.0.254")},
			values{"gateway_ip": text("10.0.0.30")},
			pairs{"gateway_ip": "10.0.0.30", "allocation_pools": []any{pool("10.0.0.1", "10.0.0.9"), pool("10.0.0.20", "10.0.0.29"), pool("10.0.0.31", "10.0.0.254")}},
		},
		{
			"the last one instead of the first", "10.0.0.1",
			[]any{pool("10.0.0.2", "10.0.0.254")},
			values{"gateway_ip": text("10.0.0.254")},
			pairs{"gateway_ip": "10.0.0.254", "allocation_pools": []any{pool("10.0.0.2", "10.0.0.253")}},
		},
		{
			"one beside the pools", nil,
			[]any{pool("10.0.0.20", "10.0.0.254")},
			values{"gateway_ip": text("10.0.0.9")},
			pairs{"gateway_ip": "10.0.0.9"},
		},
		{"none", "10.0.0.1", []any{pool("10.0.0.2", "10.0.0.254")}, values{"no_gateway": cty.True}, pairs{"gateway_ip": nil}},
		{
			"pools are written", nil,
			[]any{pool("10.0.0.1", "10.0.0.254")},
			values{"no_gateway": cty.False, "allocation_pools": cty.ListVal([]cty.Value{cty.ObjectVal(values{"start": text("10.0.0.10"), "end": text("10.0.0.20")})})},
			pairs{"gateway_ip": "10.0.0.1", "allocation_pools": []any{pool("10.0.0.10", "10.0.0.20")}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			cloud, d := newSubnetCloud(t, test.has, test.pools, portAt("a", "compute:nova", "s1", "10.0.0.77"), portAt("b", "compute:nova", "other", "10.0.0.1"))
			tg := known(t, "subnet", "s1", test.written)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			var told []string
			for _, f := range d.Compare(tg, wantedOf(tg), states[tg.Address]).Fields {
				told = append(told, f.Path)
			}
			if _, cut := test.put["allocation_pools"]; slices.Contains(told, "allocation_pools") != cut {
				t.Errorf("the plan has %q, and %v is to be sent", told, test.put)
			}
			st, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address])
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(cloud.put, test.put) {
				t.Errorf("sent %v, want %v", cloud.put, test.put)
			}
			if diff := d.Compare(tg, wantedOf(tg), st); diff.Action != unit.ActionNone {
				t.Errorf("then the diff is %+v", diff)
			}
			cloud.takeAsked()
			if _, err := d.Observe(t.Context(), []unit.Target{tg}); err != nil {
				t.Fatal(err)
			}
			if asked := cloud.takeAsked(); !slices.Equal(asked, []string{"/v2.0/subnets"}) {
				t.Errorf("a gateway that does not change costs the requests %q", asked)
			}
		})
	}
}

func TestSensitiveGatewayIsNotTold(t *testing.T) {
	_, d := newSubnetCloud(t, "10.0.0.1", []any{pool("10.0.0.2", "10.0.0.254")}, portAt("a", "compute:nova", "s1", "10.0.0.7"))
	tg := known(t, "subnet", "s1", values{"gateway_ip": text("10.0.0.7").Mark(model.Sensitive)})
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if err != nil {
		t.Fatal(err)
	}
	diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
	if diff.Action != unit.ActionBlocked || strings.Contains(fmt.Sprint(diff), "10.0.0.") {
		t.Errorf("the diff is %+v", diff)
	}
}

// Neutron refuses a change of the gateway that a router has, for as long as it has it, and would take as
// a gateway the address of an instance.
func TestGatewayThatIsInUseIsBlocked(t *testing.T) {
	all := []any{pool("10.0.0.1", "10.0.0.254")}
	for _, test := range []struct {
		name    string
		has     any
		port    pairs
		written values
		action  unit.Action
		says    []string
	}{
		{"another than the router's", "10.0.0.1", portAt("a", "network:router_interface", "s1", "10.0.0.1"), values{"gateway_ip": text("10.0.0.254")}, unit.ActionBlocked, []string{"device-a", "10.0.0.1", "take the subnet away from the router"}},
		{"none instead of the router's", "10.0.0.1", portAt("a", "network:ha_router_replicated_interface", "s1", "10.0.0.1"), values{"no_gateway": cty.True}, unit.ActionBlocked, []string{"device-a"}},
		{"something else", "10.0.0.1", portAt("a", "network:router_interface", "s1", "10.0.0.1"), values{"gateway_ip": text("10.0.0.1"), "description": text("x")}, unit.ActionUpdate, nil},
		{"the router has another address", "10.0.0.1", portAt("a", "network:router_interface", "s1", "10.0.0.5"), values{"gateway_ip": text("10.0.0.254")}, unit.ActionUpdate, nil},
		{"the address of DHCP", nil, portAt("a", "network:dhcp", "s1", "10.0.0.1"), values{"no_gateway": cty.False}, unit.ActionBlocked, []string{"port a", "network:dhcp", "10.0.0.1", "gateway_ip"}},
		{"the address of an instance", "10.0.0.1", portAt("a", "compute:nova", "s1", "10.0.0.7"), values{"gateway_ip": text("10.0.0.7")}, unit.ActionBlocked, []string{"port a", "compute:nova", "10.0.0.7"}},
		{"the address that the router has", nil, portAt("a", "network:router_interface", "s1", "10.0.0.1"), values{"no_gateway": cty.False}, unit.ActionUpdate, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			cloud, d := newSubnetCloud(t, test.has, all, test.port)
			tg := known(t, "subnet", "s1", test.written)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
			if diff.Action != test.action || len(diff.Fields) == 0 {
				t.Errorf("the diff is %+v", diff)
			}
			for _, word := range test.says {
				if !strings.Contains(diff.Reason, word) {
					t.Errorf("the reason lacks %q: %s", word, diff.Reason)
				}
			}
			if _, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address]); unit.IsBlocked(err) != (test.action == unit.ActionBlocked) || (cloud.put == nil) != (err != nil) {
				t.Errorf("sent %v, the error is %v", cloud.put, err)
			}
		})
	}
}

// What a router holds back of a subnet is the gateway, and what Neutron takes only together with it.
func TestGatewayInUseHoldsBackNothingElse(t *testing.T) {
	pools := func(start, end string) cty.Value {
		return cty.ListVal([]cty.Value{cty.ObjectVal(values{"start": text(start), "end": text(end)})})
	}
	moved := text("10.0.0.254")
	for _, test := range []struct {
		name    string
		has     any
		port    pairs
		written values
		put     pairs    // nil: nothing is sent
		blocked []string // the fields that stay so
	}{
		{
			"name servers and a description", "10.0.0.1", portAt("a", "network:router_interface", "s1", "10.0.0.1"),
			values{"gateway_ip": moved, "dns_nameservers": list("10.0.0.53"), "description": text("x")},
			pairs{"dns_nameservers": []any{"10.0.0.53"}, "description": "x [kupenstack:s1]"},
			[]string{"gateway_ip"},
		},
		{
			"pools beside the gateway that there is", "10.0.0.1", portAt("a", "network:router_interface", "s1", "10.0.0.1"),
			values{"no_gateway": cty.True, "allocation_pools": pools("10.0.0.2", "10.0.0.99")},
			pairs{"allocation_pools": []any{pool("10.0.0.2", "10.0.0.99")}},
			[]string{"no_gateway"},
		},
		{
			"pools with that gateway", "10.0.0.1", portAt("a", "network:router_interface", "s1", "10.0.0.1"),
			values{"gateway_ip": moved, "allocation_pools": pools("10.0.0.1", "10.0.0.99"), "enable_dhcp": cty.False},
			pairs{"enable_dhcp": false},
			[]string{"gateway_ip", "allocation_pools"},
		},
		{
			"pools that follow from a gateway that an instance has", nil, portAt("a", "compute:nova", "s1", "10.0.0.1"),
			values{"no_gateway": cty.False, "dns_nameservers": list("10.0.0.53")},
			pairs{"dns_nameservers": []any{"10.0.0.53"}},
			[]string{"no_gateway", "allocation_pools"},
		},
		{
			"nothing else", "10.0.0.1", portAt("a", "network:router_interface", "s1", "10.0.0.1"),
			values{"gateway_ip": moved},
			nil,
			[]string{"gateway_ip"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			cloud, d := newSubnetCloud(t, test.has, []any{pool("10.0.0.1", "10.0.0.200")}, test.port)
			cloud.subnet["enable_dhcp"] = true
			tg := known(t, "subnet", "s1", test.written)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			st := states[tg.Address]
			if diff := d.Compare(tg, wantedOf(tg), st); test.put != nil {
				if diff.Action != unit.ActionUpdate || !strings.Contains(diff.Reason, "without "+test.blocked[0]) || !strings.Contains(diff.Reason, "-a") && !strings.Contains(diff.Reason, "port a") {
					t.Errorf("first the diff is %+v", diff)
				}
				if st, err = d.Apply(t.Context(), tg, wantedOf(tg), st); err != nil {
					t.Fatal(err)
				}
			}
			if !reflect.DeepEqual(cloud.put, test.put) {
				t.Errorf("sent %v, want %v", cloud.put, test.put)
			}
			diff := d.Compare(tg, wantedOf(tg), st)
			var left []string
			for _, f := range diff.Fields {
				left = append(left, f.Path)
			}
			slices.Sort(left)
			slices.Sort(test.blocked)
			if diff.Action != unit.ActionBlocked || !slices.Equal(left, test.blocked) {
				t.Errorf("then the diff is %+v, want it to be blocked for %q", diff, test.blocked)
			}
		})
	}
}
