package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
)

// Resuspend changes the suspensions that were given by command where they are kept: change may be called more than
// once. Before it returns nil the engine is given what is kept then, see [Engine.Suspend].
type Resuspend func(ctx context.Context, change func([]suspension.Suspension) []suspension.Suspension) error

// forwarding is what is known of suspensions by command whose objects got other addresses.
type forwarding struct {
	due   bool // to be looked for
	runs  bool
	again time.Time // when it is tried again after a failure
	tries int
}

// accompany has the suspensions by command name where records are about to be, before they are. It asks also where
// none is known: one may have been given just now.
func (e *Engine) accompany(ctx context.Context, places *plan.Relocation) error {
	if e.Resuspend == nil {
		return nil
	}
	return e.Resuspend(ctx, places.Accompany)
}

// forward begins to put where moved blocks lead in the place of what suspensions by command name, where nothing is there
// any more: without the block nobody would know. It returns when to be called again, and whether something of that is
// still to be done.
func (e *Engine) forward(calls context.Context) (next time.Duration, open bool) {
	f, a := &e.forwarding, &e.admitted
	if f.runs {
		return forever, true
	}
	if !f.due || e.Resuspend == nil || a.revision != e.revision || e.revision == nil || len(a.refused()) > 0 || e.moving || len(e.places.To) > 0 {
		return forever, false
	}
	if wait := time.Until(f.again); wait > 0 {
		return wait, false // who does this once does not wait for it: nothing is lost while the block is there
	}
	f.due = false
	forwarded := e.forwarded()
	if len(forwarded) == 0 {
		return forever, false
	}
	f.runs = true
	contain.Go(func() {
		ctx, cancel := context.WithTimeout(calls, e.CallTimeout)
		defer cancel()
		err := e.Resuspend(ctx, func(list []suspension.Suspension) []suspension.Suspension { return plan.Forward(list, forwarded) })
		e.events <- func() {
			f.runs, f.again = false, time.Time{}
			if err == nil {
				f.tries = 0
				return
			}
			f.tries++
			f.due, f.again = true, time.Now().Add(retryDelay(f.tries))
			e.Log.Warn().Err(err).Msg("suspensions of what was moved still name its old addresses; this is tried again")
		}
	})
	return forever, true
}

// forwarded returns where moved blocks lead what suspensions by command name, where nothing is wanted or on record there.
func (e *Engine) forwarded() map[addr.Address]addr.Address {
	if len(e.told) == 0 || len(e.revision.Moves) == 0 {
		return nil
	}
	forwarded := plan.Forwarded(e.told, e.revision.Moves)
	maps.DeleteFunc(forwarded, func(target, _ addr.Address) bool {
		for i := range e.revision.Units {
			if target.Contains(e.revision.Units[i].Address) {
				return true
			}
		}
		return slices.ContainsFunc(e.Inventory.Entries(), func(entry inventory.Entry) bool { return target.Contains(entry.Address) })
	})
	return forwarded
}
