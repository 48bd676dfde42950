package engine

import (
	"context"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
)

// Suspend has the engine leave alone what these name, beside what its revision suspends; they take the place of
// those that were given before. What is running is finished. The error is the context's.
func (e *Engine) Suspend(ctx context.Context, list []suspension.Suspension) error {
	list = slices.Clone(list)
	return e.send(ctx, func() {
		e.told = list
		e.suspensions(time.Now())
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
		if before, after := suspension.Of(was, a, time.Time{}), suspension.Of(e.held, a, now); before != nil || after != nil {
			l.dirty = true
		}
	}
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
	return suspension.Of(e.held, a, time.Time{}) // those whose time has come were taken out
}

// suspend moves a loop that has something to do to where it waits until it may.
func (l *loop) suspend(s *suspension.Suspension) bool {
	l.wake = time.Time{}
	return l.set(PhaseSuspended, s.String())
}
