//go:build beds

package charts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOpenStackHelmNetworkNodes: what compose says is on nodes with the role network is what OpenStack-Helm's charts have there, and what
// it says to write has them do without.
func TestOpenStackHelmNetworkNodes(t *testing.T) {
	dir := checkoutOfCharts(t)
	const hosts = "node \"w1\" {\n  roles = [\"compute\"]\n}\nnode \"c1\" {\n  roles = [\"control-plane\"]\n}\n"
	const elsewhere = `node_selector_key = "openstack-control-plane"`
	for _, test := range []struct {
		network, service, values string
		there                    []string // of what is told of, by kind and name
		told                     bool
	}{
		{"ovs", "neutron", ``, []string{"DaemonSet neutron-dhcp-agent", "DaemonSet neutron-l3-agent"}, true},
		{"ovs", "neutron", `manifests = { daemonset_dhcp_agent = false, daemonset_l3_agent = false }`, nil, false},
		{"ovs", "neutron", `labels = { agent = { dhcp = { ` + elsewhere + ` }, l3 = { ` + elsewhere + ` } } }`, nil, false},
		{"ovn", "ovn", ``, []string{"StatefulSet ovn-ovsdb-nb", "StatefulSet ovn-ovsdb-sb"}, true},
		{
			"ovn", "ovn", `labels = { ovn_ovsdb_nb = { ` + elsewhere + ` }, ovn_ovsdb_sb = { ` + elsewhere + ` }, ovn_northd = { ` + elsewhere + ` } }, ` +
				`conf = { ovn_cms_options = "enable-chassis-as-gw,availability-zones=nova" }`, nil, false,
		},
	} {
		m, ev := composed.Text(t, composed.Source(test.network, "", "  profile = profile.written")+hosts+
			fmt.Sprintf("profile \"written\" {\n  service %q {\n    values = { %s }\n  }\n  service \"ironic\" { replicas = { conductor = 1 } }\n}\n", test.service, test.values))
		units, warnings := composed.Warned(t, m, ev, compose.Facts{})
		if told := len(warnings) > 0; told != test.told {
			t.Errorf("%s with %s: %v", test.service, test.values, warnings)
		}
		var there []string
		for _, document := range renderedBy(t, theirs(t, dir, test.service), composed.Release(t, units, test.service)) {
			if !strings.Contains(document, "\n        openstack-network-node: enabled\n") {
				continue
			}
			for _, name := range []string{"DaemonSet neutron-dhcp-agent", "DaemonSet neutron-l3-agent", "StatefulSet ovn-ovsdb-nb", "StatefulSet ovn-ovsdb-sb"} {
				kind, called, _ := strings.Cut(name, " ")
				if strings.Contains(document, "kind: "+kind+"\n") && strings.Contains(document, "\n  name: "+called) {
					there = append(there, name)
				}
			}
		}
		slices.Sort(there)
		if there = slices.Compact(there); !slices.Equal(there, test.there) {
			t.Errorf("%s with %s has %q on network nodes, want %q", test.service, test.values, there, test.there)
		}
	}
}
