package inventory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

const (
	// shards is how many pieces the entries are spread over: few enough that writes at the same
	// time meet in one request, enough that packed pieces of 20,000 entries are what Kubernetes stores.
	shards = 8
	// deploymentShard holds the record of the deployment.
	deploymentShard = "deployment"
	// attempts bounds how often a write is tried again after a conflict.
	attempts = 5
)

// Inventory is the entries of one installation. It is safe for concurrent use.
type Inventory struct {
	store Store

	mutex    sync.Mutex
	entries  map[addr.Object]Entry
	uids     map[string]int // how many entries have a uid: two in the middle of a move
	record   record
	versions map[string]string
	gone     map[string]bool        // the shards that somebody deleted, and that are not written again yet
	sizes    map[string]int         // of the shards, before they are packed
	coming   map[string]int         // how many changes of the shards wait or are under way
	writes   map[string]int64       // how often each shard was written
	away     map[addr.Object]string // the shard of an entry that does not lie where its address says, or may not
	pending  map[string][]*change
	promised map[addr.Object]bool // must not be deleted by the newest revision, whatever a step of an older one writes
	lowering map[addr.Object]int  // how many calls are about to take such a protection back

	opened    int64  // how often it had been written when it was read
	suspicion string // see [Inventory.Suspect]

	flush map[string]chan struct{} // has room for one: one request at a time for each shard
}

// change is one write that somebody waits for.
type change struct {
	address addr.Object
	entry   *Entry // nil removes
	guards  bool   // instead: of what is there then, only whether it must not be deleted changes, to prevent
	prevent bool
	done    bool
	err     error
}

// Open reads the inventory. It fails when the store does, and when an entry is of a newer format
// than this program knows.
func Open(ctx context.Context, store Store) (*Inventory, error) {
	i := &Inventory{
		store: store, entries: map[addr.Object]Entry{}, versions: map[string]string{},
		pending: map[string][]*change{}, coming: map[string]int{}, flush: map[string]chan struct{}{}, lowering: map[addr.Object]int{},
	}
	for n := range shards {
		i.flush[shardName(n)] = make(chan struct{}, 1)
	}
	i.flush[deploymentShard] = make(chan struct{}, 1)
	return i, i.Reload(ctx)
}

// Reload reads everything again, for a process that takes over from another one.
func (i *Inventory) Reload(ctx context.Context) error {
	stored, err := i.store.Load(ctx)
	if err != nil {
		return fmt.Errorf("read the inventory: %w", err)
	}
	i.mutex.Lock()
	defer i.mutex.Unlock()
	entries, versions, sizes, away, writes := map[addr.Object]Entry{}, map[string]string{}, map[string]int{}, map[addr.Object]string{}, map[string]int64{}
	var known record
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		shard := stored[name]
		content, err := decode(name, shard.Data)
		if err != nil {
			return err
		}
		if len(content.Entries) > 0 && !keepsEntries(name) {
			return fmt.Errorf("the inventory's shard %s has entries, and this program does not write to it: use the one that wrote it, or, where it is somebody's copy, delete that", name)
		}
		versions[name], sizes[name], writes[name] = shard.Version, content.size, content.Writes
		if name == deploymentShard {
			known = content.record
		}
		for _, entry := range content.Entries {
			if old, twice := entries[entry.Address]; twice && (old.ID != "" || entry.ID == "") {
				continue // of an attempt that was not known to have been stored
			}
			entries[entry.Address] = entry
			if delete(away, entry.Address); name != shardOf(entry.Address) {
				away[entry.Address] = name
			}
		}
	}
	i.entries, i.versions, i.sizes, i.away, i.writes, i.record = entries, versions, sizes, away, writes, known
	i.opened = i.counted()
	i.gone, i.promised = map[string]bool{}, map[addr.Object]bool{}
	i.uids = map[string]int{}
	for _, entry := range entries {
		i.count(entry, 1)
	}
	return nil
}

// content is what a shard holds.
type content struct {
	Format  int     `json:"format"`
	Entries []Entry `json:"entries,omitempty"`
	Packed  []byte  `json:"packed,omitempty"` // all of it, compressed, in place of the rest
	// Writes is how often the shard was written. An older program neither knows nor keeps it.
	Writes int64 `json:"writes,omitempty"`
	record

	size int // in bytes, when it is not packed
}

