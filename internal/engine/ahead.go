package engine

import (
	"context"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// mostAhead bounds the units of a revision that are on record while they wait for the call that creates them: enough
	// that one write of the inventory has several, and no more, as the next commit may not want them.
	mostAhead = 128
	// mostAfter bounds the calls of a driver that have ended but for the record of what they led to: should that not
	// get anywhere, nothing more is begun.
	mostAfter = 64
)

// recordsAhead begins to put on record what is about to be created, where it has to wait for a call of its driver to
// end, and tells whether it did. Only few calls run at a time, and the records of few meet in the same write of the
// inventory; these do. Once it is its turn all is decided anew, with nothing more to be written before its request is
// sent. Only manifests are dealt with so: what is on record and not there is created, or forgotten, whatever was done
// about it; unless the configuration has it stay.
func (e *Engine) recordsAhead(calls context.Context, l *loop, target unit.Target, desired cty.Value, c plan.Change) bool {
	name := l.unit.Spec.Driver()
	if e.ahead >= mostAhead || !e.mayBeAhead(l) || e.room(e.laneOf(l, name)) > 0 && !e.full(name) || e.overspent(name) {
		return false
	}
	u, state, deployment, who := l.unit, *l.state, e.revision.Deployment, e.identity()
	l.busy, l.ahead = true, true
	e.ahead++
	e.recording[name]++
	contain.Go(func() {
		ctx, cancel := context.WithTimeout(calls, e.CallTimeout)
		defer cancel()
		err := e.intend(ctx, deployment, who, u, state, target, desired, false)
		e.events <- func() {
			e.recording[name]--
			l.busy, l.dirty = false, true
			if err != nil {
				e.notAhead(l)
				l.failed = c.Action
				e.failed(l, err)
			}
		}
	})
	return true
}

// mayBeAhead tells whether what a loop is about to do is to create the objects of a manifest for the first time.
func (e *Engine) mayBeAhead(l *loop) bool {
	if l.ahead || l.unit == nil || l.change.action != unit.ActionCreate || l.state.Existence != unit.Absent || l.guard.step != "" || l.guard.refused != "" || l.guard.doubted != "" {
		return false
	}
	locator := l.unit.Spec.Locator()
	if l.unit.Class != unit.ClassWorkload || locator.Kind != unit.KindObjects || locator.Keep || l.unit.PreventDestroy || l.unit.Stays {
		return false
	}
	_, known := e.Inventory.Entry(l.address)
	return !known
}

// notAhead says that a loop waits no more for its call, with a record or without.
func (e *Engine) notAhead(l *loop) {
	if l.ahead {
		l.ahead = false
		e.ahead--
	}
}

// decideAhead has those decide next that can be put on record while they wait for a call, many at once and only when few
// are left that are. It returns the others.
func (e *Engine) decideAhead(waiting []*loop) []*loop {
	room := mostAhead - e.ahead
	if room < mostAhead/2 {
		return waiting
	}
	return slices.DeleteFunc(waiting, func(l *loop) bool {
		if room == 0 || !e.mayBeAhead(l) {
			return false
		}
		room--
		l.queued, l.dirty = false, true
		return true
	})
}

// running is a call that may let another one begin before what it led to is on record.
type running struct {
	engine *Engine
	lane   lane
	over   bool // that is all that is left of it; only the engine's own goroutine asks
}

// letNext lets another call begin: the driver has done its work.
func (r *running) letNext() {
	e := r.engine
	e.events <- func() {
		if e.recording[r.lane.driver] < mostAfter {
			r.over = true
			r.leave()
			e.recording[r.lane.driver]++
		}
	}
}

// end says that it has ended.
func (r *running) end() {
	if r.over {
		r.engine.recording[r.lane.driver]--
	} else {
		r.leave()
	}
}

// leave says that it keeps no other call waiting any more.
func (r *running) leave() {
	r.engine.running[r.lane.driver]--
	r.engine.abreast[r.lane]--
}
