package openstack_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A gateway that moves hides inner addresses as before, unless the block says it.
func TestGatewayKeepsSNAT(t *testing.T) {
	const (
		admin  = "admin"
		member = "member"
	)
	fixed := objects(values{"ip_address": text("203.0.113.51")})
	for _, test := range []struct {
		name, role string
		there      bool
		written    values
		want       string
	}{
		{"another address", admin, false, values{"external_network": text("n1"), "external_fixed_ip": fixed}, `{"router":{"external_gateway_info":{"enable_snat":false,"external_fixed_ips":[{"ip_address":"203.0.113.51"}],"network_id":"n1"}}}`},
		{"another network", admin, false, values{"external_network": text("n2")}, `{"router":{"external_gateway_info":{"enable_snat":false,"network_id":"n2"}}}`},
		{"another network, hidden", admin, true, values{"external_network": text("n2")}, `{"router":{"external_gateway_info":{"enable_snat":true,"network_id":"n2"}}}`},
		{"written", admin, false, values{"external_network": text("n2"), "enable_snat": cty.True}, `{"router":{"external_gateway_info":{"enable_snat":true,"network_id":"n2"}}}`},
		{"Neutron's default, by who may not write it", member, true, values{"external_network": text("n2")}, `{"router":{"external_gateway_info":{"network_id":"n2"}}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			tg := target(t, "router", "edge", test.written)
			tg.ID, tg.Fresh, tg.Complete = "r1", false, true
			router := map[string]any{
				"id": "r1", "name": "edge", "project_id": "p1", "description": "[" + tg.Mark + "]",
				"external_gateway_info": map[string]any{"network_id": "n1", "enable_snat": test.there, "external_fixed_ips": []any{map[string]any{"subnet_id": "s1", "ip_address": "203.0.113.50"}}},
			}
			var sent string
			b := &bench{Driver: answering(t, map[string]func(*http.Request) any{
				"/v2.0/routers":    listed("routers", router),
				"/v2.0/routers/r1": func(*http.Request) any { return map[string]any{"router": router} },
				"/v2.0/ports":      listed("ports"),
				"PUT /v2.0/routers/r1": func(r *http.Request) any {
					body, _ := io.ReadAll(r.Body)
					sent = string(body)
					return map[string]any{"router": router}
				},
			}, test.role)}
			st, _ := b.compare(t, tg)
			if _, err := b.Apply(t.Context(), tg, wantedOf(tg), st); err != nil {
				t.Fatal(err)
			}
			if sent != test.want {
				t.Errorf("sent %s, want %s", sent, test.want)
			}
		})
	}
}

// TestGatewayAddressIsNotGivenUpUnasked has the plan read from the addresses of a gateway whether one goes.
func TestGatewayAddressIsNotGivenUpUnasked(t *testing.T) {
	one, two := values{"ip_address": text("203.0.113.50")}, values{"ip_address": text("203.0.113.51")}
	for _, test := range []struct {
		name      string
		addresses cty.Value
		action    unit.Action
	}{
		{"the same", objects(one), unit.ActionNone},
		{"another one", objects(two), unit.ActionBlocked},
		{"one more", objects(one, two), unit.ActionUpdate},
		{"any one there", objects(values{"subnet": text("s1")}), unit.ActionNone},
		{"any one there, and one more", objects(values{"subnet": text("s1")}, two), unit.ActionUpdate},
		{"any one elsewhere", objects(values{"subnet": text("s2")}), unit.ActionBlocked},
	} {
		tg := target(t, "router", "edge", values{"external_network": text("n1"), "external_fixed_ip": test.addresses})
		tg.ID, tg.Fresh, tg.Complete = "r1", false, true
		b := &bench{Driver: answering(t, map[string]func(*http.Request) any{
			"/v2.0/routers": listed("routers", map[string]any{
				"id": "r1", "name": "edge", "project_id": "p1", "description": "[" + tg.Mark + "]",
				"external_gateway_info": map[string]any{"network_id": "n1", "enable_snat": true, "external_fixed_ips": []any{map[string]any{"subnet_id": "s1", "ip_address": "203.0.113.50"}}},
			}),
			"/v2.0/ports": listed("ports"),
		})}
		u := &unit.Unit{Address: tg.Address, Class: unit.ClassResource, Spec: tg.Spec}
		c := plan.Decide(u, &inventory.Entry{Address: u.Address, Phase: inventory.Owned}, tg, wantedOf(tg), b.see(t, tg), b.Compare)
		if c.Action != test.action || (c.Action == unit.ActionBlocked) != strings.Contains(c.Reason, "another external_fixed_ip") {
			t.Errorf("%s: got %s: %s of %+v", test.name, c.Action, c.Reason, c.Fields)
		}
	}
}
