package engine

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// unmet returns the other ends of the edges that a gate waits for.
func (e *Engine) unmet(l *loop, gate unit.Gate) []addr.Object {
	var waits []addr.Object
	for _, edge := range l.unit.Edges {
		if other := e.loops[edge.To]; edge.Gate == gate && other != nil && !other.meets(edge) {
			if gate == unit.GateReady && edge.Until == unit.Ready && e.together(other, map[*loop]bool{l: true}) {
				continue
			}
			waits = append(waits, edge.To)
		}
	}
	return waits
}

// unmetFor returns what a step other than a deletion waits for: what only the making of a unit needs holds back no unit that exists.
func (e *Engine) unmetFor(l *loop) []addr.Object {
	waits := e.unmet(l, unit.GateStart)
	if l.state.Existence != unit.Present {
		return waits
	}
	return slices.DeleteFunc(waits, func(a addr.Object) bool {
		return !slices.ContainsFunc(l.unit.Edges, func(edge unit.Edge) bool { return edge.To == a && edge.Gate == unit.GateStart && !edge.Making })
	})
}

// together tells whether a loop waits only for others that wait for it: then all become ready at
// once.
func (e *Engine) together(l *loop, seen map[*loop]bool) bool {
	if l == nil || seen[l] || l.phase == PhaseReady {
		return l != nil
	}
	seen[l] = true
	if l.phase != PhaseProgressing || len(l.waits) == 0 || l.busy || l.dirty || !l.state.Ready() {
		return false
	}
	for _, a := range l.waits {
		if !e.together(e.loops[a], seen) {
			return false
		}
	}
	return true
}

// gated tells whether a unit of which nothing exists yet has to wait before it can be observed: what
// serves its API is not there.
func (l *loop) gated(e *Engine) bool {
	_, known := e.entry(l.address)
	return !known && l.awaitsAPI(e)
}

// awaitsAPI tells whether what serves a unit's API is not ready, as far as it is a unit itself.
func (l *loop) awaitsAPI(e *Engine) bool {
	return l.unit != nil && l.unit.Spec.Driver() == unit.OpenStack && e.unserved(l, map[*loop]bool{})
}

// unserved tells whether a unit waits, directly or through others of its kind, for one of another
// driver, or for what we need ourselves to reach the API.
func (e *Engine) unserved(l *loop, seen map[*loop]bool) bool {
	if seen[l] || l.unit == nil {
		return false
	}
	seen[l] = true
	for _, a := range e.unmet(l, unit.GateStart) {
		other := e.loops[a]
		if other.unit != nil && (other.unit.Spec.Driver() != l.unit.Spec.Driver() || other.unit.Class == unit.ClassSystem || e.unserved(other, seen)) {
			return true
		}
	}
	return false
}

func (e *Engine) others(l *loop) []addr.Object {
	var others []addr.Object
	for _, edge := range l.unit.Edges {
		if other := e.loops[edge.To]; other != nil && other.phase != PhaseReady {
			others = append(others, edge.To)
		}
	}
	return others
}

// outputs returns what is known of a unit.
func (e *Engine) outputs(a addr.Object) cty.Value {
	if l := e.loops[a]; l != nil && l.state.Existence != unit.Absent && !e.condemned(l) && !l.foreign() {
		return l.state.Outputs
	}
	return cty.NilVal
}
