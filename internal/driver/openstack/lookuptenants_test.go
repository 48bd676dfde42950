package openstack

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestLookupAmongTenants: an administrator sees what tenants have called the same, and what these cannot have tells it apart.
func TestLookupAmongTenants(t *testing.T) {
	for kind, c := range map[string]struct {
		public, private map[string]any
		apart           map[string]cty.Value
	}{
		"image": {
			public: map[string]any{"visibility": "public"}, private: map[string]any{"visibility": "private"},
			apart: map[string]cty.Value{"visibility": cty.StringVal("public")},
		},
		"network": {
			public: map[string]any{"router:external": true}, private: map[string]any{"router:external": false},
			apart: map[string]cty.Value{"external": cty.True},
		},
	} {
		t.Run(kind, func(t *testing.T) {
			k := testDriver(t).kinds[kind]
			read := func(id string, raw map[string]any) *object {
				raw["id"], raw["name"], raw["status"], raw["owner"], raw["project_id"] = id, "same", "active", id, id
				return k.(interface{ read(map[string]any) *object }).read(raw)
			}
			all := indexed([]*object{read("ours", c.public), read("tenant", c.private)})
			look := func(attributes map[string]cty.Value) match {
				attributes["name"] = cty.StringVal("same")
				want := wantValue(kind, attributes)
				target := testTarget(t, kind, want)
				target.Spec = &unit.Resource{Kind: kind, Block: schema.New().Resource(kind).DataBlock(), Desired: want, Lookup: true}
				m, _ := find(k, &session{}, target, want, all)
				return m
			}
			if m := look(map[string]cty.Value{}); m.object != nil || !strings.Contains(m.message, "2 objects match") {
				t.Errorf("by the name alone: %+v", m)
			}
			if m := look(c.apart); m.object == nil || m.object.id != "ours" {
				t.Errorf("by %v: %+v", c.apart, m)
			}
		})
	}
}
