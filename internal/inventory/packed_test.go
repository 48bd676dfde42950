package inventory

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"strings"
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

// cabinet is a store that counts no versions.
type cabinet struct{ shards map[string]Shard }

func (c *cabinet) Load(context.Context) (map[string]Shard, error) { return maps.Clone(c.shards), nil }

func (c *cabinet) Put(_ context.Context, name string, data []byte, version string) (string, error) {
	if version != c.shards[name].Version {
		return "", ErrConflict
	}
	c.shards[name] = Shard{Data: data, Version: version + "1"}
	return c.shards[name].Version, nil
}

// TestEntriesThatLieElsewhere: what does not go where its address says, as that shard is large, is read, written anew and
// removed where it lies, and a program that does not know of that may not write.
func TestEntriesThatLieElsewhere(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	first := crowded(chance, 0)
	full := shardOf(first.Address)
	var there []Entry
	for n := 0; len(there) < 600; n++ {
		if entry := crowded(chance, n); shardOf(entry.Address) == full {
			there = append(there, entry)
		}
	}
	late, there := there[500:], there[:500]
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
