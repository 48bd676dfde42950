package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// former is how it stands with the objects that a loop's object has taken the place of. The inventory
// has them until they are gone.
type former struct {
	left     bool // there are some
	going    bool // one is being deleted
	blocked  bool // the driver said that it needs a person first
	doubted  bool // it said so, and it may be possible by now
	why      string
	attempts int // that failed in a row
	wake     time.Time
}

// doubt lets a deletion that was refused be tried once more.
func (f *former) doubt() {
	if f.blocked {
		f.blocked, f.doubted, f.wake = false, true, time.Time{}
	}
}

// stepSucceed begins a replacement that is created before the old object is deleted: from one write of
// the inventory on, the old one is on record as a former one, and the unit's own is still to be
// created, with another mark. From there it goes on as any creation does.
func (e *Engine) stepSucceed(calls context.Context, l *loop, target unit.Target, c plan.Change) bool {
	if !e.crowded(l, l.unit.Spec.Driver()) {
		u, state, who := l.unit, *l.state, e.identity()
		l.repairs(c)
		e.begin(l, u.Spec.Driver(), func() func() {
			ctx, cancel := context.WithTimeout(calls, e.CallTimeout)
			defer cancel()
			entry := e.entryOf(who, u, state)
			if entry.ID == "" {
				entry.ID = state.ID
			}
			next, ok := who.Succeed(entry, entry.ID)
			next.Healing = cmp.Or(target.Remedy, next.Healing)
			err := errors.New("too many of the objects that it has replaced are still there")
			if ok {
				err = e.Inventory.Put(ctx, next)
			}
			return func() {
				if err != nil {
					e.failed(l, err)
					return
				}
				l.attempts, l.guard = 0, guard{}
				l.done(unit.ActionReplace)
				e.saw(l, unit.State{Existence: unit.Absent}) // nothing bears the new mark
				l.stale, l.former.left = true, true
			}
		})
	}
	return l.set(PhaseReconciling, isReplaced(c))
}

// ready moves a loop to its phase when its object works, and says what is left of those before it.
func (e *Engine) ready(l *loop) bool {
	f := &l.former
	switch {
	case !f.left:
		*f = former{}
		return l.set(PhaseReady, "")
	case f.blocked || f.doubted: // for those who look, until the answer is another one
		return l.set(PhaseBlocked, "what it has replaced is still there: "+f.why)
	case f.why != "" && time.Now().Before(f.wake):
		l.wake = f.wake
		return l.set(PhaseFailed, "what it has replaced is still there: "+f.why)
	}
	if f.going {
		return l.set(PhaseReady, goingFormer)
	}
	return l.set(PhaseReady, e.lingers(l))
}

const goingFormer = "what it has replaced is being deleted"

// lingers says why what an object has replaced is not deleted yet; "" when it may be.
func (e *Engine) lingers(l *loop) string {
	if waits := e.unmoved(l); len(waits) > 0 {
		return "what it has replaced is deleted once these have moved: " + strings.Join(names(waits), ", ")
	}
	return ""
}

// unmoved returns what may still need the object that a loop's own has replaced: everything that by
// the inventory depends on it, and is not known to be as it should be with the new one; and what is
// being worked on and may be about to depend on it.
func (e *Engine) unmoved(l *loop) []addr.Object {
	users := e.before(l.address)
	for _, a := range e.needed[l.address] {
		if user := e.loops[a]; user != nil && user.busy && !slices.Contains(users, a) {
			users = append(users, a)
		}
	}
	slices.SortFunc(users, addr.Object.Compare)
	return slices.DeleteFunc(users, func(a addr.Object) bool {
		user := e.loops[a]
		return user != nil && user.unit != nil && user.phase == PhaseReady && !user.busy && !user.dirty && !user.stale && !user.former.left
	})
}

// retire deletes what objects have replaced, where nothing needs that any more. It returns when to be
// called again, and whether anything changed that others can see.
func (e *Engine) retire(calls context.Context) (time.Duration, bool) {
	next, changed := forever, false
	if len(e.places.To) > 0 {
		return next, changed // what moves gets its new record first, and takes along what it has replaced
	}
	for _, l := range e.order {
		f := &l.former
		works := l.phase == PhaseReady || l.phase == PhaseBlocked && f.doubted
		if !f.left || l.unit == nil || l.busy || l.dirty || l.stale || !works || e.admitted.revision != e.revision || e.suspended(l.address) != nil {
			continue
		}
		if wait := time.Until(f.wake); wait > 0 {
			next = min(next, wait)
			continue
		}
		if why := e.lingers(l); why != "" && !f.going {
			f.doubted = false
			changed = l.set(PhaseReady, why) || changed
			continue
		}
		if !e.crowded(l, l.unit.Spec.Driver()) {
			e.retireOne(calls, l)
			changed = !f.doubted && l.set(PhaseReady, goingFormer) || changed
		}
	}
	return next, changed
}

func (e *Engine) retireOne(calls context.Context, l *loop) {
	l.former.going = true
	who := e.identity()
	e.begin(l, l.unit.Spec.Driver(), func() func() {
		ctx, cancel := context.WithTimeout(calls, e.CallTimeout)
		defer cancel()
		left, err := e.removeFormer(ctx, who, l.address)
		return func() {
			f := &l.former
			doubted := f.doubted
			f.doubted = false
			if err == nil {
				e.stepped(l)
			}
			switch {
			case err != nil:
				if !doubted || !unit.IsBlocked(err) || f.why != err.Error() { // else the answer is the same as before
					f.attempts++
				}
				f.going, f.blocked, f.why = false, unit.IsBlocked(err), err.Error()
				f.wake = time.Now().Add(max(retryDelay(f.attempts), unit.RetryAfter(err)))
				e.Log.Warn().Stringer("unit", l.address).Int("attempt", f.attempts).Err(err).Msg("what was replaced could not be deleted")
			case left != nil:
				f.why, f.attempts = "", 0
				f.wake = time.Now().Add(pollDelay(left.After, 0))
			default:
				*f = former{}
				e.wakeFreed()
			}
			e.changed = true
		}
	})
}

// removeFormer lets the driver take a step towards the absence of every former object of an address,
// the oldest first. It returns the state of one that is still going, nil when none is left.
func (e *Engine) removeFormer(ctx context.Context, who plan.Identity, a addr.Object) (*unit.State, error) {
	for {
		entry, known := e.Inventory.Entry(a)
		if !known || len(entry.Former) == 0 {
			return nil, nil
		}
		// What is known by what it connects may be wanted as it was, or be another block's by now.
		if f := entry.Former[0]; f.ID != entry.ID && !e.Inventory.Has(f.Locator, f.ID, a) {
			next, err := e.Drivers[f.Locator.Driver].Delete(ctx, who.Former(entry, f), unit.State{})
			if err != nil {
				return nil, fmt.Errorf("delete %s: %w", f.ID, err)
			}
			if next.Existence != unit.Absent {
				return &next, nil
			}
		}
		entry.Former = slices.Clone(entry.Former[1:])
		if len(entry.Former) == 0 {
			entry.Former = nil
		}
		if err := e.Inventory.Put(ctx, entry); err != nil {
			return nil, err
		}
	}
}

func names(addresses []addr.Object) []string {
	var all []string
	for _, a := range addresses {
		all = append(all, a.String())
	}
	return all
}
