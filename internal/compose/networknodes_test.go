package compose_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// withoutAgents is a configuration that says of Neutron's agents for DHCP and routers that there are to be none.
func withoutAgents(source string) string {
	return strings.Replace(source, `service "neutron" { replicas = { server = 2, rpc_server = 2 } }`,
		`service "neutron" { values = { manifests = { daemonset_dhcp_agent = false, daemonset_l3_agent = false } } }`, 1)
}

// TestNoNetworkNode: where instances run and nobody gives addresses or routes, as no node has the role for that, Neutron becomes ready
// all the same, so it is told before. Who says that there is to be nothing of it, or that it is elsewhere, hears nothing.
func TestNoNetworkNode(t *testing.T) {
	const (
		hosts  = "node \"w2\" { roles = [\"compute\"] }\nnode \"w1\" { roles = [\"compute\"] }\n"
		both   = "instances run on w1, w2, and no node of the configuration has the role network, where neutron has the agent of DHCP and the agent of routers: instances get no addresses by DHCP and routers lead nowhere"
		routes = "where neutron has the agent of routers: routers lead nowhere"
		all    = "where ovn has gateways of routers, ovn_ovsdb_nb and ovn_ovsdb_sb: no router leads out, ovn_ovsdb_nb never starts and ovn_ovsdb_sb never starts"
		north  = "where ovn has ovn_ovsdb_nb: ovn_ovsdb_nb never starts"
		moved  = "labels = { ovn_ovsdb_nb = { node_selector_key = \"openstack-control-plane\" }, ovn_ovsdb_sb = { node_selector_key = \"openstack-control-plane\" }"
		secret = "variable \"s\" {\n  default   = \"here\"\n  sensitive = true\n}\n"
	)
	const control = hosts + "node \"c\" { roles = [\"control-plane\"] }\n"
	for name, test := range map[string]struct{ network, settings, nodes, want string }{
		"agents":                    {"ovs", "", hosts, both},
		"a network node":            {"ovs", "", hosts + composed.Network, ""},
		"a node of both":            {"ovs", "", strings.Replace(hosts, `["compute"]`, `["compute", "network"]`, 1), ""},
		"one that takes no part":    {"ovs", "", hosts + strings.Replace(composed.Network, "roles", "disabled = true\nroles", 1), both},
		"instances nowhere":         {"ovs", "", "node \"c\" { roles = [\"control-plane\"] }\n", ""},
		"instances nowhere now":     {"ovs", "", "node \"w\" {\nroles = [\"compute\"]\ndisabled = true\n}\n", ""},
		"no nodes":                  {"ovs", "", "", ""},
		"no agents":                 {"ovs", "values = { manifests = { daemonset_dhcp_agent = false, daemonset_l3_agent = null } }", hosts, ""},
		"no DHCP":                   {"ovs", "values = { manifests = { daemonset_dhcp_agent = false } }", hosts, routes},
		"on hosts":                  {"ovs", "values = { labels = { agent = { dhcp = { node_selector_key = \"openstack-compute-node\" }, l3 = { node_selector_key = \"openvswitch\" } } } }", hosts, ""},
		"by a label of hosts":       {"ovs", "values = { labels = { agent = { dhcp = { node_selector_key = \"dhcp\", node_selector_value = \"here\" } } } }", strings.Replace(hosts, "{ roles = [\"compute\"] }", "{\nroles = [\"compute\"]\nlabels = { dhcp = \"here\" }\n}", 1), routes},
		"by a label of none":        {"ovs", "values = { labels = { agent = { dhcp = { node_selector_key = \"dhcp\" } } } }", hosts, both},
		"by what nobody may see":    {"ovs", "values = { labels = { agent = { dhcp = { node_selector_value = var.s } } } }", hosts, routes},
		"agents beside OVN":         {"ovn", "values = { manifests = { daemonset_dhcp_agent = true } }", control + composed.Network, ""},
		"OVN":                       {"ovn", "", hosts, all},
		"OVN and a network node":    {"ovn", "", hosts + composed.Network, ""},
		"OVN elsewhere":             {"ovn", "values = { " + moved + " } }", control, "where ovn has gateways of routers: no router leads out"},
		"OVN with gateways":         {"ovn", "values = { " + moved + ", ovn_controller_gw = { node_selector_key = \"openvswitch\" } } }", control, ""},
		"OVN, gateways everywhere":  {"ovn", "conf = { ovn_cms_options = \"enable-chassis-as-gw,availability-zones=nova\" }\nvalues = { " + moved + " } }", control, ""},
		"OVN, zones alone":          {"ovn", "conf = { ovn_cms_options = \"availability-zones=nova\" }\nvalues = { " + moved + " } }", control, "where ovn has gateways of routers: no router leads out"},
		"OVN, options nobody sees":  {"ovn", "conf = { ovn_cms_options = var.s }\nvalues = { " + moved + " } }", control, ""},
		"OVN without a database":    {"ovn", "conf = { ovn_cms_options = \"enable-chassis-as-gw\" }\nvalues = { manifests = { statefulset_ovn_ovsdb_sb = false } }", control, north},
		"OVN, no gateways by agent": {"ovn", "values = { " + moved + " }, manifests = { daemonset_ovn_controller = false } }", control, ""},
	} {
		service := map[string]string{"ovs": "neutron", "ovn": "ovn"}[test.network]
		if name == "agents beside OVN" {
			service = "neutron"
		}
		text := withOneConductor(composed.Source(test.network, "", "profile = profile.p")) + secret + "profile \"p\" {\n  service \"" + service + "\" {\n" + test.settings + "\n}\n}\n" + test.nodes
		m, ev := composed.Text(t, text)
		_, diags := compose.Compose(m, ev, compose.Facts{})
		var told []string
		for _, d := range diags {
			if d.Summary != "no node with the role network" {
				t.Errorf("%s: %+v", name, d)
				continue
			}
			told = append(told, d.Detail)
			line := strings.Split(text, "\n")[d.Subject.Start.Line-1]
			if d.Severity != diag.Warning || !strings.Contains(d.Hint, "write network in roles of one or more nodes") || !strings.Contains(line, `service "`+service+`"`) {
				t.Errorf("%s: %+v at %q", name, d, line)
			}
		}
		if got := strings.Join(told, "; "); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
