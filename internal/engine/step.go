package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// forever stands for no time at which anything is due.
const forever = time.Hour

// advance takes every loop as far as it goes without waiting, begins calls, and returns when it is
// to be called again without an event, and whether anything changed.
func (e *Engine) advance(calls context.Context, once bool) (time.Duration, bool) {
	now := time.Now()
	next, changed := forever, false
	e.recorded = nil
	if e.Resync > 0 && e.revision != nil && !once {
		if !now.Before(e.resync) && !e.callsWait() {
			e.lookAgain()
		}
		e.keepPace(now)
		if now.Before(e.resync) { // else a budget is waited for
			next = min(next, time.Until(e.resync))
		}
	}
	next = min(next, e.lapse(e.Now()))
	e.refill(now)
	if e.records != nil {
		next = min(next, e.lookAtRecords(calls, now))
	}
	if e.freed { // however many at once
		e.freed = false
		e.wakeFreed()
	}
	if e.lookHeld { // or steps would take its place again and again
		e.lookAround(calls)
	}
	for again := true; again; {
		again = e.decideNext()
		for turn := toRepair; turn <= calmest; turn++ {
			for _, l := range e.order {
				if l.due(now); !l.dirty || l.busy || e.urgency(l) > turn {
					continue
				}
				l.dirty = false
				moved := e.takeStep(calls, l)
				if serves := l.serves(); moved || serves != l.served {
					l.served, again = serves, true
					e.wakeDependents(l)
				}
				again = e.wakeNodes(l) || again
				changed = changed || moved
			}
		}
	}
	retired, told := e.retire(calls)
	next, changed = min(next, retired), changed || told
	next = min(next, e.lookAround(calls), e.replan(calls), e.refilled())
	if e.revision != nil && !once {
		next = min(next, e.paced())
	}
	idle := e.revision != nil && !e.admitted.stale && !e.admitted.planning && len(e.spent) == 0
	for _, l := range e.loops {
		if !l.wake.IsZero() {
			next = min(next, max(time.Until(l.wake), 0))
		}
		if m := l.mending; m != nil && !m.wake.IsZero() {
			next = min(next, max(time.Until(m.wake), 0))
		}
		idle = idle && (l.final() || e.stuck(l))
	}
	idle = idle && !e.takeBack(calls)
	trails, open := e.forward(calls)
	next, idle = min(next, trails), idle && !open
	wait, soon := e.reopen(calls, now)
	next, idle = min(next, wait), idle && !soon
	wait, soon = e.countAnew(now)
	next, idle = min(next, wait), idle && !soon
	again := e.doubtRefused(idle)
	next, idle = min(next, again), idle && again > 0
	if e.settled != idle {
		e.settled, changed = idle, true
	}
	e.tellAsked()
	changed, e.changed = changed || e.changed, false
	return next, changed
}

// wakeDependents has those look again for whom this loop may have been the reason to wait.
func (e *Engine) wakeDependents(l *loop) {
	for _, a := range e.needed[l.address] {
		if d := e.loops[a]; d != nil {
			d.dirty = true
			if l.phase == PhaseReady || l.served {
				d.guard.doubt()                  // what the driver refused may be possible now
				d.stale = d.stale || d.blinded() // and what could not be seen may be seen
			}
			d.stale = d.stale || d.outlooks(l)
		}
	}
	l.altered = l.altered && l.phase != PhaseReady
	if l.phase == PhaseGone && l.driver == unit.Helm {
		e.wakeForRelease(l)
	}
	if l.phase == PhaseGone || l.phase == PhaseReady {
		e.wakeVanished() // what is to go may have waited for this
	}
}

// wakeVanished has what is to go look again.
func (e *Engine) wakeVanished() {
	for _, l := range e.unwanted {
		l.dirty = true
	}
}

// wakeDeleting has everything look again that may have waited for a deletion.
func (e *Engine) wakeDeleting() {
	for _, l := range e.loops {
		if l.phase == PhaseDeleting {
			l.dirty = true
		}
	}
}

