package compose_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

const physicalNetworks = `
  physical_network "public" {
    bridge = "br-public"
    device = "eth1"
  }
  physical_network "tenant" {
    bridge = "br-tenant"
    flat   = false
    vlans  = ["100:199", "1000"]
  }
`

func TestPhysicalNetworks(t *testing.T) {
	const neutron, ovn = "neutron", "ovn"
	bridges := map[string]any{"br-public": "", "br-tenant": ""} // what is put into them is not the charts' work
	both := map[string]any{
		"conf.plugins.ml2_conf.ml2_type_flat.flat_networks":       "public",
		"conf.plugins.ml2_conf.ml2_type_vlan.network_vlan_ranges": "tenant:100:199,tenant:1000:1000",
	}
	for name, c := range map[string]struct {
		network, blocks string
		want            map[string]map[string]any
	}{
		"Open vSwitch": {"ovs", physicalNetworks, map[string]map[string]any{neutron: {
			"conf.auto_bridge_add.br-public": "", "conf.auto_bridge_add.br-tenant": "",
			"conf.plugins.openvswitch_agent.ovs.bridge_mappings": "public:br-public,tenant:br-tenant",
		}}},
		"OVN": {"ovn", physicalNetworks, map[string]map[string]any{
			neutron: {"conf.plugins.openvswitch_agent": nil, "conf.auto_bridge_add": nil},
			ovn: {
				"conf.auto_bridge_add": bridges, "conf.ovn_bridge_mappings": "public:br-public,tenant:br-tenant",
				"conf.auto_chassis_mac_mappings": true,
			},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			units := composed.Everything(t, c.network, "", "", c.blocks)
			for path, value := range both {
				c.want[neutron][path] = value
			}
			for service, paths := range c.want {
				values := composed.Release(t, units, service).Values
				for path, value := range paths {
					if got := at(values, strings.Split(path, ".")); !reflect.DeepEqual(got, value) {
						t.Errorf("%s: %s is %#v, want %#v", service, path, got, value)
					}
				}
			}
		})
	}
	// The bridge of the chart, with or without a device, is made where it is meant.
	values := composed.Release(t, composed.Everything(t, "ovs", "", "", "physical_network \"external\" { bridge = \"br-ex\" }"), neutron).Values
	if v := at(values, strings.Split("conf.auto_bridge_add.br-ex", ".")); v != "" {
		t.Errorf("br-ex is %#v", v)
	}
	if v := at(values, strings.Split("conf.plugins.ml2_conf.ml2_type_vlan", ".")); v != nil {
		t.Errorf("without tags there are VLANs: %v", v)
	}
	listed := paths(t)
	for service, wanted := range map[string][]string{
		neutron: {"conf.auto_bridge_add", "conf.plugins.openvswitch_agent.ovs.bridge_mappings", "conf.plugins.ml2_conf.ml2_type_flat.flat_networks"},
		ovn:     {"conf.auto_bridge_add", "conf.ovn_bridge_mappings", "conf.auto_chassis_mac_mappings"},
	} {
		for _, path := range wanted {
			if !known(listed[service], path) && !known(listed[service], path+".br-ex") {
				t.Errorf("OpenStack-Helm's %s has no %s", service, path)
			}
		}
	}
}

// TestPhysicalNetworkOfNetworks refuses what does not fit the physical network that it lies on.
func TestPhysicalNetworkOfNetworks(t *testing.T) {
	for attributes, want := range map[string]string{
		`provider_physical_network = "public"`:                                       "",
		`provider_network_type = "vlan"`:                                             "",
		"provider_physical_network = \"tenant\"\n  provider_network_type = \"vlan\"": "",
		"provider_physical_network = sensitive(\"hush\")":                            "no such physical network",
		"provider_physical_network = \"physnet1\"":                                   "no such physical network",
		"provider_physical_network = \"tenant\"\n  provider_network_type = \"flat\"": "no flat network there",
		"provider_physical_network = \"public\"\n  provider_network_type = \"vlan\"": "no VLANs there",
		"provider_physical_network = \"public\"\n  provider_network_type = \"flat\"": "",
		"provider_physical_network = null\n  provider_network_type = \"vxlan\"":      "",
	} {
		text := composed.Source("ovs", "", "openstack { cloud = \"c\" }", physicalNetworks)
		m, ev := composed.Text(t, text+"network \"n\" {\n  "+attributes+"\n}\n")
		_, diags := compose.Compose(m, ev, compose.Facts{})
		got := ""
		if len(diags) == 1 {
			got = diags[0].Summary
		}
		if got != want || len(diags) > 1 {
			t.Errorf("%s: %v, want %q", attributes, diags, want)
		}
		for _, d := range diags {
			if strings.Contains(d.Detail+d.Hint+d.Summary, "hush") {
				t.Errorf("a secret is told: %+v", d)
			}
		}
	}
}

