package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// want asks for an observation. Those that are asked for at the same time go into one call.
func (e *Engine) want(l *loop) {
	name := e.target(l.unit, l.address).Locator.Driver
	if e.observe[name] == nil {
		e.observe[name] = map[addr.Object]bool{}
	}
	if _, waits := e.unlooked[name]; waits && !e.observe[name][l.address] {
		e.changed = true // so does this one
	}
	e.observe[name][l.address] = true
}

const (
	// lookAlone is for how long an observation of a driver is the only one. One that takes longer waits for something outside, as
	// a repository of charts or an API that hangs, and what happens to all else is to be seen meanwhile.
	lookAlone = time.Second
	// maxLooks is how many observations of one driver run at once.
	maxLooks = 4
)

// waitToLook is how long a driver's next observation has to wait for those that run; forever until one of them ends.
// OpenStack is looked at as a whole, which one at a time does best.
func (e *Engine) waitToLook(name unit.DriverName) time.Duration {
	switch n := e.looking[name]; {
	case n == 0:
		return 0
	case n >= maxLooks, name == unit.OpenStack:
		return forever
	}
	return max(0, time.Until(e.lookedLast[name].Add(lookAlone)))
}

// lookAround begins the observations that were asked for, as a rule one at a time for each driver. It returns when one can
// begin that waits for others to be alone no more; what waits for a call to end, or for a budget, is woken by that.
func (e *Engine) lookAround(calls context.Context) time.Duration {
	e.lookHeld = false
	next := forever
	for name, wanted := range e.observe {
		if len(wanted) == 0 {
			e.looksAgain(name) // nothing waits for a budget
			continue
		}
		if wait := e.waitToLook(name); wait > 0 {
			next = min(next, wait)
			continue
		}
		if e.cannotLook(name) {
			continue
		}
		if e.full(name) {
			e.lookHeld = true
			continue
		}
		targets := make([]unit.Target, 0, len(wanted))
		for a := range wanted {
			l := e.loops[a]
			if _, leaves := e.places.To[a]; l == nil || l.busy || leaves {
				delete(wanted, a) // it looks again when its call has ended
				continue
			}
			l.busy, l.looks, l.stale = true, true, false
			last := *l.state
			last.Observed = nil // nothing is decided by it any more, and there would be two of each beside each other
			l.state = &last
			t := e.target(l.unit, a)
			t.Unserved, t.Outputs, t.Anew, t.Asked = e.unserving(l), l.state.Outputs, l.anew, l.asked
			l.anew = false
			l.unserved = t.Unserved
			targets = append(targets, t)
		}
		if len(targets) == 0 {
			continue
		}
		slices.SortFunc(targets, func(a, b unit.Target) int { return a.Address.Compare(b.Address) })
		asked := addressesOf(targets)
		e.observe[name] = nil
		e.looking[name]++
		e.lookedLast[name] = time.Now()
		e.running[name]++
		contain.Go(func() {
			states, err := e.observeOne(calls, e.CallTimeout, name, targets)
			e.events <- func() {
				e.looking[name]--
				e.running[name]--
				e.observed(asked, states, err)
			}
		})
	}
	return next
}

// observeOne observes with one driver, and waits no longer than the limit for it.
func (e *Engine) observeOne(ctx context.Context, limit time.Duration, name unit.DriverName, targets []unit.Target) (map[addr.Object]unit.State, error) {
	driver := e.Drivers[name]
	if driver == nil {
		return nil, fmt.Errorf("there is no connection to %s", name)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s did not answer within %s", name, limit))
	defer cancel()
	made := madeFromSecrets(targets)
	states, err := driver.Observe(ctx, targets)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		late := context.Cause(ctx)
		for a, state := range states { // whatever request it was that took so long
			if state.Existence == unit.Unknown && strings.Contains(state.Message, context.DeadlineExceeded.Error()) {
				state.Message = late.Error()
				states[a] = state
			}
		}
		err = fmt.Errorf("%w: %w", late, err)
	}
	return e.withSecrets(ctx, made, states), err
}

func addressesOf(targets []unit.Target) []addr.Object {
	addresses := make([]addr.Object, len(targets))
	for i := range targets {
		addresses[i] = targets[i].Address
	}
	return addresses
}

