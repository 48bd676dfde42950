package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// isSpent is why something waits whose API was asked all that it may be asked.
const isSpent = "until --api-budget has requests left"

// latestLook is how long an observation may wait for a budget before that is told: a budget that is nearly spent has
// them wait a little again and again, as it is meant to.
const latestLook = 10 * time.Minute

// spending is that nothing more may be asked for now.
type spending struct {
	until time.Time
	calls bool // steps wait for that, and not only observations
}

// overspent tells whether no call of a driver may begin now, as its API was asked all that it may be asked. What waits
// for that goes on when there is something left again, see [Engine.refill].
func (e *Engine) overspent(name unit.DriverName) bool {
	if e.Budget == nil {
		return false
	}
	wait := e.Budget(name)
	if wait <= 0 {
		return false
	}
	s := e.spent[name]
	s.until = time.Now().Add(wait)
	e.spent[name] = s
	return true
}

// waitsForBudget tells whether what comes next of a loop, be it a step or an observation, waits for a budget alone.
func (e *Engine) waitsForBudget(l *loop) bool {
	if l.busy || len(e.spent) == 0 {
		return false
	}
	name := e.target(l.unit, l.address).Locator.Driver
	_, unlooked := e.unlooked[name]
	return l.queued && e.spent[name].calls || unlooked && e.observe[name][l.address]
}

// tellBudget has what is said of a loop be that it waits for a budget, where else it would be that something is done, or about to
// be. What was seen of it is said as before: how it stands may well be known. Nothing is decided by what is only said, so
// that it makes no difference which call or look of it the budget came to its end at.
func (e *Engine) tellBudget(l *loop, s *UnitStatus) {
	switch l.phase {
	case "", PhaseReconciling:
		if e.waitsForBudget(l) {
			s.Phase, s.Reason = PhaseWaiting, isSpent
		}
	case PhaseDeleting:
		if len(l.waits) == 0 && e.waitsForBudget(l) {
			s.Reason = "it waits " + isSpent
		}
	default:
	}
}

// callsWait tells whether steps wait for a budget. To look at everything meanwhile would spend what they wait for, and
// have them wait for the look as well: where a look costs what comes in until the next one, for ever.
func (e *Engine) callsWait() bool {
	for _, s := range e.spent {
		if s.calls {
			return true
		}
	}
	return false
}

// cannotLook tells whether observations of a driver have to wait for its budget.
func (e *Engine) cannotLook(name unit.DriverName) bool {
	if !e.overspent(name) {
		e.looksAgain(name)
		return false
	}
	if _, waits := e.unlooked[name]; !waits {
		e.unlooked[name], e.changed = time.Now(), true
	}
	return true
}

// looksAgain says that no observation of a driver waits for its budget any more.
func (e *Engine) looksAgain(name unit.DriverName) {
	if _, waited := e.unlooked[name]; waited {
		delete(e.unlooked, name)
		e.changed = true
	}
}

// refill lets those go on whose API may be asked again.
func (e *Engine) refill(now time.Time) {
	for name, s := range e.spent {
		if !now.Before(s.until) {
			delete(e.spent, name)
			e.changed = e.changed || len(e.queued[name]) > 0
			e.decideAnew(name)
		}
	}
}

// refilled returns when the next budget has something left, or when it is to be told that an observation waits for one.
func (e *Engine) refilled() time.Duration {
	next := forever
	for _, s := range e.spent {
		next = min(next, max(time.Until(s.until), 0))
	}
	for _, since := range e.unlooked {
		if left := time.Until(since.Add(latestLook)); left > 0 {
			next = min(next, left)
		}
	}
	if unasked := e.unasked(); !slices.Equal(unasked, e.toldUnasked) {
		e.toldUnasked, e.changed = unasked, true
	}
	return next
}

// unasked says which drivers have looked at nothing for too long.
func (e *Engine) unasked() []string {
	var causes []string
	for name, since := range e.unlooked {
		if time.Since(since) >= latestLook {
			causes = append(causes, fmt.Sprintf("observe %s: it waits %s", name, isSpent))
		}
	}
	slices.Sort(causes)
	return causes
}
