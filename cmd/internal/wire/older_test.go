//go:build beds

package wire

import (
	"context"
	"errors"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestAnOlderInventoryIsKnownByTheReport: and where there is no telling, it is not taken for the newest one.
func TestAnOlderInventoryIsKnownByTheReport(t *testing.T) {
	store := memory{}
	open := func() *inventory.Inventory {
		t.Helper()
		entries, err := inventory.Open(t.Context(), store)
		if err != nil {
			t.Fatal(err)
		}
		return entries
	}
	entries := open()
	put := func(name string) {
		t.Helper()
		if err := entries.Put(t.Context(), inventory.Entry{Address: addr.MustParseObject(name), Class: unit.ClassResource}); err != nil {
			t.Fatal(err)
		}
	}
	put("network.a")
	backup := maps.Clone(store)
	put("network.b")
	reported, fails := entries.Count(), errors.New("no answer")
	s := &System{Log: zerolog.Nop()}
	compare := func(entries *inventory.Inventory, doubted, doubts bool) {
		t.Helper()
		if got, err := s.compare(t.Context(), entries, countPatience); got != doubted || err != nil || (entries.Doubt() != "") != doubts {
			t.Errorf("it is not known: %v, %v; it doubts: %q", got, err, entries.Doubt())
		}
	}
	compare(entries, false, false) // nobody reports
	entries = open()               // what a process has written itself is not compared with what was reported before it began
	s.Counted = func(context.Context) (int64, error) { return reported, fails }
	compare(entries, true, true)
	if entries.Older() {
		t.Error("what is not known is on record")
	}
	// A server that is away holds back nothing where the last report from here is known, and has no more than there is.
	remembers := int64(0)
	s.Remembered = func(context.Context) (int64, bool) { return remembers, remembers > 0 }
	compare(entries, true, true)
	remembers = reported
	compare(entries, true, true) // it is no server that is away
	fails = &gitrepo.Error{Kind: gitrepo.Unreachable}
	compare(entries, true, false)
	s.entries = entries
	put("network.c")
	if n := s.Count(); n != 0 {
		t.Errorf("before the reports of others are known it reports %d", n) // and would take that for one of an earlier time
	}
	fails = nil
	compare(entries, false, false)
	if n := s.Count(); n != reported+1 {
		t.Errorf("then it reports %d, want %d", n, reported+1)
	}
	maps.Copy(store, backup)
	for name := range store {
		if _, had := backup[name]; !had {
			delete(store, name)
		}
	}
	fails = &gitrepo.Error{Kind: gitrepo.Unreachable}
	compare(open(), true, true)
	fails = nil
	compare(open(), false, true)
	if next := open(); !next.Older() || next.Count() < reported {
		t.Errorf("on record is %v, and it counts %d", next.Older(), next.Count())
	}
}

// TestASlowServerTellsInTheEnd: it delays nothing, and the doubt ends though it is never any faster.
func TestASlowServerTellsInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entries, err := inventory.Open(t.Context(), memory{})
		if err != nil {
			t.Fatal(err)
		}
		s := &System{Log: zerolog.Nop(), Counted: func(ctx context.Context) (int64, error) {
			select {
			case <-ctx.Done():
				return 0, ctx.Err()
			case <-time.After(time.Minute):
				return 0, nil
			}
		}}
		began := time.Now()
		if doubted, err := s.compare(t.Context(), entries, countPatience); !doubted || err != nil || time.Since(began) > countPatience {
			t.Errorf("after %v it is not known: %v, %v", time.Since(began), doubted, err)
		}
		s.compareAgain(entries, engine.New(engine.Options{Inventory: entries, Log: zerolog.Nop()}))
		defer s.closeDrivers()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if why := entries.Doubt(); why != "" {
			t.Errorf("it still doubts: %s", why)
		}
	})
}
