package engine

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Driver brings units of one kind of system to what is wanted. The engine calls it from many
// goroutines, but never twice at once for the same unit.
//
// Every call must end soon, within the deadline of its context at the latest. What takes longer
// happens in steps: a call begins something and returns a state that says it is progressing, and
// a later one goes on from what it finds in the world. So a process that was killed in between
// just goes on.
type Driver interface {
	// Observe looks at many units at once, with as few requests as the system allows: one list per
	// kind, never a request per unit that is unchanged, unless its target is to be looked at anew. A unit that could not be observed has no
	// entry, or one whose existence is unknown; then the error says why, and the entries of the
	// others still count. Absent means that a complete answer did not have it.
	// The targets are the driver's from then on: it may put them in another order, and others in their place.
	Observe(ctx context.Context, targets []unit.Target) (map[addr.Object]unit.State, error)

	// Compare is pure: it tells what an Apply with the same arguments would change. desired is the
	// late value of a resource, unknown in parts while a plan is made; cty.NilVal for units
	// without one. The action is None when nothing is to be done now, also while something that
	// was begun is still going on by itself.
	Compare(target unit.Target, desired cty.Value, state unit.State) unit.Diff

	// Apply takes the next step towards what is wanted and returns the state after it. With target.Mend it
	// does nothing but put back what somebody changed, which must be safe at any time. It creates
	// only what is certainly absent: where target.Fresh is false and no ID is known it searches
	// for the mark first. It never deletes the unit. An error leaves the world as it was or one
	// step further; a [unit.BlockedError] is not tried again until something changes, anything
	// else is, with a growing delay.
	Apply(ctx context.Context, target unit.Target, desired cty.Value, state unit.State) (unit.State, error)

	// Delete takes the next step towards the unit's absence and returns the state after it: absent
	// when nothing is left. It deletes only what is ours, by its id and mark. Where nothing is there and target.Attempted
	// is true, it fails for as long as an attempt that was given up may still come to something.
	Delete(ctx context.Context, target unit.Target, state unit.State) (unit.State, error)
}

// Retainer is a driver that keeps something open for units only as long as they are wanted. It is told at each look at
// everything, and hears of no other end of what is forgotten, or kept, or goes on under another address: nobody looks at that.
type Retainer interface {
	// Retain lets go of what no unit needs that is wanted. It returns at once.
	Retain(wanted func(addr.Object) bool)
}

// Foreteller is a driver of things without marks that no look finds by what they are to be as long as a part of that is not known.
type Foreteller interface {
	// Foretell returns what is to be on record of what was there before an attempt to create a thing, once all of it is known; nil
	// where a look has to tell. It is pure.
	Foretell(t unit.Target, desired cty.Value) *unit.Before
}

// Disowner is a driver whose objects show by themselves that they are ours, and by that are put on record again: see
// [Claim].
type Disowner interface {
	// Disown takes from an object that is forgotten what shows that it is ours, and leaves all else of it. It can be
	// repeated, and there need be nothing.
	Disown(ctx context.Context, target unit.Target) error
}
