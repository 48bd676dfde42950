package inventory

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// crowded makes entries whose addresses have their keys twice, which leaves two shards to all of them.
func crowded(chance *rand.Rand, n int) Entry {
	hex := func(n int) string {
		var text strings.Builder
		for range n {
			fmt.Fprintf(&text, "%x", chance.IntN(16))
		}
		return text.String()
	}
	id := func() string { return strings.Join([]string{hex(8), hex(4), hex(4), hex(4), hex(12)}, "-") }
	tenant := fmt.Sprintf("c-%05d", n)
	module := `module.tenants["` + tenant + `"].`
	entry := Entry{
		UID: hex(26), Address: addr.MustParseObject(module + `instance.web["` + tenant + `"]`), Phase: Owned, Class: unit.ClassResource, ID: id(),
		Locator: unit.Locator{Driver: unit.OpenStack, Kind: "instance", Project: id()}, Applied: "hmac-sha256:" + hex(64),
	}
	for _, kind := range []string{"network", "port", "keypair", "flavor", "image", "project"} {
		entry.Edges = append(entry.Edges, Edge{To: addr.MustParseObject(module + kind + `.web["` + tenant + `"]`)})
	}
	return entry
}

// TestWhatASecretHolds: as many objects as a configuration may have fit into what Kubernetes stores.
func TestWhatASecretHolds(t *testing.T) {
	const objects, most = 20000, 1 << 20
	chance := rand.New(rand.NewPCG(1, 2))
	i, err := Open(t.Context(), &cabinet{shards: map[string]Shard{}})
	if err != nil {
		t.Fatal(err)
	}
	byShard := map[string][]Entry{}
	for n := range objects {
		entry := crowded(chance, n)
		shard := i.place(entry.Address)
		i.settle(entry.Address, shard, true)
		byShard[shard] = append(byShard[shard], entry)
		text, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		i.entries[entry.Address], i.sizes[shard] = entry, i.sizes[shard]+len(text)+1
	}
	for shard, entries := range byShard {
		data, _, err := encode(content{Format: formatOf(entries), Entries: entries})
		if err != nil {
			t.Fatal(err)
		}
		if len(data) >= most*3/4 {
			t.Errorf("%s of %d entries takes %d bytes", shard, len(entries), len(data))
		}
		if back, err := decode(shard, data); err != nil || !reflect.DeepEqual(back.Entries, entries) {
			t.Errorf("%s is read as %d entries, %v", shard, len(back.Entries), err)
		}
	}
}

// cabinet is a store in memory.
type cabinet struct {
	mutex  sync.Mutex
	shards map[string]Shard
	puts   int
	lost   error // when set, what the next write answers, which is stored all the same
}

func (c *cabinet) Load(context.Context) (map[string]Shard, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return maps.Clone(c.shards), nil
}

func (c *cabinet) Put(_ context.Context, name string, data []byte, version string) (string, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if version != c.shards[name].Version {
		return "", ErrConflict
	}
	c.puts++
	now := strconv.Itoa(c.puts)
	c.shards[name] = Shard{Data: data, Version: now}
	err := c.lost
	c.lost = nil
	return now, err
}

// crammed is a store all of whose shards are large, with so many entries each, and further entries.
func crammed(t *testing.T, each, more int) (c *cabinet, there, further []Entry) {
	t.Helper()
	chance := rand.New(rand.NewPCG(3, 4))
	byShard := map[string][]Entry{}
	for n := range each * shards {
		entry := crowded(chance, n)
		name := shardName(n % shards)
		byShard[name] = append(byShard[name], entry)
		there = append(there, entry)
	}
	for n := range more {
		further = append(further, crowded(chance, each*shards+n))
	}
	c = &cabinet{shards: map[string]Shard{}}
	for name, entries := range byShard {
		data, size, err := encode(content{Format: formatAway, Entries: entries})
		if err != nil || size <= packAbove {
			t.Fatalf("%d bytes, %v", size, err)
		}
		c.shards[name] = Shard{Data: data, Version: "0"}
	}
	return c, there, further
}

