package compose_test

import (
	"fmt"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestTrunksBesideFirewalls: where security groups do not filter the sub-ports of trunks, who writes a trunk is told.
func TestTrunksBesideFirewalls(t *testing.T) {
	const trunk = "network \"n\" {}\nport \"p\" { network = network.n }\ntrunk \"t\" { port = port.p }\ntrunk \"u\" { port = port.p }\n"
	firewall := func(driver string) string {
		return fmt.Sprintf("profile \"f\" {\n  service \"neutron\" { conf = { plugins = { openvswitch_agent = { securitygroup = { firewall_driver = %q } } } } }\n}\n", driver)
	}
	for name, c := range map[string]struct {
		network, added string
		told           int
	}{
		"a trunk":              {"ovs", trunk + "profile \"f\" {}", 1},
		"none":                 {"ovs", "network \"n\" {}\nprofile \"f\" {}", 0},
		"one that is there":    {"ovs", "data \"trunk\" \"t\" { name = \"t\" }\nprofile \"f\" {}", 0},
		"OVN":                  {"ovn", trunk + "profile \"f\" {}", 0},
		"the other firewall":   {"ovs", trunk + firewall("openvswitch"), 0},
		"the same, by a name":  {"ovs", trunk + firewall("iptables_hybrid"), 1},
		"the same, by another": {"ovs", trunk + firewall("neutron.agent.linux.iptables_firewall.OVSHybridIptablesFirewallDriver"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			m, ev := composed.Text(t, composed.Source(c.network, "", "profile = profile.f")+c.added)
			_, warnings := composed.Warned(t, m, ev, compose.Facts{})
			told := 0
			for _, w := range warnings {
				if w.Summary == "security groups do not filter sub-ports" && w.Address.String() == "trunk.t" {
					told++
				}
			}
			if told != c.told {
				t.Errorf("it says %v", warnings)
			}
		})
	}
}
