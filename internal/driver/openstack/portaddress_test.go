package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestAnAddressIsNotGivenUpUnasked has the plan read from what is there whether an address of it goes.
func TestAnAddressIsNotGivenUpUnasked(t *testing.T) {
	t.Parallel()
	one, two := values{"subnet": text("s1"), "ip_address": text("10.0.0.5")}, values{"subnet": text("s1"), "ip_address": text("10.0.0.6")}
	anyOne, elsewhere := values{"subnet": text("s1")}, values{"subnet": text("s2")}
	port := func(blocks ...values) values {
		return values{"network": text("n1"), "fixed_ip": objects(blocks...)}
	}
	floating := func(address cty.Value) values {
		return values{"floating_network": text("n1"), "address": address}
	}
	for name, test := range map[string]struct {
		kind    string
		written values
		action  unit.Action
		reason  string
	}{
		"the same":                         {"port", port(one), unit.ActionNone, ""},
		"another one":                      {"port", port(two), unit.ActionBlocked, "another fixed_ip, and addresses that it has would be lost"},
		"one more":                         {"port", port(two, one), unit.ActionUpdate, ""},
		"any one there":                    {"port", port(anyOne), unit.ActionNone, ""},
		"any one there, and one more":      {"port", port(anyOne, two), unit.ActionUpdate, ""},
		"any one elsewhere":                {"port", port(elsewhere), unit.ActionBlocked, "another fixed_ip"},
		"any one elsewhere, and the same":  {"port", port(one, elsewhere), unit.ActionUpdate, ""},
		"none written":                     {"port", values{"network": text("n1")}, unit.ActionNone, ""},
		"the floating IP that is there":    {"floating_ip", floating(text("192.0.2.9")), unit.ActionNone, ""},
		"the floating IP that Neutron had": {"floating_ip", floating(cty.NullVal(cty.String)), unit.ActionNone, ""},
		"another floating IP":              {"floating_ip", floating(text("192.0.2.10")), unit.ActionBlocked, "it would have to be replaced, and its address would be lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tg := known(t, test.kind, "x1", test.written)
			b := &bench{Driver: answering(t, map[string]func(*http.Request) any{
				"/v2.0/ports": listed("ports", map[string]any{
					"id": "x1", "name": tg.Address.Name(), "network_id": "n1", "project_id": "p1", "description": "[" + tg.Mark + "]", "tags": []any{},
					"fixed_ips": []any{map[string]any{"subnet_id": "s1", "ip_address": "10.0.0.5"}},
				}),
				"/v2.0/floatingips": listed("floatingips", map[string]any{
					"id": "x1", "project_id": "p1", "floating_network_id": "n1", "floating_ip_address": "192.0.2.9", "description": "[" + tg.Mark + "]", "tags": []any{},
				}),
			})}
			u := &unit.Unit{Address: tg.Address, Class: unit.ClassResource, Spec: tg.Spec}
			c := plan.Decide(u, &inventory.Entry{Address: u.Address, Phase: inventory.Owned}, tg, wantedOf(tg), b.see(t, tg), b.Compare)
			if c.Action != test.action || !strings.Contains(c.Reason, test.reason) {
				t.Errorf("got %s: %s of %+v", c.Action, c.Reason, c.Fields)
			}
			u.MayLose = true
			c = plan.Decide(u, &inventory.Entry{Address: u.Address, Phase: inventory.Owned}, tg, wantedOf(tg), b.see(t, tg), b.Compare)
			if c.Action == unit.ActionBlocked {
				t.Errorf("though the block agrees: %s", c.Reason)
			}
		})
	}
}
