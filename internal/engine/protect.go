package engine

import (
	"context"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// heed notes what must not be deleted by a revision that is in force from now on. Of the one before that a process that was
// killed may have had no time to put all on record: the first that this one heeds has it.
func (e *Engine) heed(r *Revision) {
	if e.good == nil && r.Fallback != nil {
		e.heedUnits(r.Fallback)
	}
	e.heedUnits(r)
}

func (e *Engine) heedUnits(r *Revision) {
	for i := range r.Units {
		if l := e.loops[r.Units[i].Address]; l != nil {
			l.prevents = r.Units[i].PreventDestroy
		}
	}
}

// protects are the addresses whose records have to say so before a revision comes in force, by which that is not known of what
// the revision has no block of. They are those that the revision itself protects, and those that the one before it does.
func (e *Engine) protects(r *Revision) []addr.Object {
	var found []addr.Object
	add := func(a addr.Object) {
		if !e.Inventory.Protected(a) {
			found = append(found, a)
		}
	}
	has := map[addr.Object]bool{}
	for i := range r.Units {
		u := &r.Units[i]
		if has[u.Address] = true; u.PreventDestroy {
			add(u.Address)
		}
	}
	for a, l := range e.loops {
		if l.prevents && !has[a] {
			add(a)
		}
	}
	if e.good == nil && r.Fallback != nil {
		for i := range r.Fallback.Units {
			if u := &r.Fallback.Units[i]; u.PreventDestroy && !has[u.Address] {
				add(u.Address)
			}
		}
	}
	return found
}

// protect puts on record that a thing must not be deleted, or may be again, once a revision is in force that says so, and tells
// whether it began to. That waits for nothing, not even for a sight of it: what cannot be brought to what is wanted, or is refused
// just as it is protected, would else go with its block, as then the record alone knows. Only records that move come before. What
// the revision in force before had protected comes on record as well, where there was no time for that: all calls that its driver
// may have were taken, or it was being worked on.
func (e *Engine) protect(calls context.Context, l *loop) bool {
	if e.admitted.revision != e.revision || len(e.admitted.refused()) > 0 || l.unit == nil && !l.prevents {
		return false
	}
	if _, leaves := e.places.To[l.address]; leaves || len(e.awaited(l.address)) > 0 {
		return false
	}
	entry, known := e.Inventory.Entry(l.address)
	if !known || entry.PreventDestroy == l.prevents {
		return false
	}
	name := entry.Locator.Driver
	if e.crowded(l, name) {
		return true
	}
	address, prevents := l.address, l.prevents
	e.begin(l, name, func() func() {
		ctx, cancel := context.WithTimeout(calls, e.CallTimeout)
		defer cancel()
		write := e.Inventory.Unprotect
		if prevents {
			write = func(ctx context.Context, a addr.Object) error { return e.Inventory.Protect(ctx, []addr.Object{a}) }
		}
		err := write(ctx, address)
		return func() {
			if err != nil {
				l.failed = ""
				e.failed(l, err)
			}
		}
	})
	return true
}
