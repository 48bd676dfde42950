package daemon_test

import (
	"context"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// driver is a world that does everything at once.
type driver struct {
	mutex sync.Mutex
	there map[addr.Object]bool
	takes time.Duration // each observation
}

func (d *driver) state(a addr.Object) unit.State {
	if !d.there[a] {
		return unit.State{Existence: unit.Absent}
	}
	return unit.State{Existence: unit.Present, Health: unit.HealthReady, Installed: true, Owned: true, ID: "id-" + a.Name()}
}

func (d *driver) Observe(_ context.Context, targets []unit.Target) (map[addr.Object]unit.State, error) {
	time.Sleep(d.takes)
	d.mutex.Lock()
	defer d.mutex.Unlock()
	states := map[addr.Object]unit.State{}
	for _, target := range targets {
		states[target.Address] = d.state(target.Address)
	}
	return states, nil
}

func (d *driver) Compare(_ unit.Target, _ cty.Value, state unit.State) unit.Diff {
	if state.Gone() {
		return unit.Diff{Action: unit.ActionCreate}
	}
	return unit.Diff{Action: unit.ActionNone}
}

func (d *driver) Apply(_ context.Context, target unit.Target, _ cty.Value, _ unit.State) (unit.State, error) {
	return d.put(target.Address, true), nil
}

func (d *driver) Delete(_ context.Context, target unit.Target, _ unit.State) (unit.State, error) {
	return d.put(target.Address, false), nil
}

func (d *driver) put(a addr.Object, there bool) unit.State {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.there[a] = there
	return d.state(a)
}

// store keeps an inventory in memory.
type store struct {
	mutex  sync.Mutex
	shards map[string]inventory.Shard
	puts   int
}

func (s *store) Load(context.Context) (map[string]inventory.Shard, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return maps.Clone(s.shards), nil
}

func (s *store) Put(_ context.Context, name string, data []byte, version string) (string, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.shards[name].Version != version {
		return "", inventory.ErrConflict
	}
	s.puts++
	s.shards[name] = inventory.Shard{Data: data, Version: strconv.Itoa(s.puts)}
	return s.shards[name].Version, nil
}

func (d *driver) has(a addr.Object) bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.there[a]
}
