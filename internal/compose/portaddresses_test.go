package compose_test

import (
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/composed"
)

// TestPortsWaitForSubnets: a port that is made before there is a subnet in its network has no address for good. So it waits for
// those of the configuration, unless it names some, or they wait for it or one like it.
func TestPortsWaitForSubnets(t *testing.T) {
	const source = `
cloud "c" {
  openstack { cloud = "prod" }
}
data "network" "theirs" { name = "theirs" }
network "a" {}
network "b" {}
subnet "four" {
  network = network.a
  cidr    = "10.1.0.0/24"
}
subnet "six" {
  network = network.a
  cidr    = "2001:db8::/64"
}
subnet "late" {
  network    = network.a
  cidr       = "10.2.0.0/24"
  depends_on = [port.router]
}
subnet "theirs" {
  network = data.network.theirs
  cidr    = "10.3.0.0/24"
}
port "plain" { network = network.a }
port "router" { network = network.a }
port "named" {
  network = network.a
  fixed_ip { subnet = subnet.four }
}
port "written" {
  network    = network.a
  depends_on = [subnet.four]
}
port "theirs" { network = data.network.theirs }
port "alone" { network = network.b }
`
	m, ev := composed.Text(t, source)
	units := composed.Compose(t, m, ev, compose.Facts{})
	for port, want := range map[string][]string{
		"plain":   {"subnet.four installed", "subnet.six installed"},
		"router":  {"subnet.four installed", "subnet.six installed"},
		"named":   {"subnet.four ready"},
		"written": {"subnet.four ready", "subnet.six installed"},
		"theirs":  {"subnet.theirs installed"},
		"alone":   nil,
	} {
		var got []string
		for _, e := range units["port."+port].Edges {
			if e.To.Kind() == "subnet" {
				got = append(got, e.To.String()+" "+string(e.Until))
				if e.Gate != unit.GateStart || e.Making != (e.Until == unit.Installed) {
					t.Errorf("port.%s: the edge is %+v", port, e)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("port.%s waits for %q, want %q", port, got, want)
		}
	}
}
