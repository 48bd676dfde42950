package wire

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// agentsAbove is the service whose agents do the work of a release's pods on a node, or work through them.
func agentsAbove(release string) string {
	switch release {
	case "nova", "libvirt":
		return "nova"
	case "neutron", "openvswitch", "ovn":
		return "neutron"
	default:
		return ""
	}
}

// hostsDown says which agent is down on nodes where pods of a release were replaced, "" for none.
func (s *System) hostsDown(ctx context.Context, release string, nodes []string) (string, error) {
	service := agentsAbove(release)
	if service == "" || !s.reaches() {
		return "", nil
	}
	agents, err := s.Agents(ctx, service)
	if err != nil {
		return "", err
	}
	return firstDown(agents, nodes), nil
}

// reaches tells whether anybody says how to reach OpenStack.
func (s *System) reaches() bool {
	m := s.Model()
	return s.Flags.OSCloud != "" || m != nil && (m.Cloud.OpenStack != nil || compose.OwnAccount(m))
}

// firstDown names an agent that should be up on one of the nodes and is not. Who was taken out of use is not
// missed, and neither is who was never there.
func firstDown(agents []report.Agent, nodes []string) string {
	var down []string
	for _, a := range agents {
		if on := unit.NodesOfHost(nodes, a.Host); len(on) > 0 && a.Enabled && !a.Up {
			down = append(down, fmt.Sprintf("%s on %s is down", a.Binary, strings.Join(on, " or ")))
		}
	}
	if len(down) == 0 {
		return ""
	}
	return slices.Min(down)
}
