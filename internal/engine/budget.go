package engine

import (
	"fmt"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// isSpent is why something waits whose API was asked all that it may be asked.
const isSpent = "until --api-budget has requests left"

// spending is that nothing more may be asked for now.
type spending struct {
	until time.Time
	blind bool // an observation waits for that, too
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
	if _, spent := e.spent[name]; spent {
		return "it waits " + isSpent
	}
	return otherwise
}

// cannotLook tells whether observations of a driver have to wait for its budget.
func (e *Engine) cannotLook(name unit.DriverName) bool {
	if !e.overspent(name) {
		return false
	}
	if s := e.spent[name]; !s.blind {
		s.blind, e.changed = true, true
		e.spent[name] = s
	}
	return true
}

// refill lets those go on whose API may be asked again.
func (e *Engine) refill(now time.Time) {
	for name, s := range e.spent {
		if !now.Before(s.until) {
			delete(e.spent, name)
			e.changed = e.changed || s.blind
			e.decideAnew(name)
		}
	}
}

// refilled returns when the next budget has something left.
func (e *Engine) refilled() time.Duration {
	next := forever
	for _, s := range e.spent {
		next = min(next, max(time.Until(s.until), 0))
	}
	return next
}

// unasked says which drivers look at nothing for now.
func (e *Engine) unasked() []string {
	var causes []string
	for name, s := range e.spent {
		if s.blind {
			causes = append(causes, fmt.Sprintf("observe %s: it waits %s", name, isSpent))
		}
	}
	return causes
}
