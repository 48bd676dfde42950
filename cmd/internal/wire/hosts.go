package wire

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
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

// clockSkew is how far the clocks of Kubernetes and OpenStack may be apart: so much later than a pod was made a report
// has to be to count as one of that pod.
const clockSkew = 5 * time.Second

// hostsDown says which agent is down on nodes where pods of a release were replaced, or has not reported since; "" for
// none. made tells when the youngest of these pods of each node was made.
func (s *System) hostsDown(ctx context.Context, release string, made map[string]time.Time) (string, error) {
	service := agentsAbove(release)
	if service == "" || !s.reaches() {
		return "", nil
	}
	agents, err := s.agents(ctx, service)
	if err != nil {
		return "", err
	}
	return firstDown(agents, made), nil
}

// reaches tells whether anybody says how to reach OpenStack.
func (s *System) reaches() bool {
	w := s.way()
	return s.Flags.OSCloud != "" || w.known || w.own
}

// firstDown names an agent that should be up on one of the nodes and is not, or else one that is up only by what the
// pods before reported. Who was taken out of use is not missed, and neither is who was never there.
func firstDown(agents []openstack.Agent, made map[string]time.Time) string {
	nodes := slices.Sorted(maps.Keys(made))
	var down, silent []string
	for _, a := range agents {
		on := unit.NodesOfHost(nodes, a.Host)
		if len(on) == 0 || !a.Enabled {
			continue
		}
		where := strings.Join(on, " or ")
		switch {
		case !a.Up:
			down = append(down, fmt.Sprintf("%s on %s is down", a.Binary, where))
		case !slices.ContainsFunc(on, func(node string) bool { return a.Reported.After(made[node].Add(clockSkew)) }):
			silent = append(silent, fmt.Sprintf("waits for the first report of %s on %s", a.Binary, where))
		}
	}
	slices.Sort(down)
	slices.Sort(silent)
	if all := append(down, silent...); len(all) > 0 {
		return all[0]
	}
	return ""
}
