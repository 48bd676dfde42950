package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// crowded tells whether too many calls of a driver are running already, or its API was asked enough; then the
// loop decides anew once that has changed.
func (e *Engine) crowded(l *loop, name unit.DriverName) bool {
	in := e.laneOf(l, name)
	if e.room(in) > 0 && !e.full(name) {
		if !e.overspent(name) {
			return false
		}
		s := e.spent[name]
		e.changed = e.changed || !s.calls // so do all now that wait for a call to end
		s.calls = true
		e.spent[name] = s
	}
	if !l.queued {
		l.queued, l.lane = true, in
		e.queued[name] = append(e.queued[name], l)
	}
	return true
}

// full tells whether as many calls are running as may, but for those that are left to other drivers.
func (e *Engine) full(name unit.DriverName) bool { return e.Concurrency > 0 && e.free(name) <= 0 }

// leftToEach is which part of all calls is left to each driver: one with many APIs would take all of them when these hang,
// and what runs them in the cluster could not be mended meanwhile.
const leftToEach = 8

// free is how many calls of a driver may begin, whatever their APIs, where there is a bound.
func (e *Engine) free(name unit.DriverName) int {
	free := e.Concurrency
	for _, n := range e.running {
		free -= n
	}
	for other := range e.Drivers {
		if other != name {
			free -= max(0, e.Concurrency/leftToEach-e.running[other])
		}
	}
	return free
}

// decideNext has as many of those look again that wait for a call of a driver as may begin now, in the order in which
// they would get them, and tells whether there are any. Where thousands wait, the others would decide for nothing.
func (e *Engine) decideNext() bool {
	some := false
	for name, waiting := range e.queued {
		room := len(waiting)
		if e.Concurrency > 0 {
			room = min(room, e.free(name))
		}
		if e.spent[name].calls || room <= 0 || !slices.ContainsFunc(waiting, func(l *loop) bool { return e.room(l.lane) > 0 }) {
			continue
		}
		slices.SortFunc(waiting, func(a, b *loop) int {
			return cmp.Or(cmp.Compare(e.urgency(a), e.urgency(b)), a.address.Compare(b.address))
		})
		taken := map[lane]int{}
		e.queued[name] = e.decideAhead(slices.DeleteFunc(waiting, func(l *loop) bool {
			if room == 0 || e.room(l.lane) <= taken[l.lane] {
				return false
			}
			room--
			taken[l.lane]++
			l.queued, l.dirty, some = false, true, true
			return true
		}))
	}
	return some
}

// decideAnew has all of those look again that wait for a call of a driver: what they wait for is another thing now.
func (e *Engine) decideAnew(name unit.DriverName) {
	for _, l := range e.queued[name] {
		l.queued, l.dirty = false, true
	}
	e.queued[name] = nil
}

// begin starts a call of a driver that is not crowded. What call returns is run by the engine's own
// goroutine.
func (e *Engine) begin(l *loop, name unit.DriverName, call func() func()) {
	e.beginStep(l, name, func(*running) func() { return call() })
}

// beginStep is begin for a call that may let another one begin before it ends.
func (e *Engine) beginStep(l *loop, name unit.DriverName, call func(*running) func()) {
	e.notAhead(l)
	l.busy, l.driver, l.since, l.heard, l.unsent = true, name, e.steps[name], false, false
	in := e.laneOf(l, name)
	e.running[name]++
	e.abreast[in]++
	e.hurry(name)
	r := &running{engine: e, lane: in}
	contain.Go(func() {
		end := call(r)
		e.events <- func() {
			r.end()
			l.busy, l.dirty = false, true
			end()
		}
	})
}

