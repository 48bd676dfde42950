package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// patient is a driver whose creations take a while, and that looks at what is stored as they begin.
type patient struct {
	*counting
	store *slowStore
	needs map[addr.Object]addr.Object
	t     *testing.T
}

func (d patient) Apply(ctx context.Context, t unit.Target, desired cty.Value, s unit.State) (unit.State, error) {
	if entry := d.store.entry(t.Address); entry.Phase != inventory.Intent {
		d.t.Errorf("%s is created, and stored of it is %+v", t.Address, entry)
	}
	if to, waits := d.needs[t.Address]; waits {
		if entry := d.store.entry(to); entry.Phase != inventory.Owned || entry.ID != to.Name() || entry.Applied == "" {
			d.t.Errorf("%s is created, and stored of %s that it needs is %+v", t.Address, to, entry)
		}
	}
	time.Sleep(20 * time.Millisecond)
	return d.counting.Apply(ctx, t, desired, s)
}

// slowStore is a store in memory whose writes take as long, and are counted.
type slowStore struct {
	mutex   sync.Mutex
	shards  map[string]inventory.Shard
	entries map[addr.Object]inventory.Entry
	puts    int
}

// entry is what is stored of an address.
func (s *slowStore) entry(a addr.Object) inventory.Entry {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.entries[a]
}

func (s *slowStore) Load(context.Context) (map[string]inventory.Shard, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return maps.Clone(s.shards), nil
}

func (s *slowStore) Put(_ context.Context, name string, data []byte, version string) (string, error) {
	time.Sleep(20 * time.Millisecond)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.shards[name].Version != version {
		return "", inventory.ErrConflict
	}
	var content struct{ Entries []inventory.Entry }
	if err := json.Unmarshal(data, &content); err != nil {
		return "", err
	}
	for _, entry := range content.Entries {
		s.entries[entry.Address] = entry
	}
	s.puts++
	next := strconv.Itoa(s.puts)
	s.shards[name] = inventory.Shard{Data: data, Version: next}
	return next, nil
}

// TestWritesOfManyAreJoined: where many manifests are created the inventory is written far less than twice for each. All the
// same what is stored says of each that it is about to be created before it is, and that it is there before anything is
// created that needs it.
func TestWritesOfManyAreJoined(t *testing.T) {
	const many, most = 250, 1.2
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{shards: map[string]inventory.Shard{}, entries: map[addr.Object]inventory.Entry{}}
		records, err := inventory.Open(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		d := patient{&counting{there: map[addr.Object]unit.State{}}, s, map[addr.Object]addr.Object{}, t}
		r := &Revision{ID: "one"}
		for i := range many {
			name := fmt.Sprintf("m%d", i)
			u := unit.Unit{Address: addr.MustParseObject("manifest." + name), Class: unit.ClassWorkload, Spec: &unit.Objects{Items: []map[string]any{
				{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name, "namespace": "notes"}},
			}}}
			if i%10 == 1 {
				d.needs[u.Address] = r.Units[i-1].Address
				u.Edges = []unit.Edge{{To: r.Units[i-1].Address, Until: unit.Ready, Gate: unit.GateStart}}
			}
			r.Units = append(r.Units, u)
		}
		e := New(Options{
			Language: schema.New(), Drivers: map[unit.DriverName]Driver{unit.Kubernetes: d}, Inventory: records,
			Marker: inventory.NewMarker("test", redact.NewSecret("a key that is long enough")),
		})
		begun := time.Now()
		if err := e.Converge(t.Context(), r, time.Second); err != nil {
			t.Fatal(err)
		}
		for _, u := range e.Snapshot().Units {
			if entry, _ := records.Entry(u.Address); u.Phase != PhaseReady || entry.Phase != inventory.Owned {
				t.Fatalf("%s is %s: %s; on record it is %s", u.Address, u.Phase, u.Reason, entry.Phase)
			}
		}
		t.Logf("%.2f writes for each, %v", float64(s.puts)/many, time.Since(begun))
		if float64(s.puts) > most*many {
			t.Errorf("there were %d writes for %d units", s.puts, many)
		}
		if e.ahead != 0 || e.running[unit.Kubernetes] != 0 || e.recording[unit.Kubernetes] != 0 {
			t.Errorf("it counts %d ahead, %d calls and %d writes", e.ahead, e.running[unit.Kubernetes], e.recording[unit.Kubernetes])
		}
	})
}
