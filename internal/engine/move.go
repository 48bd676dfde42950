package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// What the configuration moves gets its new address before anything else is done: until then the
// loops of both addresses see what will be, and all others wait.

// relocate finds out what is to be moved, and makes loops for where that leads.
func (e *Engine) relocate() {
	e.places = e.relocation()
	e.unsaid = e.unsaid && len(e.places.Yields) > 0
	if len(e.places.To) == 0 {
		e.places.Entries = nil // which only a move asks for, and which are as many as there are records
	}
	for to := range e.places.From {
		l := e.loops[to]
		if l == nil {
			l = newLoop(to)
			e.loops[to] = l
		}
		l.stale, l.dirty = true, true
	}
}

func (e *Engine) relocation() *plan.Relocation {
	return plan.Relocate(e.Inventory.Entries(), e.revision.Moves, func(a addr.Object) bool {
		l := e.loops[a]
		return l != nil && l.unit != nil
	})
}

// entry returns the entry of an address as it is once everything is moved.
func (e *Engine) entry(a addr.Object) (inventory.Entry, bool) {
	if _, leaves := e.places.To[a]; !leaves {
		if entry, ok := e.Inventory.Entry(a); ok && !yields(e.places, &entry) {
			return entry, true
		}
	}
	for _, record := range e.places.From[a] {
		if entry, ok := e.Inventory.Entry(record); ok {
			entry.Address = a
			return entry, true
		}
	}
	return e.remnant(a)
}

// awaited returns the records that have to be moved before anything else is done. Where OpenStack does not tell whether what
// is to give way came to something, that can take long, and what it runs on may be just what is to be repaired.
func (e *Engine) awaited(a addr.Object) []addr.Object {
	if len(e.places.To) == 0 {
		return nil
	}
	if records := e.places.From[a]; len(records) > 0 {
		return records
	}
	if l := e.loops[a]; e.unsaid && !e.moving && l != nil && l.unit != nil && l.unit.Spec.Driver() != unit.OpenStack {
		return nil
	}
	return []addr.Object{slices.MinFunc(slices.Collect(maps.Keys(e.places.To)), addr.Object.Compare)}
}

// stepMove is for a record that gets another address. The first one takes all the others along.
func (e *Engine) stepMove(calls context.Context, l *loop, resting bool) bool {
	to := e.places.To[l.address]
	if l.stale { // it may just have been created under the old address
		other := e.loops[to]
		other.stale, other.dirty = true, true
	}
	l.seen, l.stale = true, false // what it stands for is observed under the new address
	if a := &e.admitted; a.revision != e.revision {
		return l.set(PhaseWaiting, forThePlan)
	} else if refused := a.refused(); len(refused) > 0 {
		return l.set(PhaseBlocked, "the plan was refused: "+refused[0].Summary)
	}
	if resting {
		return false
	}
	if e.moving {
		return l.set(PhaseReconciling, "becomes "+to.String())
	}
	for _, other := range e.order {
		if other.busy && !other.looks { // it may be about to write what it knows
			l.wake = time.Now().Add(pollDelay(0, 0))
			return l.set(PhaseWaiting, "until nothing else is being done", other.address)
		}
	}
	e.places = e.relocation() // what was being done may have changed the records
	if _, leaves := e.places.To[l.address]; !leaves {
		l.dirty = true
		return l.set(PhaseWaiting, "")
	}
	e.moving = true
	places, yielding := e.places, e.yielding()
	e.begin(l, e.target(nil, to).Locator.Driver, func() func() {
		ctx, cancel := context.WithTimeout(calls, e.CallTimeout)
		defer cancel()
		unsaid := e.giveWay(ctx, yielding)
		err := unsaid
		if err == nil {
			err = e.move(ctx, places)
		}
		return func() {
			e.unsaid = unsaid != nil
			e.moved(l, places, err)
		}
	})
	return l.set(PhaseReconciling, "becomes "+to.String())
}

// moved takes the result of a move.
func (e *Engine) moved(l *loop, places *plan.Relocation, err error) {
	e.moving, e.forwarding.due = false, true
	e.relocate()
	if err != nil {
		e.failed(l, err)
	}
	for from, to := range places.To {
		switch _, leaves := e.places.To[from]; {
		case leaves:
		case err == nil:
			e.loops[to].done(unit.ActionMove)
			e.loops[from].stale, e.loops[to].stale = true, true // what was seen before may be older than what was recorded last
		default: // there is something already, and what was seen and planned of its address was of what does not move
			e.loops[from].stale, e.loops[to].stale, e.admitted.stale = true, true, true
		}
	}
	e.connect()
	for _, other := range e.loops {
		other.dirty = other.dirty || other != l || err == nil
	}
}

// move records things under their new addresses. A process that is killed in between leaves two
// records of one thing, with one uid, and the next one goes on from there: the new records come first,
// then what points to the old ones, and only then those go. What is suspended by command is so at both addresses
// before all that.
func (e *Engine) move(ctx context.Context, places *plan.Relocation) error {
	if err := e.accompany(ctx, places); err != nil {
		return err
	}
	var arriving, staying []inventory.Entry
	for _, entry := range places.Entries {
		if len(places.From[entry.Address]) > 0 {
			arriving = append(arriving, entry)
		}
	}
	for _, entry := range e.Inventory.Entries() {
		_, leaves := places.To[entry.Address]
		if yields(places, &entry) {
			continue // what comes has taken its place by then
		}
		if edges := places.Edges(entry.Edges); !leaves && !slices.Equal(edges, entry.Edges) {
			entry.Edges = edges
			staying = append(staying, entry)
		}
	}
	err := each(arriving, func(entry inventory.Entry) error {
		there, ok := e.Inventory.Entry(entry.Address)
		switch {
		case !ok:
			return e.Inventory.Put(ctx, entry)
		case yields(places, &there):
			return e.Inventory.Put(ctx, entry)
		case there.UID != entry.UID:
			return unit.Blocked(fmt.Sprintf("%s is on record as another object", entry.Address))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := each(staying, func(entry inventory.Entry) error { return e.Inventory.Put(ctx, entry) }); err != nil {
		return err
	}
	return each(slices.Collect(maps.Keys(places.To)), func(a addr.Object) error { return e.Inventory.Remove(ctx, a) })
}

// each does something with all elements at once: the inventory writes together what comes together.
func each[T any](list []T, do func(T) error) error {
	var group contain.Group
	failures := make([]error, len(list))
	for i, element := range list {
		group.Go(func() { failures[i] = do(element) })
	}
	group.Wait()
	return errors.Join(failures...)
}
