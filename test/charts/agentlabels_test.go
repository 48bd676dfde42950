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

// TestOpenStackHelmAgentLabels has agents of OpenStack-Helm's charts choose nodes by another label: where compose warns of it,
// DaemonSets choose by that one, and without it by the one that the warning names.
func TestOpenStackHelmAgentLabels(t *testing.T) {
	dir := checkoutOfCharts(t)
	nodes := "node \"w1\" {\n  roles = [\"compute\"]\n}\nnode \"n1\" {\n  roles = [\"network\"]\n}\n"
	for _, test := range []struct{ network, service, part, usual string }{
		{"ovs", "libvirt", "agent.libvirt", "openstack-compute-node"},
		{"ovs", "nova", "agent.compute", "openstack-compute-node"},
		{"ovs", "openvswitch", "ovs", "openvswitch"},
		{"ovn", "ovn", "ovn_controller", "openvswitch"},
		{"ovs", "neutron", "ovs", "openvswitch"},
		{"ovn", "neutron", "ovs", "openvswitch"},
		{"ovs", "neutron", "agent.dhcp", "openstack-network-node"},
		{"ovs", "neutron", "agent.l3", "openstack-network-node"},
		{"ovs", "neutron", "agent.metadata", "openstack-network-node"},
		{"ovs", "neutron", "netns_cleanup_cron", "openstack-network-node"},
	} {
		// choosing is how many DaemonSets choose nodes by a label with that for the part, and the warnings.
		choosing := func(label, by string) (int, string) {
			written := fmt.Sprintf("node_selector_key = %q", label)
			for _, step := range slices.Backward(strings.Split(test.part, ".")) {
				written = step + " = { " + written + " }"
			}
			m, ev := composed.Text(t, composed.Source(test.network, "", "  profile = profile.written")+nodes+
				fmt.Sprintf("profile \"written\" {\n  service %q {\n    values = { labels = { %s } }\n  }\n}\n", test.service, written))
			units, warnings := composed.Warned(t, m, ev, compose.Facts{})
			var told strings.Builder
			for _, w := range warnings {
				told.WriteString(w.Detail + "\n")
			}
			n := 0
			for _, document := range renderedBy(t, theirs(t, dir, test.service), composed.Release(t, units, test.service)) {
				if strings.Contains(document, "kind: DaemonSet\n") && strings.Contains(document, "\n        "+by+": enabled\n") {
					n++
				}
			}
			return n, told.String()
		}
		usual, quiet := choosing(test.usual, test.usual)
		if left, _ := choosing("other", test.usual); usual == 0 || left >= usual || quiet != "" {
			t.Errorf("%s of %s: %d DaemonSets choose %s, and with another label %d; told is %q", test.part, test.service, usual, test.usual, left, quiet)
		}
		if n, told := choosing("other", "other"); n == 0 || !strings.Contains(told, "which have "+test.usual+"=enabled") {
			t.Errorf("%s of %s: %d DaemonSets choose another label, and told is %q", test.part, test.service, n, told)
		}
	}
}