// wakeFreed has those look again that may have waited for something to be gone, be it that a step of ours has ended with that or that a
// look has told it later, as with what takes its time to go.
func (e *Engine) wakeFreed() {
	e.wakeDeleting()
	e.wakeFollowers()
	e.doubtHeldBack()
}

// stuck tells whether a loop waits for others that will not move in this pass.
func (e *Engine) stuck(l *loop) bool {
	if l.busy || l.dirty || len(l.waits) == 0 || l.phase != PhaseWaiting && l.phase != PhaseDeleting && l.phase != PhaseProgressing {
		return false
	}
	causes := e.causes(l)
	return len(causes) > 0 && !slices.ContainsFunc(causes, func(a addr.Object) bool { return !e.loops[a].final() })
}

// causes returns the loops at the roots of what a loop waits for, if all of those are final, or blocked as long
// as nothing else turns out.
func (e *Engine) causes(l *loop) []addr.Object {
	var roots []addr.Object
	seen := map[addr.Object]bool{}
	var visit func(*loop) bool
	visit = func(l *loop) bool {
		if seen[l.address] {
			return true
		}
		seen[l.address] = true
		if len(l.waits) == 0 || l.final() {
			if l.phase == PhaseReady || l.phase == PhaseGone || !l.final() && l.phase != PhaseBlocked {
				return false // it moves, or it is about to let the other one go on
			}
			roots = append(roots, l.address)
			return true
		}
		for _, a := range l.waits {
			if w := e.loops[a]; w == nil || !visit(w) {
				return false
			}
		}
		return true
	}
	if !visit(l) {
		return nil
	}
	slices.SortFunc(roots, addr.Object.Compare)
	return roots
}

