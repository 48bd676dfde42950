package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// isForgotten says of what is not on record any more that it is there all the same.
const isForgotten = "it stays, and is not managed any more"

// stepVanished is for what the configuration does not have any more.
func (e *Engine) stepVanished(calls context.Context, l *loop, resting bool) bool {
	entry, ok := e.entry(l.address)
	if ok && e.places.Strays(l.address) {
		e.relocate()
		e.connect()
		e.admitted.stale = true
		return l.set(PhaseWaiting, forThePlan)
	}
	if !ok {
		l.state, l.seen, l.stale, l.wake = &unit.State{Existence: unit.Absent}, true, false, time.Time{}
		reason := ""
		if l.forgotten {
			reason = isForgotten
		}
		if !l.set(PhaseGone, reason) {
			return false
		}
		e.doubtHeldBack()
		return true
	}
	if entry.Locator.Keep {
		l.seen, l.stale, l.wake = true, false, time.Time{}
		return l.set(PhaseKept, "it is kept")
	}
	heir, inherited := e.nodes.Heir(&entry)
	if inherited || e.revision.Removals.Forgets(l.address) {
		l.seen, l.stale = true, false // whatever is true of it
	} else if !l.seen || l.stale {
		e.want(l)
		return false
	}
	if a := &e.admitted; a.revision != e.revision {
		return l.set(PhaseWaiting, forThePlan)
	} else if refused := a.refused(); len(refused) > 0 {
		return l.set(PhaseBlocked, "the plan was refused: "+refused[0].Summary)
	}
	if waits := e.awaited(l.address); len(waits) > 0 {
		return l.set(PhaseWaiting, "", waits...)
	}
	if why := e.places.Held[l.address]; why != "" {
		return l.set(PhaseBlocked, why)
	}
	c := plan.Departed(&entry, *l.state, e.revision.Removals, e.revision.Removed[l.address], e.revision.CleanUps[l.address])
	if inherited {
		c = plan.Inherited(&entry, heir)
	}
	e.note(l, c)
	if next, known := e.Inventory.Entry(heir); inherited && (!known || next.Locator.Name != entry.Locator.Name) {
		return l.set(PhaseWaiting, c.Reason, heir) // until then only this record tells that the labels are ours
	}
	if held := e.suspended(l.address); held != nil && c.Action.Changes() {
		return l.suspend(held)
	}
	if resting && c.Action.Changes() {
		return false
	}
	switch c.Action {
	case unit.ActionNone:
		return l.set(PhaseKept, c.Reason)
	case unit.ActionBlocked:
		return l.set(PhaseBlocked, l.unkept(c.Reason))
	case unit.ActionForget:
		if entry.ID == "" && entry.Before != nil && !e.revision.Removals.Forgets(l.address) { // the driver may refuse it
			step := stepOf(c, *l.state)
			if l.guard.refused == step {
				return l.set(PhaseBlocked, l.guard.why)
			}
			l.guard.step = step
		}
		if !e.crowded(l, entry.Locator.Driver) {
			e.forget(calls, l)
		}
		l.forgotten = e.revision.Removals.Forgets(l.address)
		return l.tries(l.guard.step, PhaseDeleting, c.Reason)
	default: // it is to be deleted
	}
	l.forgotten = false
	ok, planned := e.admitted.allows(c)
	if !ok {
		if planned != nil && planned.Action == unit.ActionBlocked {
			return l.set(PhaseBlocked, l.unkept(planned.Reason))
		}
		return l.waitForPlan(&e.admitted, "it is to be deleted")
	}
	l.replans = 0
	if entry.Data == nil {
		c.Data = planned.Data // by their UIDs: one of the same name and size may have come since
	}
	if waits := e.before(l.address); len(waits) > 0 {
		return l.set(PhaseDeleting, "once what needs it is gone", waits...)
	}
	if e.mustClose(l, c) {
		return l.waitForPlan(&e.admitted, closesFirst)
	}
	if e.admitted.outdated(c) {
		return l.waitForPlan(&e.admitted, askAgain)
	}
	step := stepOf(c, *l.state)
	if l.guard.refused == step {
		return l.set(PhaseBlocked, l.guard.why)
	}
	if e.crowded(l, entry.Locator.Driver) {
		return l.tries(step, PhaseDeleting, l.state.Message)
	}
	l.guard.step = step
	e.remove(calls, l, e.target(nil, l.address), c)
	return l.tries(step, PhaseDeleting, l.state.Message)
}

// doubtHeldBack is for what was held back by something that is gone now: what could not go while that was there may go, and what
// it was seen to be for another block is no more. A service with which something cannot go may have shared that with it.
func (e *Engine) doubtHeldBack() {
	for _, other := range e.order {
		if other.phase != PhaseBlocked {
			continue
		}
		other.stale = other.stale || other.state != nil && (plan.Foreign(other.unit, *other.state) || len(other.state.Stuck) > 0)
		e.admitted.stale = e.admitted.stale || other.unit == nil || e.plans(other.address, unit.ActionBlocked)
	}
}

