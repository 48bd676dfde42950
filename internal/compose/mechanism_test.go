package compose_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestConnectionsOfNeutron warns of drivers and plugins of Neutron that have nothing to do with what moves the packets of the cloud.
func TestConnectionsOfNeutron(t *testing.T) {
	const drivers, plugins = "plugins = { ml2_conf = { ml2 = { mechanism_drivers = %s } } }", "neutron = { DEFAULT = { service_plugins = %s } }"
	for _, test := range []struct{ network, option, written, want string }{
		{"ovn", drivers, `"openvswitch"`, "conf.plugins.ml2_conf.ml2.mechanism_drivers of neutron has openvswitch, and the network_backend of the cloud is ovn, which needs ovn: "},
		{"ovn", drivers, `"openvswitch,ovn"`, ""},
		{"ovn", drivers, `["sriovnicswitch", "ovn"]`, ""},
		{"ovn", drivers, `{ type = "multistring", values = ["sriovnicswitch"] }`, "mechanism_drivers of neutron has sriovnicswitch"},
		{"ovn", drivers, `null`, ""}, // as the chart has it, which takes those of network.backend then
		{"ovs", drivers, `""`, ""},
		{"ovs", plugins, `""`, "service_plugins of neutron has nothing"},
		{"ovs", drivers, `"openvswitch, l2population"`, ""},
		{"ovs", drivers, `"l2population"`, "which needs openvswitch"},
		{"ovs", drivers, `["openvswitch", "ovn"]`, "has openvswitch, ovn, and the network_backend of the cloud is ovs"},
		{"ovs", drivers, `sensitive("ovn")`, ""},
		{"ovn", plugins, `"router,trunk,qos"`, "conf.neutron.DEFAULT.service_plugins of neutron has router, trunk, qos, and the network_backend of the cloud is ovn, which needs ovn-router: "},
		{"ovn", plugins, `"ovn-router,trunk,qos,port_forwarding"`, ""},
		{"ovs", plugins, `"ovn-router"`, "which needs router"},
		{"ovs", plugins, `"neutron.services.l3_router.l3_router_plugin.L3RouterPlugin,qos"`, ""},
		{"ovs", plugins, `"a.B,ovn-router"`, "which needs router"},
	} {
		conf := fmt.Sprintf(test.option, test.written)
		source := strings.Replace(composed.Without(composed.Source(test.network, ""), "neutron"), "  release ", "  service \"neutron\" {\n    conf = { "+conf+" }\n  }\n  release ", 1)
		m, ev := composed.Text(t, source)
		_, diags := compose.Compose(m, ev, compose.Facts{})
		var told []string
		for _, d := range diags {
			if d.Severity != diag.Warning || d.Hint == "" || d.Subject == nil || !strings.Contains(strings.Split(source, "\n")[d.Subject.Start.Line-1], "conf = {") {
				t.Errorf("%s, %s: %v at %v", test.network, conf, d, d.Subject)
			}
			told = append(told, d.Detail)
		}
		if got := strings.Join(told, "; "); len(told) > 1 || (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s, %s: %q, want %q", test.network, conf, got, test.want)
		}
	}
}