// step decides what a loop does now, and tells whether its phase changed.
func (e *Engine) step(calls context.Context, l *loop) bool {
	if e.protect(calls, l) {
		return false
	}
	resting := l.resting(time.Now())
	if resting && !l.stale && (l.state.Existence == unit.Unknown || e.admitted.revision != e.revision) {
		return false // not yet
	}
	if _, leaves := e.places.To[l.address]; leaves {
		return e.stepMove(calls, l, resting)
	}
	if l.unit == nil {
		return e.stepVanished(calls, l, resting)
	}
	if !l.seen || l.stale || l.state.Existence == unit.Unknown && l.phase != PhaseFailed {
		if l.gated(e) && l.state.Existence == unit.Unknown {
			if waits := e.unmet(l, unit.GateStart); len(waits) > 0 {
				l.stale = false
				return l.set(PhaseWaiting, "", waits...)
			}
		}
		e.want(l)
		return l.seen && l.phase == "" && l.set(PhaseReconciling, "is observed")
	}
	if a := &e.admitted; a.revision != e.revision {
		return l.set(PhaseWaiting, forThePlan)
	} else if refused := a.refused(); len(refused) > 0 {
		return l.set(PhaseBlocked, "the plan was refused: "+refused[0].Summary)
	}
	if waits := e.awaited(l.address); len(waits) > 0 {
		return l.set(PhaseWaiting, "", waits...)
	}
	revealed := plan.Revealed(l.unit, *l.state)
	desired, diags := plan.Desired(revealed, e.outputs)
	if diags.HasErrors() {
		return l.set(PhaseBlocked, diags[0].Error())
	}
	entry, known := e.Inventory.Entry(l.address)
	entryPointer := &entry
	if !known {
		entryPointer = nil
	}
	target := e.identity().Target(l.unit, entryPointer)
	target.Triggers, target.Sensitive = plan.Triggers(revealed, e.outputs, e.Marker), plan.Sensitive(desired, e.Marker)
	target.Renewed, target.Asked = plan.Renewed(target.Sensitive, entryPointer), l.asked
	target.Lost, target.Unserved = plan.Lost(l.unit, e.entry), e.unserving(l)
	plan.Heal(&target, l.unit, entryPointer, desired, time.Now())
	l.decided = decided{target.Complete, target.Triggers, target.Sensitive}
	l.former.left = known && len(entry.Former) > 0
	driver := e.Drivers[l.unit.Spec.Driver()]
	c := plan.Decide(l.unit, entryPointer, target, desired, *l.state, driver.Compare)
	e.note(l, c)
	e.whole(l, c)
	e.noteHealing(l, entry.Healing)
	if c.Heals {
		target.Remedy = plan.Remedy(target, l.unit, desired, time.Now())
	}
	if c.Action != unit.ActionUnknown {
		l.lacks = nil
	}
	held := e.suspended(l.address)
	if held != nil && c.Action.Changes() && c.Action != unit.ActionDeferred && !c.Waits {
		return l.suspend(held)
	}
	resting = resting && l.rests(c)
	if !known && c.Kind == unit.KindRelease && c.Action.Changes() {
		if holder := plan.ReleaseHolder(l.unit, e.Inventory.Entries()); !holder.IsZero() {
			return e.waitForRelease(l, holder)
		}
	}
	if (e.heldBack(l, c) || resting && l.failedElsewhere(c)) && held == nil && e.mend(calls, l, target, desired, c) {
		return !resting && l.set(PhaseReconciling, "puts back what was changed outside")
	}
	if resting && (c.Action != unit.ActionNone || l.failed == "" && e.unrecorded(l, desired)) {
		return false // but had somebody else mended it, that would count at once, unless to record that is what failed
	}
	switch c.Action {
	case unit.ActionNone:
		if _, planned := e.admitted.allows(c); planned != nil && planned.Action == unit.ActionBlocked && planned.Wanted == c.Action {
			return l.set(PhaseBlocked, planned.Reason) // a node whose record has to stay as it is, or what is another block's
		}
		e.hasMoved(l, c) // the plan may be older than that, or nobody has told that it was done
		return e.stepSame(calls, l, desired)
	case unit.ActionBlocked:
		l.guard.calm() // beside that nothing is left to be done
		if waits := e.unmet(l, unit.GateStart); l.isLookup() && l.state.Existence == unit.Absent && len(waits) > 0 {
			return l.set(PhaseWaiting, "", waits...) // it may come with those
		}
		if l.state.After > 0 { // what blocks it may go by itself
			l.wake = time.Now().Add(l.state.After)
		}
		return l.set(PhaseBlocked, c.Reason)
	case unit.ActionUnknown:
		return e.stepUnseen(l, c.Reason)
	case unit.ActionDeferred:
		l.wake = time.Now().Add(brokenDelay(l.polls))
		return l.set(PhaseWaiting, c.Reason)
	default: // there is something to do, or was begun
	}
	if c.Waits {
		return l.waitsFor(c.Reason)
	}
	if _, planned := e.admitted.allows(c); planned != nil && planned.Action == unit.ActionBlocked && planned.Wanted == c.Action {
		return l.set(PhaseBlocked, planned.Reason)
	}
	if c.Action.Destroys() {
		return e.stepReplace(calls, l, target, c)
	}
	if waits := e.unmetFor(l); len(waits) > 0 && !c.Ends {
		return l.set(PhaseWaiting, "", waits...)
	}
	if !c.Ends && desired != cty.NilVal && !desired.IsWhollyKnown() {
		if others := e.others(l); len(others) > 0 {
			return l.set(PhaseWaiting, "for outputs of what it refers to", others...)
		}
		return l.set(PhaseBlocked, "what it refers to does not say all that is needed")
	}
	if waits := e.unopened(l, c); len(waits) > 0 {
		return l.set(PhaseWaiting, "for its slot there", waits...)
	}
	if waits := e.unleft(l, c); len(waits) > 0 {
		return l.set(PhaseWaiting, "for nodes to leave the slot that it gives up", waits...)
	}
	if waits := e.inTurn(l, c); len(waits) > 0 {
		return l.set(PhaseWaiting, "for its turn among the network nodes", waits...)
	}
	if e.mustClose(l, c) {
		return l.waitForPlan(&e.admitted, closesFirst)
	}
	return e.stepChange(calls, l, target, desired, c)
}

