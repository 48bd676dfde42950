package engine

import (
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// maxDoubts is how often something refused is tried again without its pause, between two looks at everything, when nothing
// else moves any more. Of many that take places from each other only one may get a step further each time.
const maxDoubts = 10

// doubtRefused has tried once more what drivers refused before they did something else: it may have gone what stood in
// the way, as nothing orders that before what takes its place. A driver has nothing to do then, so that a thousand that
// are refused do not try with each of a thousand others, and pauses grow, but at the end of everything. What a unit refers to
// has it tried once more as well when something happens there; its own tries may be what happens, so that no pause is left
// out for that. Where a driver has said what stands in the way, a step of that is enough: what has made way for another one
// is out of use until that has followed, and there may be work for hours beside it. It returns when to ask again.
func (e *Engine) doubtRefused(idle bool) time.Duration {
	next := forever
	if e.revision == nil || e.admitted.stale || e.admitted.planning {
		return next
	}
	for _, l := range e.order {
		others := e.steps[l.driver] != l.since
		if l.busy || !l.refused() || !others && !l.heard {
			continue
		}
		if !l.mayFollow() {
			if e.works(l.driver) {
				continue
			}
			if wait := time.Until(l.again); wait > 0 && (!idle || !others || l.doubts >= maxDoubts) {
				next = min(next, wait)
				continue
			}
			l.again = time.Now().Add(retryDelay(l.doubts + 1))
		}
		l.doubts, l.heard = l.doubts+1, false
		l.doubt()
		l.stale, l.dirty = true, true // it was seen as it was before
		next = 0
	}
	return next
}

// mayFollow tells whether a step was done of what stands in the way of a loop, since that was refused.
func (l *loop) mayFollow() bool {
	if l.doubts >= maxDoubts {
		return false
	}
	moved := func(g *guard) bool { return g.refused != "" && g.holder != nil && g.holder.stepped > l.since }
	return moved(&l.guard) || l.mending != nil && moved(&l.mending.guard)
}

// holder returns the loop of the object that a driver says is in the way of another one of its kind.
func (e *Engine) holder(l *loop, err error) *loop {
	id := unit.HolderOf(err)
	if id == "" {
		return nil
	}
	kind := e.target(l.unit, l.address).Locator.Kind
	i := slices.IndexFunc(e.order, func(other *loop) bool {
		if other == l || other.state.ID != id {
			return false
		}
		locator := e.target(other.unit, other.address).Locator
		return locator.Driver == l.driver && locator.Kind == kind
	})
	if i < 0 {
		return nil
	}
	return e.order[i]
}

// works tells whether a driver does something, or is about to. To look is nothing that others have to wait for.
func (e *Engine) works(name unit.DriverName) bool {
	calls := e.running[name] + e.recording[name] - e.looking[name]
	return calls > 0 || len(e.queued[name]) > 0
}

// stepped notes that the driver of a loop has done something. A step that is taken once more from the same state as it was
// tried again has done nothing new: it comes round, as an upload does whose source is wrong, and others that do so as well
// would have each other tried again for ever.
func (e *Engine) stepped(l *loop) {
	if l.doubts > 0 && l.guard.step != "" && l.guard.step == l.counted {
		return
	}
	l.counted = l.guard.step
	e.steps[l.driver]++
	l.stepped = e.steps[l.driver]
}

// refused tells whether something waits for a person because a driver said so.
func (l *loop) refused() bool {
	m := l.mending
	return l.phase == PhaseBlocked && l.guard.refused != "" || m != nil && m.why != "" && m.guard.refused != "" || l.former.blocked
}

// doubt lets all of it be tried once more.
func (l *loop) doubt() {
	l.guard.doubt()
	if l.mending != nil {
		l.mending.guard.doubt()
	}
	l.former.doubt()
}