// apply records what is about to happen, and lets the driver take one step.
func (e *Engine) apply(calls context.Context, l *loop, target unit.Target, desired cty.Value, c plan.Change) {
	u, state, deployment, who := l.unit, *l.state, e.revision.Deployment, e.identity()
	l.repairs(c)
	l.unserved = target.Unserved
	e.beginStep(l, u.Spec.Driver(), func(r *running) func() {
		ctx, cancel := context.WithTimeout(calls, e.CallTimeout)
		defer cancel()
		next, err := state, e.intend(ctx, deployment, who, u, state, target, desired, c.Prunes > 0)
		if err == nil {
			now, _ := e.Inventory.Entry(u.Address)
			target = who.Recorded(target, &now)
			next, err = e.Drivers[u.Spec.Driver()].Apply(ctx, target, desired, state)
		}
		if err == nil {
			if target.Locator.Kind == unit.KindObjects {
				r.letNext() // what they led to, of several, meets in one write of the inventory
			}
			err = e.confirm(ctx, u, target, desired, next)
		}
		return func() {
			if err != nil {
				l.failed = c.Action
			}
			e.applied(l, c, next, err)
		}
	})
}

// applied takes the result of a step.
func (e *Engine) applied(l *loop, c plan.Change, state unit.State, err error) {
	if err != nil {
		e.failed(l, err)
		return
	}
	if !plan.Foreign(l.unit, state) { // else somebody's own object was found in place of a creation
		l.done(c.Action)
		l.repaired()
		l.altered = true
	}
	l.polls, l.failed = 0, ""
	e.hasMoved(l, c)
	if c.Action == unit.ActionUpdate && c.Renames() {
		e.doubtHeldBack() // the name that it had may be what another one waits for
	}
	e.stepped(l)
	e.wakeOnNode(l)
	e.saw(l, state)
	if state.Existence == unit.Unknown {
		l.stale = true
	}
}

// failed waits before the next attempt, which begins with a look at what the failed one did.
func (e *Engine) failed(l *loop, err error) {
	l.dirty, l.unsent = false, errors.Is(err, unit.ErrNotWriter)
	news := !l.retries(l.guard.step) || !unit.IsBlocked(err) || l.reason != err.Error()
	if news {
		l.attempts++
		e.changed = true
	}
	if unit.IsBlocked(err) {
		l.guard.refused, l.guard.why, l.guard.holder = l.guard.step, err.Error(), e.holder(l, err)
		l.stale, l.dirty = true, true
		l.set(PhaseBlocked, err.Error())
	} else {
		l.wake = time.Now().Add(max(retryDelay(l.attempts), unit.RetryAfter(err)))
		l.set(PhaseFailed, err.Error())
	}
	l.guard.step, l.guard.steps, l.guard.doubted = "", 0, ""
	e.noteFollows(l, err)
	e.wakeDependents(l)
	e.Log.Warn().Stringer("unit", l.address).Int("attempt", l.attempts).Err(err).Msg("a step failed")
}

// remove lets the driver take one step towards the absence of what a loop stands for.
func (e *Engine) remove(calls context.Context, l *loop, target unit.Target, c plan.Change) {
	state, who := *l.state, e.identity()
	l.repairs(c)
	e.begin(l, target.Locator.Driver, func() func() {
		ctx, cancel := context.WithTimeout(calls, e.CallTimeout)
		defer cancel()
		left, err := e.removeFormer(ctx, who, target.Address)
		next := state
		if err == nil && left == nil {
			next, err = e.removeOne(ctx, who, target, state, c)
		}
		return func() {
			if err != nil {
				e.failed(l, err)
				return
			}
			e.stepped(l)
			e.saw(l, next)
			if left != nil {
				l.dirty = false
				l.wake = time.Now().Add(pollDelay(left.After, l.polls))
				return
			}
			if next.Existence != unit.Absent {
				l.dirty = false
				l.wake = time.Now().Add(pollDelay(next.After, l.polls))
				return
			}
			l.attempts, l.replaced = 0, true
			l.guard = guard{}
			l.done(c.Action)
			l.stale = l.stale || target.Leaves != "" // what was looked at is not what comes now
			e.wakeFreed()
		}
	})
}

