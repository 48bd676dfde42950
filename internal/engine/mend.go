package engine

import (
	"context"
	"errors"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// mending is how it stands with what somebody changed of what is in force, while what a loop is about has
// to wait. It has a guard and pauses of its own: neither hurries a step that failed, nor is held back by it.
type mending struct {
	guard    guard
	attempts int // that failed in a row
	wake     time.Time
	why      string // what keeps it from being put back; "" for nothing
}

// rests tells whether a change has to wait for the pause after a failed step. What somebody deleted is
// created at once, unless creating it is what failed.
func (l *loop) rests(c plan.Change) bool {
	return !c.Lost || l.guard.paused || l.failed == "" || l.failed == unit.ActionCreate
}

// heldBack tells whether something else than a failed step holds back a change: the driver, what it has begun, or
// what has to be ready before. None of that is needed to keep what is in force whole.
func (e *Engine) heldBack(l *loop, c plan.Change) bool {
	return c.Held() || c.Waits || c.Action != unit.ActionNone && len(e.unmetFor(l)) > 0
}

// failedElsewhere tells whether the step that failed is more than to put back what somebody changed: else
// that has its pause, and is not tried a second time beside it.
func (l *loop) failedElsewhere(c plan.Change) bool {
	return c.Action != unit.ActionNone && signature(c.Mends) != signature(c.Fields)
}

// whole forgets what kept things from being put back once nothing is left to be, whoever did that: the step itself may have.
func (e *Engine) whole(l *loop, c plan.Change) {
	m := l.mending
	if _, mends := c.Mending(); mends || m == nil {
		return
	}
	m.guard.calm()
	if m.why != "" {
		e.changed = true
	}
	m.attempts, m.wake, m.why = 0, time.Time{}, ""
}

// mend begins to put back what can be put back by itself, and tells whether it did.
func (e *Engine) mend(calls context.Context, l *loop, target unit.Target, desired cty.Value, c plan.Change) bool {
	c, ok := c.Mending()
	if !ok {
		return false
	}
	if l.mending == nil {
		l.mending = &mending{}
	}
	m := l.mending
	step := stepOf(c, *l.state)
	if time.Now().Before(m.wake) || m.guard.refused == step || e.crowded(l, l.unit.Spec.Driver()) {
		return false
	}
	if wait := m.guard.pause(step, c, time.Now()); wait > 0 {
		m.wake, m.why, e.changed = time.Now().Add(wait), m.guard.finding(c), true
		return false
	}
	u, state := l.unit, *l.state
	target.Mend = true
	e.begin(l, u.Spec.Driver(), func() func() {
		ctx, cancel := context.WithTimeout(calls, e.CallTimeout)
		defer cancel()
		next, err := e.Drivers[u.Spec.Driver()].Apply(ctx, target, desired, state)
		return func() { e.mended(l, c, next, err) }
	})
	return true
}

// mended takes the result. The loop stays where it was: only what it is about moves it.
func (e *Engine) mended(l *loop, c plan.Change, state unit.State, err error) {
	if l.mending == nil { // something else is wanted by now
		l.mending = &mending{}
	}
	m := l.mending
	e.changed = true
	if err != nil {
		if m.guard.doubted != m.guard.step || !unit.IsBlocked(err) || m.why != err.Error() { // else the answer is the same as before
			m.attempts++
		}
		m.why = err.Error()
		m.wake = time.Now().Add(max(retryDelay(m.attempts), unit.RetryAfter(err)))
		if unit.IsBlocked(err) {
			m.guard.refused, m.guard.holder, m.wake = m.guard.step, e.holder(l, err), time.Time{}
		}
		m.guard.step, m.guard.steps, m.guard.doubted = "", 0, ""
		l.stale, l.unsent = true, errors.Is(err, unit.ErrNotWriter) // it may have got a step further
		e.Log.Warn().Stringer("unit", l.address).Int("attempt", m.attempts).Err(err).Msg("drift could not be repaired")
		return
	}
	m.attempts, m.why = 0, ""
	begun := l.found
	l.repairs(c)
	l.repaired()
	l.found, l.altered = begun, true
	l.done(c.Action)
	e.stepped(l)
	e.saw(l, state)
	if state.Existence == unit.Unknown {
		l.stale = true
	}
}