// TestAnAttemptThatWasStored: an entry whose write failed, though it was stored, is in one place in the end, with what was
// written last.
func TestAnAttemptThatWasStored(t *testing.T) {
	c, there, further := crammed(t, 330, 1)
	entry := further[0]
	i, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	id := entry.ID
	entry.ID, entry.Phase = "", Intent
	c.lost = errors.New("no answer")
	if err := i.Put(t.Context(), entry); err == nil {
		t.Fatal("the write did not fail")
	}
	for _, other := range there { // so that another shard is the smallest
		if i.lies(other.Address) != i.lies(entry.Address) {
			if err := i.Remove(t.Context(), other.Address); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if err := i.Put(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
	entry.ID, entry.Phase = id, Owned
	if err := i.Put(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
	copies := 0
	for name, shard := range c.shards {
		read, err := decode(name, shard.Data)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range read.Entries {
			if e.Address == entry.Address {
				copies++
			}
		}
	}
	if known, _ := i.Entry(entry.Address); copies != 1 || known.ID != id {
		t.Errorf("%d copies are stored, and the id is %q", copies, known.ID)
	}
}

// TestTwoCopies: where an attempt left one copy in another shard, the one with the id counts, whatever is written after.
func TestTwoCopies(t *testing.T) {
	c, _, further := crammed(t, 330, 1)
	whole := further[0]
	begun := whole
	begun.ID, begun.Phase = "", Intent
	for _, order := range [][2]string{{"entries-1", "entries-6"}, {"entries-6", "entries-1"}} {
		c := &cabinet{shards: maps.Clone(c.shards)}
		for n, entry := range []Entry{whole, begun} {
			name := order[n]
			read, err := decode(name, c.shards[name].Data)
			if err != nil {
				t.Fatal(err)
			}
			data, _, err := encode(content{Format: formatAway, Entries: append(read.Entries, entry)})
			if err != nil {
				t.Fatal(err)
			}
			c.shards[name] = Shard{Data: data, Version: "0"}
		}
		i, err := Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		// Somebody writes to the shard of the leftover, so that it is read again, and then this process does.
		c.shards[order[1]] = Shard{Data: c.shards[order[1]].Data, Version: "another"}
		for _, other := range i.Entries() {
			if i.lies(other.Address) == order[1] {
				if err := i.Remove(t.Context(), other.Address); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		again, err := Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, known := range []*Inventory{i, again} {
			if entry, _ := known.Entry(whole.Address); !reflect.DeepEqual(entry, whole) || known.lies(whole.Address) != order[0] {
				t.Errorf("%v: it is %+v in %s", order, entry, known.lies(whole.Address))
			}
		}
		if err := again.Remove(t.Context(), whole.Address); err != nil {
			t.Fatal(err)
		}
		if last, err := Open(t.Context(), c); err != nil || len(last.entries) != len(again.entries) {
			t.Errorf("%v: %d entries are left of %d, %v", order, len(last.entries), len(again.entries), err)
		}
	}
}

// TestManyAtOnce: what is written at once is spread, and not all of it to the shard that was the smallest.
func TestManyAtOnce(t *testing.T) {
	const most = 470
	c, there, further := crammed(t, 330, 8*40)
	i, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var writes sync.WaitGroup
	for _, entry := range further {
		writes.Go(func() {
			if err := i.Put(t.Context(), entry); err != nil {
				t.Error(err)
			}
		})
	}
	writes.Wait()
	again, err := Open(t.Context(), c)
	if err != nil || len(again.entries) != len(there)+len(further) {
		t.Fatalf("%d entries, %v", len(again.entries), err)
	}
	for name, shard := range c.shards {
		if read, err := decode(name, shard.Data); err != nil || len(read.Entries) > most {
			t.Errorf("%s has %d entries, %v", name, len(read.Entries), err)
		}
	}
}

// TestEntriesThatLieElsewhere: what does not go where its address says, as that shard is large, is read, written anew and
// removed where it lies, and a program that does not know of that may not write.
func TestEntriesThatLieElsewhere(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	first := crowded(chance, 0)
	full := shardOf(first.Address)
	var there []Entry
	for n := 0; len(there) < 400; n++ {
		if entry := crowded(chance, n); shardOf(entry.Address) == full {
			there = append(there, entry)
		}
	}
	late, there := there[350:], there[:350]
	data, size, err := encode(content{Format: formatFirst, Entries: there})
	if err != nil || size <= packAbove {
		t.Fatalf("%d bytes, %v", size, err)
	}
	c := &cabinet{shards: map[string]Shard{full: {Data: data, Version: "1"}}}
	i, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		for n := range late {
			late[n].ID = fmt.Sprintf("%d-%d", round, n)
			if err := i.Put(t.Context(), late[n]); err != nil {
				t.Fatal(err)
			}
			if round == 1 && n%2 == 0 { // and what lies there goes and comes as well
				if err := i.Remove(t.Context(), late[n].Address); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := i.Put(t.Context(), there[round]); err != nil {
			t.Fatal(err)
		}
		there[round+100].ID = "new"
		if err := i.Put(t.Context(), there[round+100]); err != nil {
			t.Fatal(err)
		}
		want := map[addr.Object]Entry{}
		for _, entry := range there {
			want[entry.Address] = entry
		}
		for n, entry := range late {
			if round != 1 || n%2 != 0 {
				want[entry.Address] = entry
			}
		}
		again, err := Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for _, known := range []*Inventory{i, again} {
			if !reflect.DeepEqual(known.entries, want) {
				t.Fatalf("in round %d there are %d entries, want %d", round, len(known.entries), len(want))
			}
		}
		i = again
	}
	lying := 0
	for name, shard := range c.shards {
		read, err := decode(name, shard.Data)
		if err != nil {
			t.Fatal(err)
		}
		if name == full {
			if len(read.Entries) != len(there) {
				t.Errorf("%d entries lie where all addresses say", len(read.Entries))
			}
			continue
		}
		lying += len(read.Entries)
		if read.Format != formatAway {
			t.Errorf("%s has the format %d", name, read.Format)
		}
	}
	if lying != len(late) {
		t.Errorf("%d entries lie elsewhere, want %d", lying, len(late))
	}
}

// TestDamagedPacks: what is packed and cannot be read is an error, never nothing.
func TestDamagedPacks(t *testing.T) {
	pack := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(text))
		_ = w.Close()
		data, err := json.Marshal(content{Format: formatPacked, Packed: b.Bytes()})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	whole := pack(`{"format":1,"entries":[]}`)
	if c, err := decode("entries-0", whole); err != nil || c.Format != formatFirst {
		t.Errorf("the format %d, %v", c.Format, err)
	}
	for name, data := range map[string][]byte{
		"no compressed data":   []byte(`{"format":4,"packed":"YWJj"}`),
		"packed twice":         pack(string(whole)),
		"no JSON within":       pack("x"),
		"a newer one within":   pack(`{"format":99}`),
		"no format within":     pack(`{"entries":[]}`),
		"too much of nothing":  pack(strings.Repeat(" ", mostUnpacked+1)),
		"cut in the middle":    []byte(`{"format":4,"packed":"H4sIAAAA"}`),
		"a format of tomorrow": []byte(`{"format":5,"packed":"H4sIAAAA"}`),
	} {
		if c, err := decode("entries-0", data); err == nil || !strings.Contains(err.Error(), "entries-0") {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}
