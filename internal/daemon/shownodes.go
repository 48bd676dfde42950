package daemon

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// nodePlaces are the nodes of the configuration as far as it is known how they stand, and those of the cluster
// that it does not speak of: what was shown of one that had a block must not stay.
func nodePlaces(m *model.Model, units map[addr.Object]*engine.UnitStatus, there []string) []place {
	var places []place
	managed := map[string]bool{}
	for i := range m.Nodes {
		n := &m.Nodes[i]
		managed[n.Name] = true
		if s := nodeStanding(n, units[n.Address], slices.Contains(there, n.Name)); s.status != "" {
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
