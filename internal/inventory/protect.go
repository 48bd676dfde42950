package inventory

import (
	"cmp"
	"context"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
)

// protecting is how many entries wait for the same writes at most.
const protecting = 64

// Protect records of some addresses that what they are about must not be deleted, and returns once that is
// stored. What has no entry by then gets one that says so. Unlike [Inventory.Put] it may be called beside other calls about
// the same addresses: their changes stay, and none that began before takes this one back.
func (i *Inventory) Protect(ctx context.Context, addresses []addr.Object) error {
	group := contain.AtOnce(protecting)
	failures := make([]error, len(addresses))
	for at, a := range addresses {
		if i.promise(a) {
			group.Go(func() { failures[at] = i.write(ctx, &change{address: a, guards: true, prevent: true}) })
		}
	}
	group.Wait()
	return cmp.Or(failures...) // one of them says it
}

// promise notes that what an address is about must not be deleted, and tells whether that has to be stored: there is an entry
// that does not say so, or may be one that is being stored.
func (i *Inventory) promise(a addr.Object) bool {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.promised[a] = true
	if entry, known := i.entries[a]; known {
		return !entry.PreventDestroy || i.lowering[a] > 0
	}
	return i.coming[i.lies(a)] > 0
}

// Protected tells whether it is on record that what an address is about must not be deleted, and nobody is about to take
// that back.
func (i *Inventory) Protected(a addr.Object) bool {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	entry, known := i.entries[a]
	return i.promised[a] && i.lowering[a] == 0 && (!known || entry.PreventDestroy)
}

// Unprotect records that what an address is about may be deleted again, and returns once that is stored, unless it was
// protected meanwhile.
func (i *Inventory) Unprotect(ctx context.Context, a addr.Object) error {
	i.mutex.Lock()
	delete(i.promised, a)
	entry, known := i.entries[a]
	if known = known && entry.PreventDestroy; known {
		i.lowering[a]++
	}
	i.mutex.Unlock()
	if !known {
		return nil
	}
	defer func() {
		i.mutex.Lock()
		defer i.mutex.Unlock()
		if i.lowering[a]--; i.lowering[a] == 0 {
			delete(i.lowering, a)
		}
	}()
	return i.write(ctx, &change{address: a, guards: true})
}

// guarded is the entry that a change leads to among others, nil for none; the mutex is held.
func (i *Inventory) guarded(entries map[addr.Object]Entry, c *change) *Entry {
	old, known := entries[c.address]
	switch {
	case c.guards && !known, !c.guards && c.entry == nil:
		return nil
	case c.guards:
		old.PreventDestroy = c.prevent || i.promised[c.address]
		return &old
	case c.entry.PreventDestroy || !old.PreventDestroy && !i.promised[c.address]:
		return c.entry
	}
	kept := *c.entry
	kept.PreventDestroy = true
	return &kept
}
