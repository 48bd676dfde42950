package engine

import "github.com/kupenstack/kupenstack-sync/internal/unit"

// urgency says who goes first where not all can have a call of a driver at once: the lower comes first.
type urgency int

// The urgencies: what exists is made whole before anything is added to it, so that a large commit holds back no
// repair.
const (
	toRepair urgency = iota // of what was changed or deleted outside, failed by itself, or was deleted to be made again
	toChange                // of what exists, deletions included
	toGrow                  // by what was not there before
	calmest  = toGrow
)

// urgency tells how soon a loop is to have a call. Before anything was decided for it, the plan says what that will be.
func (e *Engine) urgency(l *loop) urgency {
	c := l.change
	if c.action == "" && e.admitted.plan != nil {
		if planned := e.admitted.plan.Change(l.address); planned != nil {
			c = noteOf(*planned)
		}
	}
	switch {
	case c.repairs, l.replaced && c.action == unit.ActionReplace: // it is not decided anew since it was deleted
		return toRepair
	case c.action == unit.ActionCreate:
		return toGrow
	default:
		return toChange
	}
}
