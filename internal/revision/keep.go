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
	if t.Ledger == nil {
		return nil
	}
	if err := t.Ledger.Admit(ctx, id); err != nil {
		return fmt.Errorf("record which revision is in force: %w", err)
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if known || t.ledger == id {
		t.ledger = id
	} else {
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
	for _, given := range []inForce{{loaded: t.loaded, commit: t.state.Applied}, t.earlier} {
		if given.loaded != nil && given.loaded.ID == id {
			t.admit(given.loaded, given.commit)
			t.earlier = inForce{} // which nothing else needs
			return true
		}
	}
	return t.admitted != nil && t.admitted.ID == id
}

// Retain is the part of [Tracker.Keep] that has the files outlive this process.
func (t *Tracker) Retain(_ context.Context, id string) error { return t.source.Keep(id) }
