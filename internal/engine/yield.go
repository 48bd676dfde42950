package engine

import (
	"context"
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A block that was given another label without a moved block is refused where its name is taken, by the very object that
// it stood for. The record of that attempt gives way once the moved block is there, but only when it is certain that the
// attempt came to nothing: nothing else would ever tell of what it has made.

// yielder is a record that gives way to what moves to its address.
type yielder struct {
	entry  inventory.Entry
	target unit.Target // as its block wants it, where it has one
	bare   unit.Target // as it is on record
	comes  string      // the id of what moves here
}

// yields tells whether an entry is one that gives way.
func yields(places *plan.Relocation, entry *inventory.Entry) bool {
	yielding, ok := places.Yields[entry.Address]
	return ok && yielding.UID == entry.UID
}

// yielding returns the records that are about to give way.
func (e *Engine) yielding() []yielder {
	var all []yielder
	for a, entry := range e.places.Yields {
		comes, _ := e.entry(a)
		y := yielder{entry: entry, bare: e.identity().Target(nil, &entry), comes: comes.ID}
		if y.target = y.bare; e.loops[a] != nil && e.loops[a].unit != nil {
			y.target = e.identity().Target(e.loops[a].unit, &entry)
		}
		all = append(all, y)
	}
	return all
}

// giveWay fails unless all attempts came to nothing. What one has made is put on record, and is another object from then on.
func (e *Engine) giveWay(ctx context.Context, yielding []yielder) error {
	return each(yielding, func(y yielder) error {
		came, err := e.cameOf(ctx, y)
		if err != nil || came.Existence == unit.Absent {
			return err
		}
		if err := e.Inventory.Put(ctx, found(y.entry, came)); err != nil {
			return err
		}
		return unit.Blocked(plan.Occupied(y.entry.Address))
	})
}

// cameOf finds out what came of an attempt.
func (e *Engine) cameOf(ctx context.Context, y yielder) (unit.State, error) {
	a, name := y.entry.Address, y.entry.Locator.Driver
	states, err := e.observeOne(ctx, e.CallTimeout, name, []unit.Target{y.target})
	state := states[a]
	switch {
	case err != nil:
		return state, fmt.Errorf("find out whether %s was created: %w", a, err)
	case state.Existence == unit.Unknown:
		return state, fmt.Errorf("find out whether %s was created: %s", a, orText(state.Message, "it could not be observed"))
	case y.made(state):
		return state, nil
	case state.Existence == unit.Absent && len(state.Candidates) > 0:
		return state, unit.Blocked(fmt.Sprintf("%s is to give way, and may have been created: %s", a, state.Message))
	}
	target, gone := y.target, unit.State{Existence: unit.Absent}
	if state.Existence == unit.Present { // somebody else's object, which is none of its business
		target = y.bare
	}
	state, err = e.Drivers[name].Delete(ctx, target, gone) // there is nothing: it waits for what may still come
	if err != nil || y.made(state) {
		return state, err
	}
	return gone, nil
}

// made tells whether what was seen is of the attempt: what moves here may match a block that bears no mark.
func (y *yielder) made(state unit.State) bool {
	return state.Existence == unit.Present && state.Owned && (state.ID == "" || state.ID != y.comes)
}
