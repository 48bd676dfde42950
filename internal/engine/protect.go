package engine

import "context"

// protect puts on record that a thing must not be deleted, or may be again, once a revision is in force that says so, and tells
// whether it began to. That waits for nothing, not even for a sight of it: what cannot be brought to what is wanted, or is refused
// just as it is protected, would else go with its block, as then the record alone knows. Only records that move come before.
func (e *Engine) protect(calls context.Context, l *loop) bool {
	if l.unit == nil || e.admitted.revision != e.revision || len(e.admitted.refused()) > 0 {
		return false
	}
	if _, leaves := e.places.To[l.address]; leaves || len(e.awaited(l.address)) > 0 {
		return false
	}
	entry, known := e.Inventory.Entry(l.address)
	if !known || entry.PreventDestroy == l.unit.PreventDestroy {
		return false
	}
	name := l.unit.Spec.Driver()
	if e.crowded(l, name) {
		return true
	}
	u := l.unit
	e.begin(l, name, func() func() {
		ctx, cancel := context.WithTimeout(calls, e.CallTimeout)
		defer cancel()
		var err error
		if entry, known := e.Inventory.Entry(u.Address); known {
			entry.PreventDestroy = u.PreventDestroy
			err = e.Inventory.Put(ctx, entry)
		}
		return func() {
			if err != nil {
				l.failed = ""
				e.failed(l, err)
			}
		}
	})
	return true
}
