package engine

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// unopened returns the releases that have a DaemonSet for the slot which a change gives to a node only once they
// are brought up to date. Before that the node's pods would move to the DaemonSet for all other nodes, and end
// once more when that is renamed by the same update.
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
