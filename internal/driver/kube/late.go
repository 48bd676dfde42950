package kube

import (
	"context"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// lateObject is an object that is made of others, which come when they come.
type lateObject interface {
	ref() unit.ObjectRef
	// refs has the others as well, so that a change of them is heard of.
	refs() []unit.ObjectRef
	// set returns the object to apply; nil while what it is made of is not there.
	set(there objects) (*objectSet, error)
	// waits says what is missing.
	waits(there objects) string
}

// late handles one of them.
type late struct {
	lateObject
	target unit.Target
}

// seenLate is what a state keeps for Compare: the set holds values.
type seenLate struct {
	set   *objectSet // nil while the object cannot be made
	waits string
	seen  any
}

func (l *late) state(ctx context.Context, there objects) (unit.State, error) {
	set, err := l.set(there)
	if err != nil {
		return unit.State{}, err
	}
	if set == nil {
		waits := l.waits(there)
		state := unit.State{Existence: unit.Absent, Message: waits, After: lookAgain, Observed: seenLate{waits: waits}}
		if live := there[l.ref()]; live != nil {
			state.Existence, state.Health = unit.Present, unit.HealthProgressing
			state.Owned = live.GetAnnotations()[AnnotationUnit] == l.target.Address.String()
		}
		return state, nil
	}
	state, err := set.state(ctx, there)
	state.Observed = seenLate{set: set, seen: state.Observed}
	return state, err
}

func (l *late) compare(state unit.State) unit.Diff {
	seen, ok := state.Observed.(seenLate)
	switch {
	case !ok:
		return unit.Diff{Action: unit.ActionUnknown, Reason: "the state is not this driver's"}
	case seen.set == nil && state.Existence == unit.Absent:
		return unit.Diff{Action: unit.ActionCreate, Waits: true, Reason: seen.waits}
	case seen.set == nil:
		return unit.Diff{Action: unit.ActionNone, Reason: seen.waits}
	}
	state.Observed = seen.seen
	return seen.set.compare(state)
}

func (l *late) apply(ctx context.Context, there objects) error {
	set, err := l.set(there)
	if err != nil || set == nil { // the next look tells of what is missing
		return err
	}
	return set.apply(ctx, there)
}

// remove is asked for without a spec.
func (l *late) remove(ctx context.Context, there objects) error {
	set, err := l.set(there)
	if err != nil || set == nil {
		return err
	}
	return set.remove(ctx, there)
}
