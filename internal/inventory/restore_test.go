package inventory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
)

// filled is an inventory with something in all of its shards.
func filled(t *testing.T) (*store, *inventory.Inventory) {
	t.Helper()
	s := newStore()
	i := open(t, s)
	for k := range 40 {
		put(t, i, entry(fmt.Sprintf("a%d", k)))
	}
	if err := i.SetDeployment(t.Context(), inventory.Deployment{Cloud: "demo"}); err != nil {
		t.Fatal(err)
	}
	if len(s.shards) != 9 || len(i.Known()) != 9 {
		t.Fatalf("there are %d shards, and known are %q", len(s.shards), i.Known())
	}
	return s, i
}

// TestRestore: what somebody deletes from the store below a process is written again, whole, and nothing else.
func TestRestore(t *testing.T) {
	s, i := filled(t)
	before, _ := s.Load(t.Context())
	puts := s.puts
	if restored, err := i.Restore(t.Context()); len(restored) > 0 || err != nil || s.puts != puts {
		t.Errorf("with all there it restored %q in %d writes: %v", restored, s.puts-puts, err)
	}
	delete(s.shards, "entries-3")
	delete(s.shards, "deployment")
	if restored, err := i.Restore(t.Context()); !slices.Equal(restored, []string{"deployment", "entries-3"}) || err != nil {
		t.Errorf("restored are %q: %v", restored, err)
	}
	clear(s.shards)
	if restored, err := i.Restore(t.Context()); len(restored) != 9 || err != nil {
		t.Errorf("restored are %q: %v", restored, err)
	}
	for name, shard := range before {
		if got := s.shards[name]; string(got.Data) != string(shard.Data) {
			t.Errorf("%s is %s, and was %s", name, got.Data, shard.Data)
		}
	}
	put(t, i, entry("more"))
	if got := open(t, s); len(got.Entries()) != 41 || got.Deployment() == nil {
		t.Errorf("there are %d entries, and of the deployment %v", len(got.Entries()), got.Deployment())
	}
}

// TestRestoreFails: what cannot be written again is told.
func TestRestoreFails(t *testing.T) {
	s, i := filled(t)
	delete(s.shards, "entries-3")
	s.lose = 1
	if restored, err := i.Restore(t.Context()); len(restored) > 0 || !errors.Is(err, errLost) {
		t.Errorf("restored are %q: %v", restored, err)
	}
	if restored, err := i.Restore(t.Context()); len(restored) > 0 || err != nil {
		t.Errorf("it was stored, and restored are %q: %v", restored, err)
	}
	put(t, i, entry("more"))
}

// TestAWriteRestores: what was deleted is whole after the next write to it, be it before anybody noticed.
func TestAWriteRestores(t *testing.T) {
	s, i := filled(t)
	clear(s.shards)
	for k := range 40 {
		if err := i.Remove(t.Context(), entry(fmt.Sprintf("a%d", k)).Address); err != nil {
			t.Fatal(err)
		}
		if got := len(i.Entries()); got != 39-k {
			t.Fatalf("%d entries are left after %d went", got, k+1)
		}
		put(t, i, entry(fmt.Sprintf("b%d", k)))
		if err := i.Remove(t.Context(), entry(fmt.Sprintf("b%d", k)).Address); err != nil {
			t.Fatal(err)
		}
	}
	s, i = filled(t)
	clear(s.shards)
	put(t, i, entry("more"))
	if err := i.SetHome(t.Context(), inventory.Home{Project: "p"}); err != nil {
		t.Fatal(err)
	}
	if i.Deployment() == nil || len(i.Entries()) != 41 {
		t.Errorf("known are %d entries, and of the deployment %v", len(i.Entries()), i.Deployment())
	}
}

// faulty is a store that does not show one shard, or takes none that is new.
type faulty struct {
	*store
	hidden  string
	refuses bool
}

func (f *faulty) Load(ctx context.Context) (map[string]inventory.Shard, error) {
	all, err := f.store.Load(ctx)
	delete(all, f.hidden)
	return all, err
}

func (f *faulty) Put(ctx context.Context, name string, data []byte, version string) (string, error) {
	if f.refuses && version == "" {
		return "", errLost
	}
	return f.store.Put(ctx, name, data, version)
}

// TestAWriteThatCannotRestore: what a write finds deleted and cannot write again is still known, and restored later.
func TestAWriteThatCannotRestore(t *testing.T) {
	s, _ := filled(t)
	f := &faulty{store: s}
	i := open(t, f)
	delete(s.shards, "entries-3")
	f.refuses = true
	refused := 0
	for k := range 20 {
		if err := i.Put(t.Context(), entry(fmt.Sprintf("b%d", k))); err != nil {
			refused++
		}
	}
	if known := i.Known(); refused == 0 || !slices.Contains(known, "entries-3") {
		t.Fatalf("%d writes were refused, and known are %q", refused, known)
	}
	if restored, err := i.Restore(t.Context()); len(restored) > 0 || !errors.Is(err, errLost) {
		t.Errorf("restored are %q: %v", restored, err)
	}
	f.refuses = false
	if restored, err := i.Restore(t.Context()); !slices.Equal(restored, []string{"entries-3"}) || err != nil {
		t.Errorf("restored are %q: %v", restored, err)
	}
	if got := len(open(t, s).Entries()); got != 60-refused || got != len(i.Entries()) {
		t.Errorf("%d entries are stored and %d known, of %d", got, len(i.Entries()), 60-refused)
	}
}

// TestAShardThatIsNotShown: what is there and not shown, as without its label, is not taken for empty.
func TestAShardThatIsNotShown(t *testing.T) {
	s, _ := filled(t)
	f := &faulty{store: s}
	i := open(t, f)
	f.hidden = "entries-3"
	s.shards["entries-3"] = inventory.Shard{Data: s.shards["entries-3"].Data, Version: "of who took the label"}
	refused := 0
	for k := range 20 {
		if err := i.Put(t.Context(), entry(fmt.Sprintf("b%d", k))); err != nil {
			refused++
		}
	}
	if got := len(i.Entries()); refused == 0 || got != 60-refused {
		t.Errorf("%d writes were refused, and known are %d entries of %d", refused, got, 60-refused)
	}
	if restored, err := i.Restore(t.Context()); len(restored) > 0 || !errors.Is(err, inventory.ErrConflict) {
		t.Errorf("restored are %q: %v", restored, err)
	}
}
