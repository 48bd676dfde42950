package engine

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// isLookup tells whether a loop only looks something up.
func (l *loop) isLookup() bool {
	if l.unit == nil {
		return false
	}
	resource, is := l.unit.Spec.(*unit.Resource)
	return is && resource.Lookup
}

// outlooks tells whether a loop looks up what may be there by now, or another one than it was, as something that it waits for is
// ready, or has the part that it waits for: that was changed, or has what is looked up come about.
func (l *loop) outlooks(other *loop) bool {
	return l.isLookup() && (other.altered || l.state != nil && l.state.Existence == unit.Absent) &&
		slices.ContainsFunc(l.unit.Edges, func(e unit.Edge) bool { return e.To == other.address && e.Gate == unit.GateStart && other.meets(e) })
}
