package inventory

import (
	"fmt"
	"hash/fnv"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// shardOf returns the shard that an entry lies in as its address has it. Keys that repeat in an address crowd such
// entries into few shards, and what came to lie in one stays there, so [Inventory.place] has the last word.
func shardOf(a addr.Object) string {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(a.String())) // a hash never returns an error
	return shardName(int(hash.Sum32() % shards))
}

// queued is about how many bytes a write that waits will add to a shard.
const queued = 1 << 10

// place returns the shard to write an entry to: that in which it lies, and for a new one that of its address, or the
// one that will be the smallest when that is large already. What is chosen holds until it is stored there or nothing of it
// is anywhere: an attempt that failed may have been stored. The mutex is held.
func (i *Inventory) place(a addr.Object) string {
	shard := i.lies(a)
	if _, known := i.entries[a]; known {
		return shard
	}
	if _, chosen := i.away[a]; chosen {
		return shard
	}
	load := func(name string) int { return i.sizes[name] + i.coming[name]*queued }
	if load(shard) > packAbove {
		for n := range shards {
			if name := shardName(n); load(name) < load(shard) {
				shard = name
			}
		}
	}
	i.away[a] = shard
	return shard
}

// settle notes where an entry lies now; the mutex is held.
func (i *Inventory) settle(a addr.Object, shard string, there bool) {
	if there && shard != shardOf(a) {
		i.away[a] = shard
	} else {
		delete(i.away, a)
	}
}

// lies returns the shard of an entry; the mutex is held.
func (i *Inventory) lies(a addr.Object) string {
	if shard, ok := i.away[a]; ok {
		return shard
	}
	return shardOf(a)
}

func shardName(n int) string { return fmt.Sprintf("entries-%d", n) }

// keepsEntries tells whether a shard is one of those that entries are written to. A write to another one would wait for ever, and one to
// that with the record would lose the record.
func keepsEntries(shard string) bool {
	for n := range shards {
		if shard == shardName(n) {
			return true
		}
	}
	return false
}