func (e *Engine) removeOne(ctx context.Context, who plan.Identity, target unit.Target, state unit.State, c plan.Change) (unit.State, error) {
	entry, known := e.Inventory.Entry(target.Address)
	if !known && target.TakesData && c.Action == unit.ActionDelete { // see [Engine.remnants]
		entry, known = inventory.Entry{UID: target.UID, Address: target.Address, Class: c.Class, Locator: target.Locator}, true
	}
	if known && (entry.Phase != inventory.Deleting || !entry.Data.Equal(c.Data)) {
		entry.Phase, entry.Data = inventory.Deleting, c.Data
		entry.Healing = cmp.Or(target.Remedy, entry.Healing)
		if err := e.Inventory.Put(ctx, entry); err != nil {
			return state, err
		}
	}
	target.Data = c.Data // and no others, whatever was made since the plan
	next, err := e.Drivers[target.Locator.Driver].Delete(ctx, target, state)
	if known && err == nil && c.Action != unit.ActionReplace {
		// It is on record before the release is gone, which could not be asked any more.
		if cleaned := plan.CleanedUp(&entry, next); !slices.Equal(cleaned, entry.CleanedUp) {
			entry.CleanedUp = cleaned
			err = e.Inventory.Put(ctx, entry)
		}
	}
	if err != nil || next.Existence != unit.Absent {
		return next, err
	}
	if c.Action == unit.ActionReplace {
		entry = who.Anew(entry)
		entry.Before = state.Before // what comes now is to be told from what was there besides
		if target.Leaves != "" {
			entry.Locator = target.Spec.Locator() // or it would be left once more
		}
		return next, e.Inventory.Put(ctx, entry)
	}
	return next, e.drop(ctx, target)
}

// drop takes what is gone from the record, where of a service only what went along with it stays; and nothing at all
// of one whose data went as well.
func (e *Engine) drop(ctx context.Context, target unit.Target) error {
	a := target.Address
	entry, known := e.Inventory.Entry(a)
	var err error
	switch {
	case target.TakesData:
		err = e.Inventory.SetInstalled(ctx, a)
	case known && isService(entry.Class) && entry.Applied != "":
		err = e.Inventory.SetUninstalled(ctx, a, entry.CleanedUp)
	}
	if err != nil {
		return err
	}
	return e.Inventory.Remove(ctx, a)
}

// isService tells whether a class is that of services: some of them are infrastructure of the others.
func isService(class unit.Class) bool {
	return class == unit.ClassService || class == unit.ClassInfrastructure
}

// forget drops the entry of what is gone already, or stays and is not managed any more: a service that stays was
// not uninstalled, and does not count as such. What may still come is not gone.
func (e *Engine) forget(calls context.Context, l *loop) {
	target, state := e.target(nil, l.address), *l.state
	gone := state.Existence == unit.Absent
	entry, _ := e.entry(l.address)
	_, inherited := e.nodes.Heir(&entry) // what it is about is another unit's from now on
	forgets := e.revision.Removals.Forgets(l.address)
	late := gone && (target.Attempted || target.Before != nil) && target.ID == "" && !forgets
	e.begin(l, target.Locator.Driver, func() func() {
		ctx, cancel := context.WithTimeout(calls, e.CallTimeout)
		defer cancel()
		next, err := state, error(nil)
		if late { // an attempt to create it may still come to something, which nothing else would tell of
			next, err = e.Drivers[target.Locator.Driver].Delete(ctx, target, state)
		}
		came := next.Existence != state.Existence
		if disowner, ok := e.Drivers[target.Locator.Driver].(Disowner); ok && forgets && !inherited {
			err = disowner.Disown(ctx, target) // or the next process would put it on record again, and delete it
		}
		switch {
		case err != nil || came:
		case gone:
			err = e.drop(ctx, target)
		default:
			err = e.Inventory.Remove(ctx, target.Address)
		}
		return func() {
			switch {
			case err != nil:
				e.failed(l, err)
			case came:
				e.saw(l, next)
			default:
				l.done(unit.ActionForget)
				if target.Locator.Kind == unit.KindNode {
					e.closing.forgot = time.Now()
					e.closing.begin(e.closing.forgot) // what was disabled as it was to leave is to be enabled
				}
				e.stepped(l) // it may have been deleted by somebody else
			}
		}
	})
}
