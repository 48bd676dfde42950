package openstack_test

import (
	"net/http"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestNamesThatLookLikeNetworks: a name is the word that people chose. One that looks like a network, or an address, is not the
// same as another one that would mean the same network.
func TestNamesThatLookLikeNetworks(t *testing.T) {
	for _, test := range []struct {
		has, wanted string
		differs     bool
	}{
		{"10.1.0.0/24", "10.1.0.0/24", false},
		{"10.1.0.7/24", "10.1.0.0/24", true},
		{"2001:DB8::1", "2001:db8::1", true},
	} {
		tg := target(t, "subnet", "web", values{"name": text(test.wanted), "network": text(idOf("4")), "cidr": text("10.1.0.0/24")})
		tg.ID, tg.Fresh = idOf("3"), false
		d := answering(t, map[string]func(*http.Request) any{"/v2.0/subnets": listed("subnets", map[string]any{
			"id": tg.ID, "name": test.has, "project_id": "p1", "network_id": idOf("4"), "cidr": "10.1.0.0/24", "description": "[" + tg.Mark + "]", "tags": []any{},
		})})
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		if err != nil {
			t.Fatal(err)
		}
		diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
		if differs := len(diff.Fields) > 0; differs != test.differs {
			t.Errorf("%q to %q: the diff is %+v", test.has, test.wanted, diff)
		}
	}
}
