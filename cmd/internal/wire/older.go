package wire

import (
	"context"
	"errors"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
)

const (
	// countPatience is how long a process that comes into charge waits for what the last report says of the inventory. A
	// server that works tells it in much less.
	countPatience = 5 * time.Second
	// countAgain is the time between two later attempts, and countLimit how long each of these may take: nobody waits for
	// it, and a server may be as slow for good.
	countAgain = 15 * time.Second
	countLimit = 2 * time.Minute
)

// Count returns how often the inventory was written that is worked with; 0 where there is none yet, and where it may
// be an older one: a report that counts what was written since would have it taken for the newest.
func (s *System) Count() int64 {
	entries := s.inventory()
	if entries == nil || s.unproven.Load() || entries.Doubt() != "" && !entries.Older() {
		return 0
	}
	return entries.Count()
}

// compare finds out whether the inventory is older than one that was reported on, and has that on record before anything
// else. doubted is whether that is not known within a time: then nothing is deleted by what may be so, unless the server is away
// and the last report from this machine has nothing against it.
func (s *System) compare(ctx context.Context, entries *inventory.Inventory, limit time.Duration) (doubted bool, err error) {
	if s.Counted == nil {
		return false, nil
	}
	asking, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	count, err := s.Counted(asking)
	if gitrepo.KindOf(err) == gitrepo.Unreachable && s.Remembered != nil {
		// That a server is away holds back reports, and not the work: what goes on without it is by what was fetched before as well.
		if count, known := s.Remembered(ctx); known {
			s.unproven.Store(true)
			return true, entries.Expect(ctx, count)
		}
	}
	if err != nil {
		s.Log.Warn().Err(err).Msg("whether the inventory is the newest one is not known yet, and nothing is deleted only because no block wants it")
		entries.Suspect("whether the inventory is the newest one is not known, as the status branch cannot be read, which is tried again")
		return true, ctx.Err()
	}
	if err := entries.Expect(ctx, count); err != nil {
		return false, err
	}
	s.unproven.Store(false)
	if entries.Older() {
		s.Log.Warn().Msg("the inventory is older than one that was reported on, and nothing is deleted only because no block wants it")
	}
	return false, nil
}

// compareAgain does the same beside an engine, until it is known.
func (s *System) compareAgain(entries *inventory.Inventory, e *engine.Engine) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	s.mutex.Lock()
	s.closers = append(s.closers, func() { cancel(); <-ended })
	s.mutex.Unlock()
	contain.Go(func() {
		defer close(ended)
		again := time.NewTicker(countAgain)
		defer again.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-again.C:
			}
			doubted, err := s.compare(ctx, entries, countLimit)
			switch {
			case err != nil && !errors.Is(err, context.Canceled):
				entries.Suspect("whether the inventory is the newest one could not be put on record: " + err.Error())
			case err == nil && !doubted:
				_ = e.Doubt(ctx) // it fails only once nobody wants to know
				return
			}
		}
	})
}
