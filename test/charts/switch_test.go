//go:build beds

package charts_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestOpenStackHelmSwitchIsReached renders OpenStack-Helm's charts with OVN: nova-compute asks for Open vSwitch where its chart
// has it listen. Neutron's agent for it, which is not there, would have it listen where Nova asks by itself as well.
func TestOpenStackHelmSwitchIsReached(t *testing.T) {
	dir := checkoutOfCharts(t)
	units := composed.Everything(t, "ovn", "", "")
	rendered := func(service string) []string {
		return renderedBy(t, theirs(t, dir, service), composed.Release(t, units, service))
	}
	const socket = "/run/openvswitch/db.sock"
	if listens := strings.Join(rendered("openvswitch"), "\n"); !strings.Contains(listens, "OVS_SOCKET="+socket+"\n") || !strings.Contains(listens, "--remote=punix:${OVS_SOCKET} ") {
		t.Errorf("Open vSwitch does not listen at %s", socket)
	}
	daemons, configurations := 0, 0
	for _, object := range rendered("nova") {
		daemons += strings.Count(object, "\nkind: DaemonSet\n")
		if strings.Contains(object, "\nnova.conf: ") {
			configurations++
			if !strings.Contains(object, "\n[os_vif_ovs]\novsdb_connection = unix:"+socket+"\n") {
				t.Errorf("a configuration of Nova does not name the socket: %.200q", object)
			}
		}
	}
	if daemons == 0 || configurations != daemons+1 { // that of all, and one for each DaemonSet of nova-compute
		t.Errorf("%d DaemonSets, and %d configurations of Nova", daemons, configurations)
	}
}
