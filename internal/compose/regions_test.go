package compose_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestRegions wants programs that look for others in the catalogue to do so in the cloud's region, and what people wrote
// to win.
func TestRegions(t *testing.T) {
	written := strings.Replace(composed.Source("ovs", "lvm", `region = "north"`), `service "magnum" { replicas = { api = 2, conductor = 2 } }`,
		`service "magnum" { conf = { magnum = { nova_client = { region_name = "south" } } } }`, 1)
	m, ev := composed.Text(t, written)
	units, _ := composed.Warned(t, m, ev, compose.Facts{})
	for path, want := range map[string]string{
		"magnum: cinder_client.region_name": "north", // without which it makes no cluster
		"magnum: heat_client.region_name":   "north",
		"magnum: nova_client.region_name":   "south",

		"nova: neutron.region_name":              "north",
		"nova: cinder.os_region_name":            "north",
		"cinder: DEFAULT.os_region_name":         "north", // its chart has another one
		"cinder: nova.region_name":               "north",
		"neutron: placement.region_name":         "north",
		"heat: DEFAULT.region_name_for_services": "north",
	} {
		service, option, _ := strings.Cut(path, ": ")
		if got := at(composed.Release(t, units, service).Values, strings.Split("conf."+service+"."+option, ".")); got != want {
			t.Errorf("%s is %v, want %s", path, got, want)
		}
	}
}

// TestRegionOfCharts: a cloud in the region that charts are about has programs told nothing that would replace them.
func TestRegionOfCharts(t *testing.T) {
	m, ev := composed.Text(t, composed.Source("ovs", "lvm", ""))
	units, _ := composed.Warned(t, m, ev, compose.Facts{})
	for _, path := range []string{"nova.neutron.region_name", "cinder.DEFAULT.os_region_name", "heat.DEFAULT.region_name_for_services"} {
		service, _, _ := strings.Cut(path, ".")
		if got := at(composed.Release(t, units, service).Values, strings.Split("conf."+path, ".")); got != nil {
			t.Errorf("%s is %v", path, got)
		}
	}
}
