package inventory

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// protecting is how many entries wait for the same writes at most.
const protecting = 64

// Protect records of the entries of some addresses that what they are about must not be deleted, and returns once that is
// stored. What has no entry by then is left alone. Unlike [Inventory.Put] it may be called beside other calls about
// the same addresses, whose changes stay; one that began before and ends later may take this one back.
func (i *Inventory) Protect(ctx context.Context, addresses []addr.Object) error {
	var group errgroup.Group
	group.SetLimit(protecting)
	for _, a := range addresses {
		if entry, known := i.Entry(a); !known || entry.PreventDestroy {
			continue
		}
		group.Go(func() error { return i.write(ctx, &change{address: a, protect: true}) })
	}
	return group.Wait()
}

// protected is an entry among others as it is to be from now on, nil for none.
func protected(entries map[addr.Object]Entry, a addr.Object) *Entry {
	entry, known := entries[a]
	if !known {
		return nil
	}
	entry.PreventDestroy = true
	return &entry
}
