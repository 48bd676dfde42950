package inventory

import "context"

// Whoever restores the inventory from a backup brings back what was moved, forgotten or protected since, as it was before
// that: by its records things would be deleted that stay wanted. Marks do not tell, as these stay through all of that. So
// each write counts, and who reports from outside of the cluster says with each report how many there were.

// Count is how often the inventory was written. It only grows, but where an older inventory takes its place, or an older
// program has written.
func (i *Inventory) Count() int64 {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return i.counted()
}

// counted is the same; the mutex is held.
func (i *Inventory) counted() int64 {
	count := i.record.Base
	for _, writes := range i.writes {
		count += writes
	}
	return count
}

// Expect tells the inventory how often it was written at least before it was read. Where that is more than it knows of, it is
// an older one, and that goes on record, until [Inventory.Trust]. What was written since says nothing of that. Retrying after
// an error is safe.
func (i *Inventory) Expect(ctx context.Context, count int64) error {
	i.mutex.Lock()
	lacks, base := count-i.opened, i.record.Base+count-i.opened
	i.mutex.Unlock()
	if lacks > 0 {
		if err := i.note(ctx, func(r *record) bool {
			if r.Older && r.Base >= base {
				return false
			}
			r.Older, r.Base = true, max(r.Base, base)
			return true
		}); err != nil {
			return err
		}
	}
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.opened, i.suspicion = max(i.opened, count), ""
	return nil
}

// Suspect has this process take the inventory for one that may be older than another one was, for a reason, or not any
// more, with "". What is on record counts beside that.
func (i *Inventory) Suspect(why string) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.suspicion = why
}

// Doubt says why what the inventory has may not be ours to delete any more; "" where nothing speaks for that.
func (i *Inventory) Doubt() string {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if i.record.Older {
		return "the inventory is older than the one that was reported on last, as where it was restored from a backup, so that this may have been moved, forgotten or protected since"
	}
	return i.suspicion
}

// Older tells whether it is on record that the inventory is an older one.
func (i *Inventory) Older() bool {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return i.record.Older
}

// Trust records that the inventory is taken as it is from now on.
func (i *Inventory) Trust(ctx context.Context) error {
	return i.note(ctx, func(r *record) bool {
		was := r.Older
		r.Older = false
		return was
	})
}
