package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestSegmentsAsNeutronShowsThem: a network has one segment or several, which Neutron shows otherwise, and not to
// everybody.
func TestSegmentsAsNeutronShowsThem(t *testing.T) {
	segment := func(kind string, physical, id any) map[string]any {
		return map[string]any{"provider:network_type": kind, "provider:physical_network": physical, "provider:segmentation_id": id}
	}
	with := func(more map[string]any) map[string]any {
		all := map[string]any{"id": idOf("1"), "name": "web", "project_id": idOf("2"), "admin_state_up": true}
		for key, v := range more {
			all[key] = v
		}
		return all
	}
	one := segment("vlan", "physnet1", 100)
	two := map[string]any{"segments": []any{one, segment("vxlan", nil, 7)}}
	vlan := values{"network_type": text("vlan"), "segmentation_id": number(100)}
	for _, test := range []struct {
		name    string
		shown   map[string]any
		written values
		action  unit.Action
		fields  []string
	}{
		{"several, in any order", two, values{"segments": objects(values{"network_type": text("vxlan")}, vlan)}, unit.ActionNone, nil},
		{"one less", two, values{"segments": objects(vlan)}, unit.ActionReplace, []string{"segments"}},
		{"a single one", one, values{"segments": objects(vlan)}, unit.ActionNone, nil},
		{"another one", segment("flat", "physnet1", nil), values{"segments": objects(vlan)}, unit.ActionReplace, []string{"segments"}},
		{"several in place of one", two, values{"provider_network_type": text("vlan")}, unit.ActionReplace, []string{"provider_network_type"}},
		{"nothing to see", nil, values{"segments": objects(vlan)}, unit.ActionNone, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := answering(t, map[string]func(*http.Request) any{"/v2.0/networks": listed("networks", with(test.shown))})
			tg := target(t, "network", "web", test.written)
			tg.ID, tg.Mark = idOf("1"), ""
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
			expectDiff(t, test.name, diff, test.action, test.fields)
		})
	}
	for _, test := range []struct {
		shown     map[string]any
		has, lack string
	}{{one, "provider_segmentation_id", "segments"}, {two, "segments", "provider_"}} {
		d := answering(t, map[string]func(*http.Request) any{"/v2.0/networks": listed("networks", with(test.shown))})
		if hcl := exportedNetworks(t, d); !strings.Contains(hcl, test.has) || strings.Contains(hcl, test.lack) {
			t.Errorf("exported:\n%s", hcl)
		}
	}
}

// exportedNetworks writes the networks of a cloud.
func exportedNetworks(t *testing.T, d *openstack.Driver) string {
	t.Helper()
	live, _, err := d.Live(t.Context(), []string{"network"})
	if err != nil {
		t.Fatal(err)
	}
	result, err := export.Export(language(), live, export.Selection{Kinds: []string{"network"}})
	if err != nil {
		t.Fatal(err)
	}
	var hcl string
	for _, f := range result.Files {
		hcl += string(f.Content)
	}
	return hcl
}
