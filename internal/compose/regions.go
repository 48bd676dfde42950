package compose

import "github.com/kupenstack/kupenstack-sync/internal/model"

// chartsRegion is the region that charts are about, and that programs find when the catalogue has no other.
const chartsRegion = "RegionOne"

// regionOptions are where programs are told in which region of the catalogue to look for others, as far as their charts
// tell them nothing. Magnum makes no cluster without: its drivers ask it in which region volumes are, and it
// has no default.
func regionOptions() map[string][]string {
	var magnum []string
	for _, client := range []string{"barbican", "cinder", "glance", "heat", "magnum", "neutron", "nova", "octavia"} {
		magnum = append(magnum, client+"_client.region_name")
	}
	return map[string][]string{"magnum": magnum}
}

// otherRegionOptions are the same of programs that take the first that the catalogue has where they are told nothing. Clouds
// that share a Keystone have other regions than the charts', as the schema asks for, and must not use what is another's; any other
// would have all its processes replaced, on compute nodes too, for nothing. Cinder's chart says RegionOne whatever the region
// is, which Cinder then looks for Nova in.
func otherRegionOptions() map[string][]string {
	return map[string][]string{
		"nova":    {"neutron.region_name", "placement.region_name", "cinder.os_region_name", "glance.region_name", "ironic.region_name", "barbican.barbican_region_name"},
		"cinder":  {"DEFAULT.os_region_name", "nova.region_name", "barbican.barbican_region_name"},
		"neutron": {"nova.region_name", "placement.region_name"},
		"glance":  {"swift.swift_store_region"},
		"heat":    {"DEFAULT.region_name_for_services"},
		"octavia": {"neutron.region_name", "nova.region_name", "glance.region_name", "cinder.region_name", "certificates.region_name"},
		"ironic":  {"neutron.region_name", "glance.region_name", "cinder.region_name", "swift.region_name", "inspector.region_name", "nova.region_name", "service_catalog.region_name"},
	}
}

func regionValues(service string, cloud *model.Cloud) []setting {
	options := regionOptions()[service]
	if cloud.Region != chartsRegion {
		options = append(options, otherRegionOptions()[service]...)
	}
	var list []setting
	for _, option := range options {
		list = append(list, setting{path: "conf." + service + "." + option, value: cloud.Region})
	}
	return list
}
