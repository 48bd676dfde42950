package revision

import (
	"context"
	"fmt"
)

// Keep says that the revision of that id was admitted: a later process begins with it when the
// newest has mistakes or is refused then. An error costs only that.
func (t *Tracker) Keep(ctx context.Context, id string) error {
	// The record first: the clone may be in use by a call that waits for a server of Git. And nobody without Git goes on
	// with what the clone keeps while something else is on record.
	if err := t.Record(ctx, id); err != nil {
		return err
	}
	return t.Retain(ctx, id)
}

// Record is the part of [Tracker.Keep] that tells other processes. It does not wait for the source.
func (t *Tracker) Record(ctx context.Context, id string) error {
	known := t.note(id)
	return t.tell(ctx, id, func() bool { return known })
}

// Admit is [Tracker.Record] for a revision that nothing is done by before it is on record: until then this process goes by
// the one before, as it may never be.
func (t *Tracker) Admit(ctx context.Context, id string) error {
	t.mutex.Lock()
	given, known := t.given(id) // two newer ones may be handed out while the record takes its time
	t.mutex.Unlock()
	return t.tell(ctx, id, func() bool {
		if known {
			t.goBy(given)
		}
		return known
	})
}

// tell puts a revision on record. done is called when it is there, with the mutex held, and tells whether this process goes
// by that one.
func (t *Tracker) tell(ctx context.Context, id string, done func() bool) error {
	if t.Ledger != nil {
		if err := t.Ledger.Admit(ctx, id); err != nil {
			return fmt.Errorf("record which revision is in force: %w", err)
		}
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	switch known := done(); {
	case t.Ledger == nil:
	case known || t.ledger == id:
		t.ledger = id
	default:
		t.ledger = "" // this process does not know it any more: who is in charge next begins with what is on record
	}
	return nil
}

// Note is the part of [Tracker.Record] that this process goes by. It waits for nobody.
func (t *Tracker) Note(id string) { t.note(id) }

// note is [Tracker.Note]; it tells whether this process goes by that revision now.
func (t *Tracker) note(id string) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	given, known := t.given(id)
	if known {
		t.goBy(given)
	}
	return known
}

// given returns the revision of that id as it was handed out, if this process still knows it; the mutex is held.
func (t *Tracker) given(id string) (inForce, bool) {
	for _, given := range []inForce{{loaded: t.loaded, commit: t.state.Applied}, t.earlier, {loaded: t.admitted, commit: t.state.InForce}} {
		if given.loaded != nil && given.loaded.ID == id {
			return given, true
		}
	}
	return inForce{}, false
}

// goBy has a revision that was handed out be the one in force; the mutex is held.
func (t *Tracker) goBy(given inForce) {
	if given.loaded == t.loaded || given.loaded == t.earlier.loaded {
		t.earlier = inForce{} // which nothing else needs
	}
	t.admit(given.loaded, given.commit)
}

// Retain is the part of [Tracker.Keep] that has the files outlive this process.
func (t *Tracker) Retain(_ context.Context, id string) error { return t.source.Keep(id) }
