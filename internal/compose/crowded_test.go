package compose_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// withOneConductor has one conductor of Ironic, as two take two nodes.
func withOneConductor(source string) string {
	return strings.Replace(source, `service "ironic" { replicas = { api = 2, conductor = 2 } }`, `service "ironic" { replicas = { api = 2, conductor = 1 } }`, 1)
}

// TestMorePodsThanNodes: pods that must not share a node and are more than the nodes that they may be on are told before
// they wait for ever, at the line that is to be changed.
func TestMorePodsThanNodes(t *testing.T) {
	const one = "node \"n-1\" { roles = [\"control-plane\", \"network\"] }\nnode \"n-2\" { roles = [\"compute\"] }\n"
	const three = one + "node \"n-3\" { roles = [\"control-plane\"] }\nnode \"n-4\" { roles = [\"control-plane\"] }\n"
	for name, test := range map[string]struct{ service, settings, nodes, want, at string }{
		"one node":          {"keystone", "replicas = 3\nanti_affinity = \"required\"", one, "api of keystone runs 3 times, no two of them on one node, and of the nodes of the configuration they may be on n-1 alone", "anti_affinity"},
		"enough nodes":      {"keystone", "replicas = 3\nanti_affinity = \"required\"", three, "", ""},
		"preferred":         {"keystone", "replicas = 3\nanti_affinity = \"preferred\"", one, "", ""},
		"nothing written":   {"keystone", "replicas = 3", one, "", ""},
		"no node blocks":    {"keystone", "replicas = 3\nanti_affinity = \"required\"", "", "", ""},
		"a disabled node":   {"keystone", "replicas = 3\nanti_affinity = \"required\"", strings.Replace(three, "{ roles = [\"control-plane\"] }", "{\nroles = [\"control-plane\"]\ndisabled = true\n}", 1), "api of keystone runs 3 times, no two of them on one node, and of the nodes of the configuration they may be on n-1 and n-4 alone", "anti_affinity"},
		"a default":         {"rabbitmq", "anti_affinity = \"required\"", one, "server of rabbitmq runs 3 times", "anti_affinity"},
		"a chart's default": {"mariadb", "anti_affinity = \"required\"", one, "server of mariadb runs 3 times", "anti_affinity"},
		"a chart's way":     {"memcached", "replicas = 3", one, "server of memcached runs 3 times", "replicas"},
		"another way":       {"memcached", "replicas = 3\nanti_affinity = \"preferred\"", one, "", ""},
		"another label":     {"keystone", "replicas = 2\nanti_affinity = \"required\"\nvalues = { labels = { api = { node_selector_key = \"openstack-compute-node\" } } }", three, "api of keystone runs 2 times, no two of them on one node, and of the nodes of the configuration they may be on n-2 alone", "anti_affinity"},
		"another name":      {"horizon", "replicas = 2\nanti_affinity = \"required\"\nvalues = { labels = { dashboard = { node_selector_key = \"openstack-compute-node\" } } }", three, "server of horizon runs 2 times, no two of them on one node, and of the nodes of the configuration they may be on n-2 alone", "anti_affinity"},
		"network nodes":     {"ovn", "replicas = { ovn_ovsdb_nb = 3, ovn_ovsdb_sb = 1, ovn_northd = 3 }\nanti_affinity = \"required\"", three, "ovn_ovsdb_nb of ovn runs 3 times, no two of them on one node, and of the nodes of the configuration they may be on n-1 alone", "anti_affinity"},
		"by values":         {"keystone", "replicas = 2\nvalues = { pod = { affinity = { anti = { type = { default = \"requiredDuringSchedulingIgnoredDuringExecution\" } } } } }", one, "api of keystone runs 2 times", "values"},
		"fewer by values":   {"keystone", "replicas = 3\nanti_affinity = \"required\"\nvalues = { pod = { replicas = { api = 1 } } }", one, "", ""},
		"none of it":        {"keystone", "replicas = 3\nanti_affinity = \"required\"\nvalues = { manifests = { deployment_api = false } }", one, "", ""},
		"for one part":      {"ironic", "replicas = { api = 3, conductor = 2 }\nanti_affinity = \"preferred\"", one, "conductor of ironic runs 2 times", "replicas"},
	} {
		text := clouded("", "profile \"base\" {}\n") + test.nodes
		block := "  service \"" + test.service + "\" {\n" + test.settings + "\n}\n"
		for _, there := range []string{`mariadb" { replicas = 3 }`, `memcached" {}`} {
			if strings.HasPrefix(there, test.service) {
				text = strings.Replace(text, "  service \""+there+"\n", "", 1)
			}
		}
		text = strings.Replace(text, "  service \"openvswitch\"", block+"  service \"openvswitch\"", 1)
		m, ev := composed.Text(t, text)
		_, diags := compose.Compose(m, ev, compose.Facts{})
		var told, at string
		for _, d := range diags {
			if d.Summary != "more pods than nodes for them" {
				continue
			}
			if told != "" || d.Severity != diag.Warning || strings.Contains(d.Hint, `anti_affinity = "preferred"`) != (test.service != "ironic") {
				t.Errorf("%s: %+v", name, d)
			}
			told, at = d.Detail, strings.TrimSpace(strings.Split(text, "\n")[d.Subject.Start.Line-1])
		}
		if (told == "") != (test.want == "") || !strings.HasPrefix(told, test.want) || !strings.HasPrefix(at, test.at) {
			t.Errorf("%s: %q at %q, want %q", name, told, at, test.want)
		}
	}
}
