package inventory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Known returns the names of the shards that this process has read or written, in order.
func (i *Inventory) Known() []string {
	return slices.Sorted(maps.Keys(i.known()))
}

// known returns the versions of these, "" of one that is known to be gone.
func (i *Inventory) known() map[string]string {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	known := maps.Clone(i.versions)
	maps.DeleteFunc(known, func(name, version string) bool { return version == "" && !i.gone[name] })
	return known
}

// Restore writes those of them again that somebody deleted, as they were, and returns their names. It is for whoever
// is in charge: nobody else can have changed what they said. What is there is left as it is.
func (i *Inventory) Restore(ctx context.Context) (restored []string, err error) {
	known := i.known() // before the store is read: what is written after that is none that was deleted
	stored, err := i.store.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the inventory: %w", err)
	}
	var failures []error
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if _, there := stored[name]; there {
			continue
		}
		written, err := i.restore(ctx, name, known[name])
		if err != nil {
			failures = append(failures, fmt.Errorf("the inventory's shard %s is gone, and could not be written again: %w", name, err))
		}
		if written {
			restored = append(restored, name)
		}
	}
	return restored, errors.Join(failures...)
}

// restore writes one shard again, unless it was written since it had a version.
func (i *Inventory) restore(ctx context.Context, name, version string) (written bool, err error) {
	if err := i.enter(ctx, name); err != nil {
		return false, err
	}
	defer i.leave(name)
	i.mutex.Lock()
	same := i.versions[name] == version
	next := content{Format: i.record.format(), record: i.record}
	if name != deploymentShard {
		next = i.with(name, nil)
	}
	next.Writes = i.writes[name]
	i.mutex.Unlock()
	if !same {
		return false, nil
	}
	data, size, err := encode(next)
	if err != nil {
		return false, err
	}
	stored, err := i.store.Put(ctx, name, data, "")
	if err != nil {
		return false, err
	}
	i.mutex.Lock()
	defer i.mutex.Unlock()
	i.versions[name], i.sizes[name] = stored, size
	delete(i.gone, name)
	return true, nil
}
