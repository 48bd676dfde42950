package openstack_test

import (
	"crypto/rand"
	"net/http"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestPlanWarnsOfQuotasOfNeutron: a plan counts what Neutron counts, also what is in our user's own project without saying so.
func TestPlanWarnsOfQuotasOfNeutron(t *testing.T) {
	full := map[string]any{"limit": 1, "used": 1, "reserved": 0}
	d := answering(t, map[string]func(*http.Request) any{
		"/v3/domains":       listed("domains"),
		"/v2.0/subnetpools": listed("subnetpools"), "/v2.0/trunks": listed("trunks"), "/v2.0/rbac-policies": listed("rbac_policies"),
		"/v2.0/quotas/p1/details.json": func(*http.Request) any {
			return map[string]any{"quota": map[string]any{"subnetpool": full, "rbac_policy": full, "trunk": full}}
		},
	})
	kept, err := inventory.Open(t.Context(), &records{shards: map[string]inventory.Shard{}})
	if err != nil {
		t.Fatal(err)
	}
	r := &engine.Revision{ID: rand.Text(), Deployment: inventory.Deployment{Cloud: "demo"}}
	for _, tg := range []unit.Target{
		target(t, "subnet_pool", "inner", values{"prefixes": list("10.64.0.0/12")}), target(t, "trunk", "appliance", values{"port": text(idOf("1"))}),
		target(t, "rbac_policy", "shop", values{"object_type": text("network"), "object": text(idOf("2")), "action": text("access_as_shared"), "target": text(idOf("3"))}),
	} {
		r.Units = append(r.Units, unit.Unit{Address: tg.Address, Spec: tg.Spec, Class: unit.ClassResource})
	}
	p, err := engine.New(engine.Options{
		Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: d}, Inventory: kept,
		Marker: inventory.NewMarker(rand.Text(), redact.NewSecret("a key that is long enough")), Quotas: d.Quotas,
	}).Plan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, warning := range p.Warnings {
		said = append(said, warning.Detail)
	}
	for _, what := range []string{"subnet pools", "rbac policies", "trunks"} {
		if want := "of " + what + " the quota allows 1, 1 are in use, and the plan makes 1 more"; !strings.Contains(strings.Join(said, "\n"), want) {
			t.Errorf("no %q in %q", want, said)
		}
	}
}
