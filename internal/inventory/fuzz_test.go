package inventory

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// seeds adds the shards of each format that there has been, and some more.
func seeds(f *testing.F, add func(data []byte)) {
	f.Helper()
	files, err := filepath.Glob("testdata/format-*.json")
	if err != nil || len(files) != Format {
		f.Fatalf("there are %d files for the formats up to %d: %v", len(files), Format, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		shards := map[string]json.RawMessage{}
		if err := json.Unmarshal(text, &shards); err != nil {
			f.Fatal(err)
		}
		for _, data := range shards {
			add(data)
		}
	}
	for _, text := range []string{
		`{"format":1,"entries":[{"uid":"u","address":"network.a","phase":"owned","class":"resource","locator":{"driver":"openstack","kind":"network"}}]}`,
		`{"format":1,"deployment":{"cloud":"demo"}}`,
		`{"format":2,"entries":[{"uid":"u","address":"network.a","former":[{"uid":"v","id":"x","locator":{"driver":"openstack","kind":"network"}}]}]}`,
		`{"format":4}`, `{"format":4,"packed":"H4sIAAAAAAACA6tWSssvyk0sUbIy1FFKzSspykwtVrKKjq0FACOFsAgZAAAA"}`,
		fmt.Sprintf(`{"format":%d}`, Format+1), `null`,
	} {
		add([]byte(text))
	}
}

func FuzzDecode(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data) })
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := decode("entries-0", data)
		if err != nil {
			return
		}
		if first.Format < formatFirst || first.Format > Format {
			t.Fatalf("format %d was taken", first.Format)
		}
		text, err := json.Marshal(first)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		second, err := decode("entries-0", text)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		again, err := json.Marshal(second)
		if err != nil || string(again) != string(text) {
			t.Fatalf("%s became %s: %v", text, again, err)
		}
	})
}

// shelf is a store in memory.
type shelf struct {
	shards map[string]Shard
	puts   int
}

func (s *shelf) Load(context.Context) (map[string]Shard, error) { return s.shards, nil }

func (s *shelf) Put(_ context.Context, name string, data []byte, version string) (string, error) {
	if s.shards[name].Version != version {
		return "", ErrConflict
	}
	s.puts++
	next := fmt.Sprint("version ", s.puts)
	s.shards[name] = Shard{Data: data, Version: next}
	return next, nil
}

// FuzzOpen has two shards be anything, one of them perhaps where the other one's entries would lie. What cannot be read is not written
// to. Of what can be, writing each entry once more loses none, and makes none of what it was not.
func FuzzOpen(f *testing.F) {
	var all [][]byte
	seeds(f, func(data []byte) { all = append(all, data) })
	for i, data := range all {
		f.Add(uint8(i), uint8(i+1), data, all[(i+1)%len(all)])
		f.Add(uint8(0), uint8(2), data, data)
		f.Add(uint8(2), uint8(3), data, data) // the same in two places
	}
	f.Fuzz(func(t *testing.T, one, two uint8, data, other []byte) {
		names := []string{deploymentShard, "entries-copy"}
		for n := range shards {
			names = append(names, shardName(n))
		}
		s := &shelf{shards: map[string]Shard{}}
		s.shards[names[int(one)%len(names)]] = Shard{Data: data, Version: "of old"}
		s.shards[names[int(two)%len(names)]] = Shard{Data: other, Version: "of old"}
		i, err := Open(t.Context(), s)
		if err != nil {
			if s.puts > 0 {
				t.Errorf("what cannot be read was written to: %v", err)
			}
			return
		}
		before := i.Entries()
		for n, e := range before {
			if n > 0 && before[n-1].Address.Compare(e.Address) >= 0 {
				t.Fatalf("%s is there behind %s", e.Address, before[n-1].Address)
			}
			id := e.ID
			for _, e.ID = range []string{id + "another", id} { // so that it is written
				if err := i.Put(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
		}
		again, err := Open(t.Context(), s)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if after := again.Entries(); !same(t, before, after) {
			t.Errorf("of\n%+v\nthere is\n%+v", before, after)
		}
		if !same(t, i.record, again.record) {
			t.Errorf("the record\n%+v\nbecame\n%+v", i.record, again.record)
		}
	})
}

// same tells whether two things would be written as the same.
func same(t *testing.T, a, b any) bool {
	t.Helper()
	one, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	two, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(one, two)
}