// dependents returns what the inventory says needs a thing, and may still exist. Where things need
// each other, as they may while one configuration follows another, the first by address goes first.
func (e *Engine) dependents(a addr.Object) []addr.Object {
	if e.recorded == nil {
		e.recorded = map[addr.Object][]addr.Object{}
		for _, entry := range e.Inventory.Entries() {
			kept := e.keeps(&entry)
			for _, edge := range entry.Edges {
				if kept && !plan.NeededByKept(e.Language, &entry, edge.To) {
					continue // nobody would ever end it
				}
				if users := e.recorded[edge.To]; edge.Until != unit.Gone && !slices.Contains(users, entry.Address) {
					e.recorded[edge.To] = append(users, entry.Address)
				}
			}
		}
	}
	all := map[addr.Object]bool{} // that need it, directly or through others
	for queue := []addr.Object{a}; len(queue) > 0; queue = queue[1:] {
		for _, user := range e.recorded[queue[0]] {
			if !all[user] {
				all[user] = true
				queue = append(queue, user)
			}
		}
	}
	found := slices.Clone(e.recorded[a])
	if !all[a] { // there is no circle
		return found
	}
	return slices.DeleteFunc(found, func(user addr.Object) bool { return a.Compare(user) <= 0 && e.reaches(a, user) })
}

// reaches tells whether one thing needs another, directly or through others.
func (e *Engine) reaches(user, a addr.Object) bool {
	seen := map[addr.Object]bool{}
	for queue := []addr.Object{a}; len(queue) > 0; queue = queue[1:] {
		for _, next := range e.recorded[queue[0]] {
			if next == user {
				return true
			}
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return false
}

// stepReplace begins or goes on with a replacement: what the admitted plan replaces or deletes
// because it needs this one goes first.
func (e *Engine) stepReplace(calls context.Context, l *loop, target unit.Target, c plan.Change) bool {
	var waits []addr.Object
	for _, a := range e.unmet(l, unit.GateStart) {
		if !e.condemned(e.loops[a]) || e.admitted.plan.Change(a).CreateFirst {
			waits = append(waits, a)
		}
	}
	if len(waits) > 0 {
		return l.set(PhaseWaiting, "", waits...) // with their outputs it may look otherwise
	}
	ok, planned := e.admitted.allows(c)
	if !ok {
		return l.waitForPlan(&e.admitted, "it has to be replaced")
	}
	l.replans = 0
	if planned.CreateFirst {
		return e.stepSucceed(calls, l, target, c)
	}
	if waits := e.users(l); len(waits) > 0 {
		return l.set(PhaseDeleting, "once what needs it is gone", waits...)
	}
	if e.mustClose(l, c) {
		return l.waitForPlan(&e.admitted, closesFirst)
	}
	if e.admitted.outdated(c) {
		return l.waitForPlan(&e.admitted, askAgain)
	}
	step := stepOf(c, *l.state)
	if l.guard.refused == step {
		return l.set(PhaseBlocked, l.guard.why)
	}
	if e.crowded(l, target.Locator.Driver) {
		return l.tries(step, PhaseDeleting, isReplaced(c))
	}
	l.guard.step = step
	e.remove(calls, l, target, c)
	return l.tries(step, PhaseDeleting, isReplaced(c))
}

// isReplaced says that a unit is replaced, and why where there is more to say than what differs.
func isReplaced(c plan.Change) string {
	if c.Reason == "" {
		return "is replaced"
	}
	return "is replaced: " + c.Reason
}

// users returns what has to be deleted before a unit that is replaced.
func (e *Engine) users(l *loop) []addr.Object {
	var found []addr.Object
	for _, a := range e.before(l.address) {
		other := e.loops[a]
		if other == nil || other == l || other.state.Gone() && !other.former.left || other.replaced {
			continue
		}
		if e.plans(a, unit.ActionReplace) || e.plans(a, unit.ActionDelete) {
			found = append(found, a)
		}
	}
	return found
}

// unkept adds to the reason why something must not go what is wrong with it meanwhile: nobody wants it any more,
// so nothing of it is repaired.
func (l *loop) unkept(reason string) string {
	if l.state.Existence != unit.Present || l.state.Ready() || l.state.Message == "" {
		return reason
	}
	return fmt.Sprintf("%s; and it is not whole: %s. Nothing repairs it until it is in the configuration again", reason, l.state.Message)
}

// keeps tells whether what nothing wants any more stays all the same.
func (e *Engine) keeps(entry *inventory.Entry) bool {
	l := e.loops[entry.Address]
	return (l == nil || l.unit == nil) && e.revision != nil && plan.Keeps(entry, e.revision.Removals, e.revision.Removed[entry.Address])
}