func decodePlain(name string, data []byte) (content, error) {
	c := content{size: len(data)}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("the inventory's shard %s cannot be read: %w", name, err)
	}
	if c.Format < 1 {
		return c, fmt.Errorf("the inventory's shard %s does not say what format it has", name)
	}
	if c.Format > Format {
		return c, fmt.Errorf("the inventory's shard %s has the format %d, and this program knows only up to %d: use a newer one", name, c.Format, Format)
	}
	for i := range c.Entries {
		if c.Entries[i].Address.IsZero() {
			return c, fmt.Errorf("the inventory's shard %s has an entry without an address", name)
		}
	}
	return c, nil
}

// Entries returns all entries by address.
func (i *Inventory) Entries() []Entry {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	entries := make([]Entry, 0, len(i.entries))
	for _, entry := range i.entries {
		entries = append(entries, entry)
	}
	slices.SortFunc(entries, func(a, b Entry) int { return a.Address.Compare(b.Address) })
	return entries
}

// Entry returns the entry of an address.
func (i *Inventory) Entry(a addr.Object) (Entry, bool) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	entry, ok := i.entries[a]
	return entry, ok
}

// UsesUID tells whether an entry has a uid, be it that of something it has replaced.
func (i *Inventory) UsesUID(uid string) bool {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	return i.uids[uid] > 0
}

// Put records an entry and returns once it is stored. Nothing is written when it is stored
// already. Retrying after an error is safe. Calls about one address must not overlap. That something must not be deleted
// is never taken back by it: a step that began before that was wanted writes what it knew then. See [Inventory.Unprotect].
func (i *Inventory) Put(ctx context.Context, entry Entry) error {
	old, ok := i.Entry(entry.Address)
	if entry.PreventDestroy = entry.PreventDestroy || ok && old.PreventDestroy; ok && reflect.DeepEqual(old, entry) {
		return nil
	}
	return i.write(ctx, &change{address: entry.Address, entry: &entry})
}

// Remove drops the entry of an address and returns once that is stored.
func (i *Inventory) Remove(ctx context.Context, a addr.Object) error {
	if _, ok := i.Entry(a); !ok {
		return nil
	}
	return i.write(ctx, &change{address: a})
}

// write queues a change and sees to it that it is stored, together with all that were queued for
// the same shard meanwhile.
func (i *Inventory) write(ctx context.Context, c *change) error {
	i.mutex.Lock()
	shard := i.place(c.address)
	i.pending[shard] = append(i.pending[shard], c)
	i.coming[shard]++
	i.mutex.Unlock()
	defer func() {
		i.mutex.Lock()
		i.coming[shard]--
		i.mutex.Unlock()
	}()

	if err := i.enter(ctx, shard); err != nil {
		i.mutex.Lock()
		defer i.mutex.Unlock()
		i.pending[shard] = slices.DeleteFunc(i.pending[shard], func(queued *change) bool { return queued == c })
		return err
	}
	defer i.leave(shard)
	batch := []*change{c}
	if c.done { // somebody before us took ours along
		if !interrupted(c.err) || ctx.Err() != nil {
			return c.err
		}
		// It was their time that ended, not ours.
	} else {
		i.mutex.Lock()
		batch = i.pending[shard]
		delete(i.pending, shard)
		i.mutex.Unlock()
	}

	err := i.commit(ctx, shard, func() content { return i.with(shard, batch) }, func() { i.apply(shard, batch) })
	for _, queued := range batch {
		queued.done, queued.err = true, err
	}
	return err
}

// enter waits until nobody else writes a shard.
func (i *Inventory) enter(ctx context.Context, shard string) error {
	select {
	case i.flush[shard] <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("write the inventory: %w", ctx.Err())
	}
}

func (i *Inventory) leave(shard string) { <-i.flush[shard] }

func interrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// commit stores one shard. next returns what is to be stored, and accept is called with the
// mutex held when it was.
func (i *Inventory) commit(ctx context.Context, shard string, next func() content, accept func()) error {
	for attempt := 1; ; attempt++ {
		i.mutex.Lock()
		content, version := next(), i.versions[shard]
		content.Writes = i.writes[shard] + 1
		i.mutex.Unlock()
		data, size, err := encode(content)
		if err != nil {
			return fmt.Errorf("write the inventory: %w", err)
		}
		stored, err := i.store.Put(ctx, shard, data, version)
		if err == nil {
			i.mutex.Lock()
			i.versions[shard], i.sizes[shard], i.writes[shard] = stored, size, content.Writes
			delete(i.gone, shard)
			accept()
			i.mutex.Unlock()
			return nil
		}
		// A conflict may be our own write whose answer was lost: what is stored now decides.
		if !errors.Is(err, ErrConflict) || attempt == attempts {
			return fmt.Errorf("write the inventory: %w", err)
		}
		if err := i.reread(ctx, shard); err != nil {
			return err
		}
	}
}

// reread takes over what is stored in one shard.
func (i *Inventory) reread(ctx context.Context, shard string) error {
	stored, err := i.store.Load(ctx)
	if err != nil {
		return fmt.Errorf("read the inventory: %w", err)
	}
	var c content
	piece, ok := stored[shard]
	if ok { // what cannot be read is not written over
		if c, err = decode(shard, piece.Data); err != nil {
			return err
		}
	}
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if ok && c.Writes > 0 && c.Writes < i.writes[shard] { // somebody put an older one there, and what we know is written over it
		i.versions[shard] = piece.Version
		return nil
	}
	i.gone[shard] = !ok && (i.versions[shard] != "" || i.gone[shard])
	i.versions[shard], i.sizes[shard] = piece.Version, c.size
	i.writes[shard] = max(i.writes[shard], c.Writes)
	if i.gone[shard] { // somebody deleted it, and what we know of it is what it said: see Restore
		return nil
	}
	if shard == deploymentShard {
		i.record = c.record
		return nil
	}
	for a := range i.entries {
		if i.lies(a) == shard {
			i.keep(a, nil)
		}
	}
	for _, entry := range c.Entries {
		if _, known := i.entries[entry.Address]; known && i.lies(entry.Address) != shard {
			continue // of an attempt that was not known to have been stored; it goes with the write that follows
		}
		i.settle(entry.Address, shard, true)
		i.keep(entry.Address, &entry)
	}
	return nil
}

// with returns a shard's content after a batch of changes; the mutex is held.
func (i *Inventory) with(shard string, batch []*change) content {
	next := map[addr.Object]Entry{}
	for a, entry := range i.entries {
		if i.lies(a) == shard {
			next[a] = entry
		}
	}
	for _, c := range batch {
		if c.entry = i.guarded(next, c); c.entry == nil {
			delete(next, c.address)
		} else {
			next[c.address] = *c.entry
		}
	}
	var result content
	for _, entry := range next {
		result.Entries = append(result.Entries, entry)
	}
	slices.SortFunc(result.Entries, func(a, b Entry) int { return a.Address.Compare(b.Address) })
	result.Format = formatOf(result.Entries)
	if slices.ContainsFunc(result.Entries, func(e Entry) bool { return shardOf(e.Address) != shard }) {
		result.Format = max(result.Format, formatAway)
	}
	return result
}

// apply takes a stored batch over; the mutex is held.
func (i *Inventory) apply(shard string, batch []*change) {
	for _, c := range batch {
		i.settle(c.address, shard, c.entry != nil)
		i.keep(c.address, c.entry)
	}
}

// keep notes what is stored for an address, nil for nothing; the mutex is held.
func (i *Inventory) keep(a addr.Object, entry *Entry) {
	if old, ok := i.entries[a]; ok {
		i.count(old, -1)
		delete(i.entries, a)
	}
	if entry != nil {
		i.entries[a] = *entry
		i.count(*entry, 1)
	}
}

// count notes that so many more entries have the uids of one; the mutex is held.
func (i *Inventory) count(entry Entry, more int) {
	for _, uid := range entry.UIDs() {
		if i.uids[uid] += more; i.uids[uid] == 0 {
			delete(i.uids, uid)
		}
	}
}
