package openstack_test

import (
	"net/http"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A pool is given a least length above its default, which nobody wrote.
func TestDefaultOfAPoolFollows(t *testing.T) {
	type object = map[string]any
	for _, test := range []struct {
		name    string
		usual   int
		written values
		want    any
	}{
		{"below", 8, values{"min_prefix_length": number(20)}, 20.0},
		{"above", 24, values{"min_prefix_length": number(20)}, nil},
		{"written", 8, values{"min_prefix_length": number(20), "default_prefix_length": number(22)}, 22.0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var sent object
			pool := object{
				"id": idOf("2"), "name": "inner", "project_id": "p1", "description": "[kupenstack:mine]", "tags": []any{}, "prefixes": []any{"10.64.0.0/12"}, "ip_version": 4,
				"default_prefixlen": test.usual, "min_prefixlen": 8, "max_prefixlen": 32,
			}
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.0/subnetpools":              listed("subnetpools", pool),
				"/v2.0/subnetpools/" + idOf("2"): func(*http.Request) any { return object{"subnetpool": pool} },
				"PUT /v2.0/subnetpools/" + idOf("2"): func(r *http.Request) any {
					sent, _ = bodyOf(r)["subnetpool"].(object)
					return object{"subnetpool": pool}
				},
			})
			test.written["prefixes"] = list("10.64.0.0/12")
			tg := target(t, "subnet_pool", "inner", test.written)
			tg.ID, tg.Mark, tg.Complete = idOf("2"), "kupenstack:mine", true
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address]); err != nil {
				t.Fatal(err)
			}
			if sent["min_prefixlen"] != 20.0 || sent["default_prefixlen"] != test.want {
				t.Errorf("sent was %v", sent)
			}
		})
	}
}
