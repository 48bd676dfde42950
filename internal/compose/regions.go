package compose

import "github.com/kupenstack/kupenstack-sync/internal/model"

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

func regionValues(service string, cloud *model.Cloud) []setting {
	var list []setting
	for _, option := range regionOptions()[service] {
		list = append(list, setting{path: "conf." + service + "." + option, value: cloud.Region})
	}
	return list
}