// note keeps what was decided, for the report.
func (e *Engine) note(l *loop, c plan.Change) {
	c.Tell(*l.state)
	if old := &l.change; old.action != c.Action || old.drift != c.Drift || old.cost != c.Cost || signature(old.fields) != signature(c.Fields) || signature(old.mends) != signature(c.Mends) {
		e.changed = true
		if _, mends := c.Mending(); c.Drift || mends { // what is only reported as well
			e.hurry(e.target(l.unit, l.address).Locator.Driver)
		}
	}
	l.change = noteOf(c)
}

// stepSame is for a unit that is as it should be.
func (e *Engine) stepSame(calls context.Context, l *loop, desired cty.Value) bool {
	if !l.isLookup() && l.state.Installed && l.state.Existence == unit.Present && e.unrecorded(l, desired) {
		if !e.crowded(l, l.unit.Spec.Driver()) {
			e.settle(calls, l, desired)
		}
		return false
	}
	l.guard.calm()
	l.attempts = 0
	switch {
	case l.state.Existence == unit.Absent:
		return l.set(PhaseBlocked, orText(l.state.Message, orText(l.change.reason, "it is not there")))
	case l.state.Health == unit.HealthFailed:
		l.wake = time.Now().Add(max(l.state.After, brokenDelay(l.polls)))
		return l.set(PhaseFailed, l.state.Message)
	case !l.state.Ready():
		l.wake = time.Now().Add(pollDelay(l.state.After, l.polls))
		return l.set(PhaseProgressing, l.state.Message)
	}
	if waits := e.unmet(l, unit.GateReady); len(waits) > 0 {
		return l.set(PhaseProgressing, "", waits...)
	}
	l.polls, l.wake, l.found = 0, time.Time{}, nil
	if l.state.After > 0 {
		l.wake = time.Now().Add(l.state.After)
	}
	return e.ready(l)
}

// stepChange begins a change that nothing holds back.
func (e *Engine) stepChange(calls context.Context, l *loop, target unit.Target, desired cty.Value, c plan.Change) bool {
	if c.NeedsAdmission() {
		if ok, _ := e.admitted.allows(c); !ok {
			return l.waitForPlan(&e.admitted, "it is more than a repair")
		}
		if e.admitted.outdated(c) {
			return l.waitForPlan(&e.admitted, askAgain)
		}
		l.replans = 0
	}
	if e.recordsAhead(calls, l, target, desired, c) {
		return l.tries("", PhaseReconciling, string(c.Action))
	}
	if ready, changed := e.mayStep(l, c, l.unit.Spec.Driver()); !ready {
		return changed
	}
	e.apply(calls, l, target, desired, c)
	return l.tries(l.guard.step, PhaseReconciling, string(c.Action))
}

// mayStep tells whether a driver may be called for a change now. When not, the second result tells
// whether the phase changed by that.
func (e *Engine) mayStep(l *loop, c plan.Change, name unit.DriverName) (ready, changed bool) {
	step := stepOf(c, *l.state)
	if l.guard.refused == step {
		return false, l.set(PhaseBlocked, l.guard.why)
	}
	if e.crowded(l, name) {
		return false, l.tries(step, PhaseReconciling, string(c.Action))
	}
	if wait := l.guard.pause(step, c, time.Now()); wait > 0 {
		l.wake = time.Now().Add(wait)
		return false, l.set(PhaseFailed, l.guard.finding(c))
	}
	return true, false
}

func orText(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func paths(fields []unit.Field) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Path)
	}
	if len(names) > 3 {
		names = append(names[:3], fmt.Sprintf("%d more", len(names)-3))
	}
	return strings.Join(names, ", ")
}
