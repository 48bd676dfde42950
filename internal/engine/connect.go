package engine

import (
	"maps"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// connect puts the loops in order, so that what happens is the same every time, and finds out who has to look again when a unit changes.
func (e *Engine) connect() {
	e.order = slices.SortedFunc(maps.Values(e.loops), func(a, b *loop) int { return a.address.Compare(b.address) })
	e.needed, e.onNode, e.unwanted = map[addr.Object][]addr.Object{}, map[string][]addr.Object{}, nil
	for _, l := range e.order {
		if l.unit == nil {
			e.unwanted = append(e.unwanted, l)
			continue
		}
		for _, edge := range l.unit.Edges {
			e.needed[edge.To] = append(e.needed[edge.To], l.address)
		}
		if on, ok := l.unit.Spec.(onNodes); ok {
			for _, node := range on.Nodes() {
				e.onNode[node] = append(e.onNode[node], l.address)
			}
		}
	}
}

// onNodes is what has pods on nodes that somebody waits for.
type onNodes interface {
	Nodes() []string // as Kubernetes names them
}

var _ onNodes = (*unit.Release)(nil)

// wakeOnNode has what runs on a node looked at again once that was changed. That is not left to the watches of pods: by
// them, a service is ready until Kubernetes has got to the node, and a pass may end with that.
func (e *Engine) wakeOnNode(l *loop) {
	if l.unit == nil {
		return
	}
	at := l.unit.Spec.Locator()
	if at.Kind != unit.KindNode {
		return
	}
	for _, a := range e.onNode[at.Name] {
		if on := e.loops[a]; on != nil {
			on.stale, on.dirty = true, true
		}
	}
}
