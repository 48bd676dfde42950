package openstack

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// inNoCell says what is to be done about it as well: nothing, unless its chart was told otherwise.
const inNoCell = " in no cell of Nova yet, so that no instance can be started there; its scheduler looks for such hosts once a minute"

// mappedHosts are the hosts that Nova was seen to know the cell of. Nova's scheduler chooses a host before it has one,
// and what is started there ends in ERROR.
type mappedHosts struct {
	mu    sync.Mutex
	known map[string]bool
}

// lack names the hosts of nodes that take instances and that Nova has mapped to no cell yet: they are in its list of
// services, and not in that of hypervisors, which leaves such hosts out. That is only asked for when there is a host
// that was not seen there before. An error means that it is not known.
func (m *mappedHosts) lack(ctx context.Context, s *session, nodes []string, agents []Agent) (string, error) {
	hosts := map[string]bool{}
	for _, a := range agents {
		if a.Binary == binaryCompute && a.Up && a.Enabled && len(unit.NodesOfHost(nodes, a.Host)) > 0 {
			hosts[a.Host] = true
		}
	}
	if m.all(hosts) {
		return "", nil
	}
	hypervisors, err := s.all(ctx, call{service: serviceCompute, path: pathOf("os-hypervisors", "detail"), microversion: agentsVersion}, "hypervisors")
	if err != nil {
		return "", err
	}
	mapped := map[string]bool{}
	for _, raw := range hypervisors {
		service, _ := raw["service"].(map[string]any)
		mapped[textAt(service, "host")] = true
	}
	m.learn(hosts, mapped)
	var lacking []string
	for host := range hosts {
		if !mapped[host] {
			lacking = append(lacking, host)
		}
	}
	slices.Sort(lacking)
	return missing(lacking, "is"+inNoCell, "are"+inNoCell), nil
}

// all tells whether all hosts were seen to be mapped. Who is none of them any more has to be seen again: it may come back
// to another database.
func (m *mappedHosts) all(hosts map[string]bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for host := range m.known {
		if !hosts[host] {
			delete(m.known, host)
		}
	}
	return len(m.known) == len(hosts)
}

func (m *mappedHosts) learn(hosts, mapped map[string]bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = map[string]bool{}
	for host := range hosts {
		if mapped[host] {
			m.known[strings.Clone(host)] = true // not all of the answer with it
		}
	}
}
