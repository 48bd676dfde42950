package compose_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestNovaReachesTheSwitch wants nova-compute to find Open vSwitch where it listens. By itself it asks a port of the node, which
// Neutron's agent opens, and nobody does with OVN. What people write counts.
func TestNovaReachesTheSwitch(t *testing.T) {
	const option = "conf.nova.os_vif_ovs.ovsdb_connection"
	for _, test := range []struct {
		network, written string
		want             any
	}{
		{"ovs", "", nil},
		{"ovn", "", "unix:/run/openvswitch/db.sock"},
		{"ovn", `service "nova" { conf = { nova = { os_vif_ovs = { ovsdb_connection = "tcp:127.0.0.1:6640" } } } }`, "tcp:127.0.0.1:6640"},
	} {
		profile := "\nprofile \"base\" {\n" + test.written + "\n}\n"
		units := composed.Everything(t, test.network, "", profile, "  profile = profile.base")
		if got := at(composed.Release(t, units, "nova").Values, strings.Split(option, ".")); got != test.want {
			t.Errorf("%s with %q: %s = %#v, want %#v", test.network, test.written, option, got, test.want)
		}
	}
}
