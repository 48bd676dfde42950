package inventory_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

var errLost = errors.New("the answer was lost")

// store keeps shards in memory, and fails as told.
type store struct {
	mutex  sync.Mutex
	shards map[string]inventory.Shard
	puts   int
	loads  int
	lose   int           // so many writes are stored without an answer
	answer chan struct{} // a write waits for it, when there is one
}

func newStore() *store { return &store{shards: map[string]inventory.Shard{}} }

func (s *store) Load(context.Context) (map[string]inventory.Shard, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.loads++
	all := map[string]inventory.Shard{}
	for name, shard := range s.shards {
		all[name] = shard
	}
	return all, nil
}

func (s *store) Put(ctx context.Context, name string, data []byte, version string) (string, error) {
	if s.answer != nil {
		select {
		case <-s.answer:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.puts++
	if s.shards[name].Version != version {
		return "", fmt.Errorf("put %s: %w", name, inventory.ErrConflict)
	}
	next := strconv.Itoa(s.puts)
	s.shards[name] = inventory.Shard{Data: data, Version: next}
	if s.lose > 0 {
		s.lose--
		return "", errLost
	}
	return next, nil
}

func open(t *testing.T, s inventory.Store) *inventory.Inventory {
	t.Helper()
	i, err := inventory.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func entry(name string) inventory.Entry {
	return inventory.Entry{
		UID: "uid-" + name, Address: addr.MustParseObject("network." + name), Phase: inventory.Owned, Class: unit.ClassResource,
		Locator: unit.Locator{Driver: unit.OpenStack, Kind: "network", Project: "p"}, ID: "id-" + name,
		Edges: []inventory.Edge{{To: addr.MustParseObject("service.neutron"), Until: unit.Ready}},
	}
}

func put(t *testing.T, i *inventory.Inventory, entries ...inventory.Entry) {
	t.Helper()
	for _, e := range entries {
		if err := i.Put(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// names returns the names of what an inventory has.
func names(i *inventory.Inventory) string {
	var all []string
	for _, e := range i.Entries() {
		all = append(all, e.Address.Name())
	}
	return strings.Join(all, " ")
}

func TestPutIsReadBack(t *testing.T) {
	s := newStore()
	i := open(t, s)
	put(t, i, entry("b"), entry("a"))
	d := inventory.Deployment{Cloud: "demo", Release: "2025.1"}
	home := inventory.Home{Project: "p1", Region: "North"}
	if err := i.SetHome(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	if err := i.SetDeployment(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	next := open(t, s)
	if got := names(next); got != "a b" {
		t.Errorf("entries %q", got)
	}
	got, ok := next.Entry(addr.MustParseObject("network.a"))
	if want := entry("a"); !ok || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := next.Home(); got == nil || *got != home {
		t.Errorf("the place in OpenStack is %v, want %v", got, home)
	}
	if got := next.Deployment(); got == nil || *got != d {
		t.Errorf("deployment %+v", got)
	}
	if err := next.Remove(t.Context(), addr.MustParseObject("network.a")); err != nil {
		t.Fatal(err)
	}
	if got := names(open(t, s)); got != "b" {
		t.Errorf("after the removal %q", got)
	}
}

func TestNothingIsWrittenThatIsStored(t *testing.T) {
	s := newStore()
	i := open(t, s)
	put(t, i, entry("a"))
	if err := i.SetDeployment(t.Context(), inventory.Deployment{Cloud: "demo"}); err != nil {
		t.Fatal(err)
	}
	for _, i := range []*inventory.Inventory{i, open(t, s)} {
		before := s.puts
		put(t, i, entry("a"))
		if err := i.SetDeployment(t.Context(), inventory.Deployment{Cloud: "demo"}); err != nil {
			t.Fatal(err)
		}
		if err := i.Remove(t.Context(), addr.MustParseObject("network.z")); err != nil {
			t.Fatal(err)
		}
		if s.puts != before {
			t.Errorf("%d writes of what is stored", s.puts-before)
		}
	}
}

func TestWritesAtTheSameTimeShareRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.answer = make(chan struct{})
		i := open(t, s)
		const n = 200
		var group sync.WaitGroup
		for k := range n {
			group.Go(func() { put(t, i, entry(fmt.Sprintf("n%d", k))) })
		}
		for range 50 { // all that deploy say so
			group.Go(func() {
				if err := i.SetDeployment(t.Context(), inventory.Deployment{Cloud: "demo"}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		close(s.answer)
		group.Wait()
		// For each of the eight shards one write by the first and one for all that came meanwhile.
		if s.puts > 8*2+1 {
			t.Errorf("%d requests for %d entries", s.puts, n)
		}
		s.answer = nil
		if got := len(open(t, s).Entries()); got != n {
			t.Errorf("%d entries are stored", got)
		}
	})
}

func TestALostAnswerIsNoConflictForEver(t *testing.T) {
	s := newStore()
	i := open(t, s)
	s.lose = 1
	if err := i.Put(t.Context(), entry("a")); !errors.Is(err, errLost) {
		t.Fatalf("got %v", err)
	}
	if names(i) != "" {
		t.Error("what may not be stored counts as stored")
	}
	put(t, i, entry("a"), entry("b"))
	s.lose = 1
	if err := i.Remove(t.Context(), entry("a").Address); !errors.Is(err, errLost) {
		t.Fatalf("got %v", err)
	}
	if err := i.Remove(t.Context(), entry("a").Address); err != nil {
		t.Fatal(err)
	}
	s.lose = 1
	if err := i.SetDeployment(t.Context(), inventory.Deployment{Cloud: "demo"}); !errors.Is(err, errLost) {
		t.Fatalf("got %v", err)
	}
	if err := i.SetDeployment(t.Context(), inventory.Deployment{Cloud: "demo"}); err != nil {
		t.Fatal(err)
	}
	if names(i) != "b" || names(open(t, s)) != "b" {
		t.Errorf("%q, stored %q", names(i), names(open(t, s)))
	}
}

func TestWhatSomebodyElseWroteStays(t *testing.T) {
	s := newStore()
	ours, theirs := open(t, s), open(t, s)
	for k := range 40 { // so that they meet in every shard
		put(t, theirs, entry(fmt.Sprintf("t%d", k)))
	}
	for k := range 40 {
		put(t, ours, entry(fmt.Sprintf("o%d", k)))
	}
	if got := len(open(t, s).Entries()); got != 80 {
		t.Errorf("%d entries are left of 80", got)
	}
	if got := len(ours.Entries()); got != 80 {
		t.Errorf("we know of %d of 80", got)
	}
	if err := theirs.Reload(t.Context()); err != nil || len(theirs.Entries()) != 80 {
		t.Errorf("they know of %d of 80: %v", len(theirs.Entries()), err)
	}
}

func TestAConflictThatNeverEndsIsAnError(t *testing.T) {
	s := newStore()
	i := open(t, s)
	err := i.Put(t.Context(), entry("a"))
	if err != nil {
		t.Fatal(err)
	}
	quarrel := open(t, &meddler{store: s})
	if err := quarrel.Put(t.Context(), entry("b")); !errors.Is(err, inventory.ErrConflict) {
		t.Errorf("got %v", err)
	}
}

// meddler is a store to which somebody always writes first.
type meddler struct{ *store }

func (m *meddler) Put(context.Context, string, []byte, string) (string, error) {
	m.puts++
	if m.puts > 50 {
		return "", errors.New("it is tried without end")
	}
	return "", inventory.ErrConflict
}

func TestANewerFormatIsRefused(t *testing.T) {
	newer := inventory.Shard{Data: []byte(`{"format":4,"entries":"in another way"}`), Version: "9"}
	for _, data := range []string{`{"format":7}`, `{}`, `null`, ``, `{"format":1,"entries":[{"address":"?"}]}`, `{"format":1,"entries":[{"uid":"u"}]}`} {
		s := newStore()
		s.shards["entries-0"] = inventory.Shard{Data: []byte(data), Version: "1"}
		if _, err := inventory.Open(t.Context(), s); err == nil || !strings.Contains(err.Error(), "entries-0") {
			t.Errorf("%q: got %v", data, err)
		}
	}
	// Somebody newer took over while we were running: what they wrote is not written over.
	s := newStore()
	i := open(t, s)
	put(t, i, entry("a"))
	for name := range s.shards {
		s.shards[name] = newer
	}
	for range 3 {
		e := entry("a")
		e.ID = "another"
		if err := i.Put(t.Context(), e); err == nil {
			t.Fatal("it was written over")
		}
	}
	if names(i) != "a" {
		t.Errorf("we know of %q", names(i))
	}
	for name, shard := range s.shards {
		if shard.Version != newer.Version {
			t.Errorf("%s is %s", name, shard.Data)
		}
	}
}

func TestOneWaiterGivingUpHarmsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore()
		s.answer = make(chan struct{})
		i := open(t, s)
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var group sync.WaitGroup
		for k := range 60 {
			group.Go(func() {
				if err := i.Put(impatient, entry(fmt.Sprintf("i%d", k))); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			})
		}
		synctest.Wait()
		for k := range 60 {
			group.Go(func() { put(t, i, entry(fmt.Sprintf("p%d", k))) })
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		close(s.answer)
		group.Wait()
		for k := range 60 {
			if _, ok := i.Entry(entry(fmt.Sprintf("p%d", k)).Address); !ok {
				t.Errorf("p%d is lost", k)
			}
		}
	})
}
