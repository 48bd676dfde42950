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
	told  bool // so do all that waited for a call to end, and say so
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

// orSpent is why a step of a driver did not begin, where its budget is what is in the way.
func (e *Engine) orSpent(name unit.DriverName, otherwise string) string {
	if s, spent := e.spent[name]; spent && s.calls {
		return "it waits " + isSpent
	}
	return otherwise
}

// tellSpent has those who wait for a call of a driver to end say that they wait for its budget now, and tells whether there are
// any. They would say until there is something left that they are about to be done.
func (e *Engine) tellSpent(name unit.DriverName) bool {
	s := e.spent[name]
	if !s.calls || s.told {
		return false
	}
	s.told = true
	e.spent[name] = s
	some := len(e.queued[name]) > 0
	e.decideAnew(name)
	return some
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
		delete(e.unlooked, name)
		return false
	}
	if _, waits := e.unlooked[name]; !waits {
		e.unlooked[name] = time.Now()
	}
	return true
}

// refill lets those go on whose API may be asked again.
func (e *Engine) refill(now time.Time) {
	for name, s := range e.spent {
		if !now.Before(s.until) {
			delete(e.spent, name)
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