// observeAll observes with all drivers at once, for a plan that nobody acts on.
func (e *Engine) observeAll(ctx context.Context, targets map[unit.DriverName][]unit.Target) (map[addr.Object]*unit.State, error) {
	var mutex sync.Mutex
	var group contain.Group
	all := map[addr.Object]*unit.State{}
	var failures []error
	for name, list := range targets {
		group.Go(func() {
			asked := addressesOf(list)
			states, err := e.observeOne(ctx, min(planPatience, e.CallTimeout), name, list)
			mutex.Lock()
			defer mutex.Unlock()
			for _, a := range asked {
				state, ok := states[a]
				if !ok && err != nil {
					state.Message = err.Error()
				}
				all[a] = &state
			}
			if err != nil {
				failures = append(failures, fmt.Errorf("observe %s: %w", name, err))
			}
		})
	}
	group.Wait()
	return all, errors.Join(failures...)
}

// observed takes the result of an observation.
func (e *Engine) observed(asked []addr.Object, states map[addr.Object]unit.State, err error) {
	for _, a := range asked {
		l := e.loops[a]
		if l == nil {
			continue
		}
		l.busy, l.looks, l.dirty = false, false, true
		state := states[a]
		if state.Existence == unit.Unknown {
			e.blind(l, state, err)
			continue
		}
		if l.unplanned || (l.state.Existence == unit.Unknown || l.dim() && len(state.Unseen) == 0) && e.admitted.revision == e.revision {
			e.admitted.stale, l.unplanned = true, false // what the plan could not see is seen now
		}
		if l.blind > 0 {
			l.wake = time.Time{}
		}
		if l.polled() && l.state.Message == state.Message {
			l.polls++
		} else {
			l.polls = 0
		}
		e.saw(l, state)
	}
}

// saw takes a new state, and has those look again to whom it makes a difference, whether or not
// the phase changes by it.
func (e *Engine) saw(l *loop, state unit.State) {
	old := l.state
	if state.Secrets == nil && state.Withheld == "" { // a driver's own step knows of none
		state.Secrets = old.Secrets
	}
	l.seen, l.state = true, &state
	e.counts(l, state)
	e.freed = e.freed || state.Gone() && !old.Gone()
	if old.ID != state.ID || old.Notice != state.Notice || old.API != state.API || !slices.Equal(old.Details, state.Details) {
		e.changed = true
	}
	if !slices.Equal(old.Unseen, state.Unseen) || old.Existence != state.Existence || old.Installed != state.Installed || !sameOutputs(old.Outputs, state.Outputs) {
		e.wakeDependents(l)
	}
}

func sameOutputs(a, b cty.Value) bool {
	if a == cty.NilVal || b == cty.NilVal {
		return a == cty.NilVal && b == cty.NilVal
	}
	return a.RawEquals(b)
}

// blind is for a unit that could not be observed: the last state counts no more, and nothing is
// done before the next attempt. While what serves its API is not ready that is no failure, however
// often it happens: it waits, as it would if nothing of it existed.
func (e *Engine) blind(l *loop, state unit.State, err error) {
	if state.Message == "" && err != nil {
		state.Message = err.Error()
	}
	l.seen = true // but what was asked for meanwhile stays due
	l.lacks = nil
	state.Outputs, state.Secrets = l.state.Outputs, l.state.Secrets
	l.state = &state
	waits := l.awaitsAPI(e)
	if l.blinded() && !waits {
		l.blind = 0 // what came before says nothing about an API that is ready
	}
	l.blind++
	l.dirty = l.stale
	l.wake = time.Now().Add(max(retryDelay(l.blind), unit.RetryAfter(err)))
	var changed bool
	if waits {
		if l.gated(e) {
			l.wake = time.Time{} // nothing to see until then
		}
		changed = l.set(PhaseWaiting, "", e.unmet(l, unit.GateStart)...)
	} else if entry, ok := e.entry(l.address); ok && e.keeps(&entry) {
		l.dirty = true // it stays, seen or not, and its step says so
	} else {
		changed = l.set(PhaseFailed, orText(state.Message, "it could not be observed"))
	}
	e.changed = true // at least the number of attempts
	if changed {
		e.wakeDependents(l)
	}
}
