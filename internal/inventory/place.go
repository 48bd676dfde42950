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

// place returns the shard to write an entry to: that in which it lies, and for a new one that of its address, or the
// smallest one when that is large already. What is chosen holds from then on.
func (i *Inventory) place(a addr.Object) string {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	shard := i.lies(a)
	if _, known := i.entries[a]; known || i.sizes[shard] <= packAbove {
		return shard
	}
	for n := range shards {
		if name := shardName(n); i.sizes[name] < i.sizes[shard] {
			shard = name
		}
	}
	if shard != i.lies(a) {
		i.away[a] = shard
	}
	return shard
}

// lies returns the shard of an entry; the mutex is held.
func (i *Inventory) lies(a addr.Object) string {
	if shard, ok := i.away[a]; ok {
		return shard
	}
	return shardOf(a)
}

func shardName(n int) string { return fmt.Sprintf("entries-%d", n) }
