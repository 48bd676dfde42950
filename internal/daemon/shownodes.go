package daemon

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// nodeStandings returns how the nodes of the configuration stand, by name.
func nodeStandings(m *model.Model, units map[addr.Object]*engine.UnitStatus, there []string) map[string]standing {
	standings := make(map[string]standing, len(m.Nodes))
	for i := range m.Nodes {
		n := &m.Nodes[i]
		standings[n.Name] = nodeStanding(n, units[n.Address], slices.Contains(there, n.Name))
	}
	return standings
}

// ofNodes is a condition that holds when all of some nodes are ready.
func ofNodes(name string, nodes []string, standings map[string]standing) unit.ShownCondition {
	c := together(name, nodes, standings)
	if len(nodes) == 0 {
		c.Reason = "NoNodes"
	}
	c.Message = report.Line(c.Message, mostShown) // there may be hundreds
	return c
}

// nodePlaces are the nodes of the configuration as far as it is known how they stand, and those of the cluster
// that it does not speak of: what was shown of one that had a block must not stay.
func nodePlaces(m *model.Model, standings map[string]standing, there []string) []place {
	var places []place
	managed := map[string]bool{}
	for i := range m.Nodes {
		n := &m.Nodes[i]
		managed[n.Name] = true
		if s := standings[n.Name]; s.status != "" {
			places = append(places, place{unit.ShownRef(unit.KindShownNode, n.Name), s.says()})
		}
	}
	for _, name := range there {
		if !managed[name] {
			s := standing{status: compose.StatusUnmanaged, message: "the configuration has no block for it"}
			places = append(places, place{unit.ShownRef(unit.KindShownNode, name), s.says()})
		}
	}
	return places
}

// nodeStanding is how a node stands that has a block. It is labelled in one step, so that it does not matter
// whether it waits or is on its way.
func nodeStanding(n *model.Node, u *engine.UnitStatus, there bool) standing {
	if !there {
		return standing{status: statusMissing, message: "the cluster has no such node"}
	}
	s := standingOf(u)
	switch {
	case s.status == statusProgressing:
		s.status = statusWaiting
	case s.status == statusReady && n.Disabled:
		s.status = statusDisabled
	}
	return s
}
