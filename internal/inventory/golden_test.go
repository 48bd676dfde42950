package inventory_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
)

// past returns the inventories that lie in testdata, each as it is written in this format, with something in every
// field. They are added to, and never changed to please a newer program: that has to read what is stored in clusters.
func past(t *testing.T) map[string]map[string]json.RawMessage {
	t.Helper()
	files, err := filepath.Glob("testdata/format-*.json")
	if err != nil || len(files) != inventory.Format {
		t.Fatalf("there are %d files for the formats up to %d: %v", len(files), inventory.Format, err)
	}
	all := map[string]map[string]json.RawMessage{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		shards := map[string]json.RawMessage{}
		if err := json.Unmarshal(data, &shards); err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = shards
	}
	return all
}

func holding(shards map[string]json.RawMessage) *store {
	s := newStore()
	for name, data := range shards {
		s.shards[name] = inventory.Shard{Data: data, Version: "of old"}
	}
	return s
}

// TestWhatWasWrittenIsRead: nothing of what an older program recorded is lost, neither by reading nor by writing.
func TestWhatWasWrittenIsRead(t *testing.T) {
	for name, shards := range past(t) {
		t.Run(name, func(t *testing.T) {
			s := holding(shards)
			i := open(t, s)
			for _, e := range i.Entries() {
				id := e.ID
				for _, e.ID = range []string{"another", id} { // so that all is written once more
					put(t, i, e)
				}
			}
			for _, a := range []string{"service.barbican", "service.magnum"} {
				if err := i.SetUninstalled(t.Context(), addr.MustParseObject(a), nil); err != nil {
					t.Fatal(err)
				}
				if err := i.SetInstalled(t.Context(), addr.MustParseObject(a)); err != nil {
					t.Fatal(err)
				}
			}
			var written, before []any
			for shard := range s.shards {
				if s.shards[shard].Version == "of old" {
					t.Errorf("%s was not written", shard)
				}
				written = append(written, contentOf(t, s.shards[shard].Data)...)
			}
			for _, data := range shards {
				before = append(before, contentOf(t, data)...)
			}
			for _, one := range before {
				if !slices.ContainsFunc(written, func(other any) bool { return reflect.DeepEqual(one, other) }) {
					t.Errorf("this is not there any more: %v\nin: %v", one, written)
				}
			}
		})
	}
}

// contentOf returns all that a shard says but its format: the newest program may write another one.
func contentOf(t *testing.T, data []byte) []any {
	t.Helper()
	var shard map[string]any
	if err := json.Unmarshal(unfold(t, data), &shard); err != nil {
		t.Fatal(err)
	}
	entries, _ := shard["entries"].([]any)
	delete(shard, "entries")
	delete(shard, "format")
	delete(shard, "writes")
	if len(shard) > 0 {
		entries = append(entries, shard)
	}
	return entries
}

// unfold returns what is packed in a shard, or the shard.
func unfold(t *testing.T, data []byte) []byte {
	t.Helper()
	var outer struct{ Packed []byte }
	if err := json.Unmarshal(data, &outer); err != nil || outer.Packed == nil {
		return data
	}
	r, err := gzip.NewReader(bytes.NewReader(outer.Packed))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestEntriesElsewhere: entries where this program keeps none are a newer program's, or a copy that somebody made, and not written to.
func TestEntriesElsewhere(t *testing.T) {
	for _, shard := range []string{"deployment", "entries-8", "entries-3-copy"} {
		s := holding(map[string]json.RawMessage{
			shard: json.RawMessage(`{"format":1,"entries":[{"uid":"u","address":"network.a","phase":"owned","class":"resource","locator":{"driver":"openstack","kind":"network"}}]}`),
		})
		i, err := inventory.Open(t.Context(), s)
		if err == nil {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			e, _ := i.Entry(addr.MustParseObject("network.a"))
			e.ID = "another"
			err = i.Put(ctx, e)
			cancel()
		}
		if err == nil || !strings.Contains(err.Error(), "shard "+shard+" has entries") || s.puts > 0 {
			t.Errorf("%s: %v, and there were %d writes", shard, err, s.puts)
		}
	}
	// Without entries it is in nobody's way.
	if _, err := inventory.Open(t.Context(), holding(map[string]json.RawMessage{"notes": json.RawMessage(`{"format":1}`)})); err != nil {
		t.Error(err)
	}
}

// TestADowngradeChangesNothing: what a newer program has written is not read, and says which program is needed.
func TestADowngradeChangesNothing(t *testing.T) {
	for _, shard := range []string{"entries-5", "deployment"} {
		shards := past(t)["format-1"]
		shards[shard] = json.RawMessage(`{"format":99,"entries":[]}`)
		s := holding(shards)
		_, err := inventory.Open(t.Context(), s)
		if err == nil || !strings.Contains(err.Error(), shard+" has the format 99") || !strings.Contains(err.Error(), "use a newer one") {
			t.Errorf("%s: %v", shard, err)
		}
		if s.puts != 0 {
			t.Errorf("%s: there were %d writes", shard, s.puts)
		}
	}
}