// TestPhysicalNetworksWrittenOver: what people write in the place of what leads to the physical networks has all of them, or that is told.
func TestPhysicalNetworksWrittenOver(t *testing.T) {
	for _, test := range []struct{ network, service, conf, want string }{
		{"ovs", "neutron", `plugins = { openvswitch_agent = { ovs = { bridge_mappings = "public:br-public" } } }`, "conf.plugins.openvswitch_agent.ovs.bridge_mappings of neutron takes the place of what the physical networks of the cloud lead to, and has no tenant:br-tenant"},
		{"ovs", "neutron", `plugins = { openvswitch_agent = { ovs = { bridge_mappings = "public:br-other,tenant:br-tenant" } } }`, "and has no public:br-public"},
		{"ovs", "neutron", `plugins = { openvswitch_agent = { ovs = { bridge_mappings = ["more:br-more", "public:br-public", "tenant:br-tenant"] } } }`, ""},
		{"ovn", "neutron", `plugins = { openvswitch_agent = { ovs = { bridge_mappings = "public:br-public" } } }`, ""}, // which nothing reads
		{"ovn", "ovn", `ovn_bridge_mappings = "public:br-public"`, "conf.ovn_bridge_mappings of ovn takes the place"},
		{"ovs", "neutron", `plugins = { ml2_conf = { ml2_type_flat = { flat_networks = "more" } } }`, "and has no public"},
		{"ovs", "neutron", `plugins = { ml2_conf = { ml2_type_flat = { flat_networks = "*" } } }`, ""},
		{"ovs", "neutron", `plugins = { ml2_conf = { ml2_type_flat = { flat_networks = null } } }`, ""},
		{"ovs", "neutron", `plugins = { ml2_conf = { ml2_type_flat = { flat_networks = "" } } }`, "and has no public"},
		{"ovs", "neutron", `plugins = { openvswitch_agent = { ovs = { bridge_mappings = null } } }`, "and has no public:br-public, tenant:br-tenant"},
		{"ovs", "neutron", `plugins = { ml2_conf = { ml2_type_flat = { flat_networks = sensitive("more") } } }`, ""},
		{"ovs", "neutron", `plugins = { ml2_conf = { ml2_type_vlan = { network_vlan_ranges = "tenant:1:4000" } } }`, ""},
		{"ovs", "neutron", `plugins = { ml2_conf = { ml2_type_vlan = { network_vlan_ranges = "tenants:1:4000" } } }`, "and has no tenant:100:199, tenant:1000:1000"},
	} {
		source := composed.Source(test.network, "", physicalNetworks, "  profile = profile.written") + "profile \"written\" {\n  service \"" + test.service + "\" {\n    conf = { " + test.conf + " }\n  }\n}\n"
		m, ev := composed.Text(t, source)
		_, told := compose.Compose(m, ev, compose.Facts{})
		if test.want == "" && len(told) == 0 {
			continue
		}
		if test.want == "" || len(told) != 1 || told[0].Severity != diag.Warning || !strings.Contains(told[0].Detail, test.want) ||
			!strings.Contains(strings.Split(source, "\n")[told[0].Subject.Start.Line-1], "conf = {") {
			t.Errorf("%s, %s: %v, want %q", test.network, test.conf, told, test.want)
		}
	}
}
