package engine

import "context"

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
		var err error
		if entry, known := e.Inventory.Entry(address); known {
			entry.PreventDestroy = prevents
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
