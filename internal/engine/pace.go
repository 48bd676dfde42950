package engine

import (
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// pace is how often a driver is looked at that hears nothing of what happens in the world: the longer nothing has
// changed there, the more seldom.
type pace struct {
	every time.Duration // from the next look to the one after it
	next  time.Time
}

// hurry has a driver looked at soon: where something has changed, more is likely to. A look that is due earlier stays
// due, so that a driver which is busy all the time is looked at as well.
func (e *Engine) hurry(name unit.DriverName) {
	least := e.Paces[name]
	if least == 0 {
		return
	}
	p := pace{every: least, next: time.Now().Add(least)}
	if was, paced := e.paces[name]; paced && was.next.Before(p.next) {
		p.next = was.next
	}
	e.paces[name] = p
}

// looked says that everything is observed now, whatever the paces are.
func (e *Engine) looked() {
	for name, least := range e.Paces {
		if least == 0 {
			continue // it is looked at along with everything else alone
		}
		every := max(e.paces[name].every, least)
		e.paces[name] = pace{every: every, next: time.Now().Add(every)}
	}
}

// keepPace has drivers looked at for which it is time. One that would spend what steps wait for is left out.
func (e *Engine) keepPace(now time.Time) {
	if e.callsWait() {
		return
	}
	for name, p := range e.paces {
		if now.Before(p.next) {
			continue
		}
		e.lookAt(name, now)
		p.every = min(2*p.every, max(e.Resync, e.Paces[name]))
		p.next = now.Add(p.every)
		e.paces[name] = p
	}
}

// paced returns when the next driver is due. A look that comes when everything is looked at anyway is left to that.
func (e *Engine) paced() time.Duration {
	next := forever
	if e.callsWait() {
		return next
	}
	for _, p := range e.paces {
		if p.next.Before(e.resync) {
			next = min(next, max(time.Until(p.next), 0))
		}
	}
	return next
}

// lookAt has all of a driver observed again that stands still. What goes on, or rests after a failure, is observed at
// times of its own.
func (e *Engine) lookAt(name unit.DriverName, now time.Time) {
	for _, l := range e.order {
		if !l.seen || l.busy || l.polled() || l.resting(now) || e.target(l.unit, l.address).Locator.Driver != name {
			continue
		}
		l.stale, l.dirty = true, true
	}
}
