package engine

import (
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// unopened returns the releases that have a DaemonSet for the slot which a change gives to a node only once they
// are brought up to date. Before that no DaemonSet, or that for all other nodes, would have the node, and its pods would end
// once more, or run nowhere until then.
func (e *Engine) unopened(l *loop, c plan.Change) []addr.Object {
	slot := c.NewSlot()
	if slot == "" || e.admitted.plan == nil {
		return nil
	}
	var waits []addr.Object
	for _, other := range e.order {
		if other.unit == nil || !slices.Contains(other.state.Opens, slot) || e.needs(other, l.address, map[*loop]bool{}) {
			continue
		}
		// What is only reported of it is not going to happen.
		if planned := e.admitted.plan.Change(other.address); planned != nil && planned.Action != unit.ActionNone {
			waits = append(waits, other.address)
		}
	}
	return waits
}

// unleft returns the nodes that a release waits for before it takes the DaemonSets of their slot away: they are to get
// another one, in their turn, and nothing would run there until then. What they go to is there, as slots have no gaps. A node
// whose new slot comes with the same release goes after it.
func (e *Engine) unleft(l *loop, c plan.Change) []addr.Object {
	if len(c.Stops) == 0 || e.admitted.plan == nil {
		return nil
	}
	var waits []addr.Object
	for _, other := range e.order {
		if other.unit == nil || other.unit.Spec.Locator().Kind != unit.KindNode || !e.leavesSlot(other) || e.needs(other, l.address, map[*loop]bool{}) {
			continue
		}
		name, slot := other.unit.Spec.Locator().Name, e.admitted.plan.Change(other.address).NewSlot()
		if !slices.Contains(l.state.Opens, slot) && slices.ContainsFunc(c.Stops, func(s unit.Stop) bool { return slices.Contains(s.Nodes, name) }) {
			waits = append(waits, other.address)
		}
	}
	if len(waits) > 0 {
		l.wake = time.Now().Add(agentsPause) // where its pods run is seen with it
	}
	return waits
}

// leavesSlot tells whether a node is to get another slot, and has the former one as far as anybody saw.
func (e *Engine) leavesSlot(l *loop) bool {
	planned := e.admitted.plan.Change(l.address)
	if planned == nil || planned.NewSlot() == "" {
		return false
	}
	return l.dirty || l.stale || l.queued || l.busy || l.change.action != unit.ActionNone
}

// needs tells whether a loop waits for another one before anything is done about it, directly or through others.
func (e *Engine) needs(l *loop, a addr.Object, seen map[*loop]bool) bool {
	if l == nil || l.unit == nil || seen[l] {
		return false
	}
	seen[l] = true
	return slices.ContainsFunc(l.unit.Edges, func(edge unit.Edge) bool {
		return edge.Gate == unit.GateStart && (edge.To == a || e.needs(e.loops[edge.To], a, seen))
	})
}

// wakeNodes has nodes look again for whose slot a release has DaemonSets now.
func (e *Engine) wakeNodes(l *loop) bool {
	if slices.Equal(l.opens, l.state.Opens) {
		return false
	}
	l.opens = l.state.Opens
	for _, other := range e.order {
		if other.unit != nil && other.unit.Class == unit.ClassNode {
			other.dirty = true
		}
	}
	return true
}

const (
	// agentsPause is how long the next network node waits at least until it changes its slot: so long it may take until
	// Kubernetes, and Neutron's lists, tell of what became of the agents of the one before.
	agentsPause = 20 * time.Second
	// agentsPatience is how long it waits at most for services that do not become ready: it may be this node, or one that
	// is to follow, that they need to be mended by its new slot.
	agentsPatience = 10 * time.Minute
)

// turned is the network node whose slot was changed last by this process.
type turned struct {
	node addr.Object
	at   time.Time
}

// inTurn returns what a network node waits for before it changes its slot, nil for nothing. All agents of Neutron on it
// end by that and begin anew from another DaemonSet: done on all such nodes at once it would leave routers and DHCP
// nowhere to go, so that one node follows another once the services behind it are ready. What somebody else has changed is
// put back at once: those agents have ended.
func (e *Engine) inTurn(l *loop, c plan.Change) []addr.Object {
	if c.NewSlot() == "" || c.Drift || !slices.Contains(l.state.Labels, unit.NetworkLabel) || e.turned.node == l.address {
		l.turn = time.Time{}
		return nil
	}
	now := time.Now()
	var waits []addr.Object
	for _, other := range e.order {
		unsettled := !other.state.Ready() || other.phase == PhaseReconciling || other.phase == PhaseProgressing
		if carriesNetworks(other) && unsettled && !e.needs(other, l.address, map[*loop]bool{}) {
			waits = append(waits, other.address)
		}
	}
	if l.turn.IsZero() {
		l.turn = now
	}
	if now.Sub(l.turn) >= agentsPatience && now.Sub(e.turned.at) >= agentsPatience {
		waits = nil
	}
	if now.Sub(e.turned.at) < agentsPause {
		waits = append(waits, e.turned.node)
	}
	if len(waits) == 0 {
		e.turned, l.turn = turned{node: l.address, at: now}, time.Time{}
		return nil
	}
	l.wake = now.Add(agentsPause / 2)
	return waits
}

// carriesNetworks tells whether a loop is of a service that is there, with pods on network nodes.
func carriesNetworks(l *loop) bool {
	return l.unit != nil && l.unit.Class == unit.ClassService && l.state.Existence == unit.Present && slices.Contains([]string{"neutron", "openvswitch", "ovn"}, l.address.Name())
}
