package engine_test

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"sync"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// store is an inventory's store in memory. Every write is a point where the process may be killed,
// before and after it.
type store struct {
	world *world

	mutex  sync.Mutex
	shards map[string]inventory.Shard
	puts   int
	fail   int // so many writes fail
	lose   int // so many writes are stored without an answer
}

func (s *store) Load(context.Context) (map[string]inventory.Shard, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return maps.Clone(s.shards), nil
}

func (s *store) Put(ctx context.Context, name string, data []byte, version string) (string, error) {
	if err := s.world.point(ctx); err != nil {
		return "", err
	}
	if s.world.isDisplaced() {
		return "", unit.ErrNotWriter
	}
	stored, err := s.put(name, data, version)
	if dead := s.world.point(ctx); dead != nil {
		return "", dead
	}
	return stored, err
}

func (s *store) put(name string, data []byte, version string) (string, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.puts++
	if s.fail > 0 {
		s.fail--
		return "", errors.New("the store does not answer")
	}
	if s.shards[name].Version != version {
		return "", inventory.ErrConflict
	}
	next := strconv.Itoa(s.puts)
	s.shards[name] = inventory.Shard{Data: data, Version: next}
	if s.lose > 0 {
		s.lose--
		return "", errors.New("the answer was lost")
	}
	return next, nil
}
