package inventory_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
)

// expect tells an inventory how often it was written at least, and whether that puts it in doubt.
func expect(t *testing.T, i *inventory.Inventory, count int64, older bool) {
	t.Helper()
	if err := i.Expect(t.Context(), count); err != nil {
		t.Fatal(err)
	}
	if i.Older() != older || (i.Doubt() != "") != older || i.Count() < count {
		t.Errorf("with %d writes expected it counts %d, and doubts: %q", count, i.Count(), i.Doubt())
	}
}

// TestAnOlderInventoryIsInDoubt: what a backup brings back is known as such by the number of writes, in whatever shard it
// is, until it is trusted; and no program that does not know of that reads it meanwhile.
func TestAnOlderInventoryIsInDoubt(t *testing.T) {
	s := newStore()
	i := open(t, s)
	for _, name := range []string{"a", "b", "c"} {
		put(t, i, entry(name))
	}
	backup := maps.Clone(s.shards)
	i = open(t, s)
	expect(t, i, 3, false)
	if i.Count() != 3 {
		t.Errorf("the next process counts %d writes", i.Count())
	}
	if err := i.Remove(t.Context(), addr.MustParseObject("network.a")); err != nil {
		t.Fatal(err)
	}
	newest, reported := maps.Clone(s.shards), i.Count()
	for name, lose := range map[string]func(){
		"all of it":    func() { s.shards = maps.Clone(backup) },
		"a lost shard": func() { s.shards = maps.Clone(newest); delete(s.shards, shardOf(t, newest, "network.b")) },
		"a single shard": func() { // the one that was written since
			s.shards = maps.Clone(newest)
			for shard := range backup {
				if string(backup[shard].Data) != string(newest[shard].Data) {
					s.shards[shard] = backup[shard]
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			lose()
			i := open(t, s)
			expect(t, i, reported, true)
			if data := string(s.shards["deployment"].Data); !strings.Contains(data, `"format":6`) {
				t.Errorf("the format does not say so: %s", data)
			}
			put(t, i, entry("d"))
			i = open(t, s)
			expect(t, i, reported, true) // by now it was written as often, and is in doubt all the same
			expect(t, i, i.Count(), true)
			count := i.Count()
			if err := i.Trust(t.Context()); err != nil {
				t.Fatal(err)
			}
			i = open(t, s)
			expect(t, i, count, false)
			if data := string(s.shards["deployment"].Data); !strings.Contains(data, `"format":1`) {
				t.Errorf("the format still says so: %s", data)
			}
		})
	}
}

// TestAnOlderShardIsWrittenOver: what somebody restores below a process that knows better is not taken over by it.
func TestAnOlderShardIsWrittenOver(t *testing.T) {
	s := newStore()
	i := open(t, s)
	put(t, i, entry("a"))
	if err := i.SetHome(t.Context(), inventory.Home{Project: "p"}); err != nil {
		t.Fatal(err)
	}
	backup := maps.Clone(s.shards)
	a, _ := i.Entry(addr.MustParseObject("network.a"))
	a.PreventDestroy = true
	put(t, i, a)
	if err := i.SetHome(t.Context(), inventory.Home{Project: "q"}); err != nil {
		t.Fatal(err)
	}
	reported := i.Count()
	for name, shard := range backup {
		s.shards[name] = inventory.Shard{Data: shard.Data, Version: "restored " + name}
	}
	expect(t, open(t, &store{shards: maps.Clone(s.shards)}), reported, true) // who comes next knows by the report

	a.ID = "another"
	put(t, i, a)
	if err := i.SetHome(t.Context(), inventory.Home{Project: "r"}); err != nil {
		t.Fatal(err)
	}
	i = open(t, s)
	if got, _ := i.Entry(a.Address); !got.PreventDestroy || got.ID != "another" || i.Home().Project != "r" {
		t.Errorf("on record are %+v and %+v", got, i.Home())
	}
	expect(t, i, reported, false)
}

// shardOf finds the shard that an entry lies in.
func shardOf(t *testing.T, shards map[string]inventory.Shard, address string) string {
	t.Helper()
	for name, shard := range shards {
		var content struct{ Entries []struct{ Address string } }
		if err := json.Unmarshal(shard.Data, &content); err != nil {
			t.Fatal(err)
		}
		for _, e := range content.Entries {
			if e.Address == address {
				return name
			}
		}
	}
	t.Fatalf("%s is nowhere", address)
	return ""
}

// TestASuspicionIsOfOneProcess: it is on no record, and ends with a number.
func TestASuspicionIsOfOneProcess(t *testing.T) {
	s := newStore()
	i := open(t, s)
	put(t, i, entry("a"))
	puts := s.puts
	i = open(t, s)
	i.Suspect("nobody tells")
	if i.Doubt() != "nobody tells" || i.Older() || s.puts != puts {
		t.Errorf("it doubts: %q, after %d writes", i.Doubt(), s.puts-puts)
	}
	expect(t, i, 1, false)

	// What it writes before it is told how often it was written is not taken for what it lacks.
	i = open(t, s)
	i.Suspect("nobody tells")
	put(t, i, entry("b"))
	put(t, i, entry("c"))
	expect(t, i, 2, true)
}
