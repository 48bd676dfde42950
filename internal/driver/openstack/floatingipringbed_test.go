package openstack_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestFloatingIPsChangePlacesInNeutron has them swapped, moved up and renewed, each in one pass.
func TestFloatingIPsChangePlacesInNeutron(t *testing.T) {
	t.Parallel()
	x := newInstallation(t, "places")
	outside, _ := segment(t, x.bench, "198.51.100.0/24", values{"external": cty.True})
	network, subnet := segment(t, x.bench, "10.19.0.0/24", values{})
	made(t, x.bench, "router", values{"external_network": text(outside), "subnets": list(subnet)})
	ports := map[string]string{}
	for _, label := range []string{"1", "2", "3"} {
		ports[label] = made(t, x.bench, "port", values{"network": text(network)})
	}
	there := func() (leads, ids map[string]string) {
		leads, ids = map[string]string{}, map[string]string{}
		all, _ := request(t, "network", http.MethodGet, "v2.0/floatingips?floating_network_id="+outside, nil)["floatingips"].([]any)
		for _, one := range all {
			raw, _ := one.(map[string]any)
			description, _ := raw["description"].(string)
			label, _, _ := strings.Cut(description, " ")
			leads[label], _ = raw["port_id"].(string)
			ids[label], _ = raw["id"].(string)
		}
		return leads, ids
	}
	defer func() { // before what they need goes
		_, ids := there()
		for _, id := range ids {
			erased("floatingips")(t, id)
		}
	}()
	for _, step := range []map[string]string{
		{"a": "1", "b": "2"},
		{"a": "2", "b": "1"},
		{"a": "3", "b": "2"},
		{"a": "2", "c": "3"},
		{"a": "3", "b": "1", "c": "2"},
		{"a": "2", "b": "3", "c": "1"},
	} {
		want := map[string]string{}
		var targets []unit.Target
		for label, port := range step {
			want[label] = ports[port]
			targets = append(targets, target(t, "floating_ip", label, values{"floating_network": text(outside), "port": text(ports[port]), "description": text(label)}))
		}
		if err := x.pass(t.Context(), x.store, unitsOf(targets)); err != nil {
			t.Errorf("%v: %v", step, err)
		}
		if got, _ := there(); !maps.Equal(got, want) {
			t.Errorf("%v: they lead to %v, the ports are %v", step, got, ports)
		}
	}
}
