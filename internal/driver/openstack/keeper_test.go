package openstack_test

import (
	"context"
	"crypto/rand"
	"maps"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// records is the store of an inventory in memory.
type records struct {
	mutex  sync.Mutex
	shards map[string]inventory.Shard
	puts   int
}

func (r *records) Load(context.Context) (map[string]inventory.Shard, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return maps.Clone(r.shards), nil
}

func (r *records) Put(_ context.Context, name string, data []byte, version string) (string, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.shards[name].Version != version {
		return "", inventory.ErrConflict
	}
	r.puts++
	next := strconv.Itoa(r.puts)
	r.shards[name] = inventory.Shard{Data: data, Version: next}
	return next, nil
}

// keeper is the engine with this driver alone, and what it remembers from one revision to the next.
type keeper struct {
	driver    *openstack.Driver
	inventory *inventory.Inventory
	marker    inventory.Marker
}

func newKeeper(t *testing.T, d *openstack.Driver) *keeper {
	t.Helper()
	kept, err := inventory.Open(t.Context(), &records{shards: map[string]inventory.Shard{}})
	if err != nil {
		t.Fatal(err)
	}
	return &keeper{d, kept, inventory.NewMarker(rand.Text(), redact.NewSecret("a key that is long enough"))}
}

// converge brings the targets to what is wanted of them, as a run with a revision of them does, and returns what
// that says of them.
func (k *keeper) converge(t *testing.T, targets ...unit.Target) []engine.UnitStatus {
	t.Helper()
	all := k.pass(t, targets...)
	for _, u := range all {
		if u.Phase != engine.PhaseReady {
			t.Fatalf("%s is %s: %s", u.Address, u.Phase, u.Reason)
		}
	}
	return all
}

// pass is [keeper.converge] where not everything need be possible.
func (k *keeper) pass(t *testing.T, targets ...unit.Target) []engine.UnitStatus {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	r := &engine.Revision{ID: rand.Text(), Deployment: inventory.Deployment{Cloud: "demo"}}
	for _, tg := range targets {
		r.Units = append(r.Units, unit.Unit{Address: tg.Address, Spec: tg.Spec, Class: unit.ClassResource})
	}
	e := engine.New(engine.Options{
		Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: k.driver}, Inventory: k.inventory, Marker: k.marker,
	})
	if err := e.Converge(ctx, r, time.Second); err != nil {
		t.Fatal(err)
	}
	return e.Snapshot().Units
}

// recorded returns the target with what is on record of it.
func (k *keeper) recorded(t *testing.T, tg unit.Target) unit.Target {
	t.Helper()
	entry, ok := k.inventory.Entry(tg.Address)
	if !ok {
		t.Fatalf("nothing is on record of %s", tg.Address)
	}
	tg.ID, tg.UID, tg.Mark, tg.Locator, tg.Fresh, tg.Set = entry.ID, entry.UID, k.marker.Mark(entry.UID), entry.Locator, false, entry.Set
	return tg
}
