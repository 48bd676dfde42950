package engine

import (
	"context"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Suspend has the engine leave alone what these name, beside what its revision suspends; they take the place of
// those that were given before. What is running is finished. The error is the context's.
func (e *Engine) Suspend(ctx context.Context, list []suspension.Suspension) error {
	list = slices.Clone(list)
	return e.send(ctx, func() {
		e.told, e.forwarding.due = list, true
		e.suspensions(e.Now())
	})
}

// suspensions finds out which ones hold, and has those loops go on for which that is news.
func (e *Engine) suspensions(now time.Time) {
	was := e.held
	var written []suspension.Suspension
	if e.revision != nil {
		written = e.revision.Suspensions
	}
	e.held = suspension.Standing(now, written, e.told)
	if slices.Equal(was, e.held) {
		return
	}
	e.changed = true
	for a, l := range e.loops {
		if e.revision != nil && (plan.Suspended(was, e.revision.Moves, a) != nil || plan.Suspended(e.held, e.revision.Moves, a) != nil) {
			l.dirty = true
		}
	}
	e.admitted.stale, e.admitted.other = true, true // what is suspended stays as it is for what is made from it
}

// lapse has the suspensions end whose time has come, and returns when the next one does.
func (e *Engine) lapse(now time.Time) time.Duration {
	next := forever
	for i := range e.held {
		s := &e.held[i]
		if s.Over(now) {
			e.suspensions(now)
			return e.lapse(now)
		}
		if !s.Until.IsZero() {
			next = min(next, s.Until.Sub(now))
		}
	}
	return next
}

// suspended returns what has an address left alone, nil when nothing does.
func (e *Engine) suspended(a addr.Object) *suspension.Suspension {
	if e.revision == nil {
		return nil
	}
	return plan.Suspended(e.held, e.revision.Moves, a) // those whose time has come were taken out
}

// suspend moves a loop that has something to do to where it waits until it may. That it is broken as well is told: a
// suspension is no reason not to know.
func (l *loop) suspend(s *suspension.Suspension) bool {
	l.wake = time.Time{}
	switch {
	case l.state.Health == unit.HealthFailed:
		return l.set(PhaseFailed, orText(l.state.Message, "it does not work")+"; nothing is done about it: it is "+s.String())
	case l.state.Existence == unit.Present && !l.state.Ready() && l.state.Message != "":
		return l.set(PhaseSuspended, s.String()+"; and it is not ready: "+l.state.Message)
	}
	return l.set(PhaseSuspended, s.String())
}
