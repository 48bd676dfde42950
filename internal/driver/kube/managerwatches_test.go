package kube

import (
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/await"
)

// opens waits until one watch of each of these managers is open, and no other one but of what is ours.
func (s *labelledShelf) opens(t *testing.T, managers ...string) {
	t.Helper()
	want := map[string]int{}
	for _, by := range managers {
		want[LabelManagedBy+"="+by] = 1
	}
	await.Until(t, fmt.Sprintf("watches of %q", managers), func() bool {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		open := maps.Clone(s.open)
		delete(open, selectorOurs)
		return maps.Equal(open, want)
	})
}

// sees wants the units to be as they are wanted.
func sees(t *testing.T, d *Driver, targets ...unit.Target) {
	t.Helper()
	states, err := d.Observe(t.Context(), targets)
	if err != nil {
		t.Error(err)
	}
	for _, target := range targets {
		if state := states[target.Address]; target.Spec != nil && !state.Ready() {
			t.Errorf("%s: %+v", target.Address, state)
		}
	}
}

// A watch of what others manage is open for as long as an object is wanted that is in it.
func TestWatchesOfOtherManagersEnd(t *testing.T) {
	s := &labelledShelf{}
	d := s.driver(t)
	a := s.put("manifest.a", map[string]string{"a": "kustomize", "plain": ""})
	b := s.put("manifest.b", map[string]string{"b": "kustomize", "c": "somebody"})
	sees(t, d, a, b)
	s.opens(t, "kustomize", "somebody")

	a = s.put("manifest.a", map[string]string{"a": "another", "plain": ""})
	sees(t, d, a)
	s.opens(t, "kustomize", "somebody", "another")

	b.Spec = nil // it goes
	sees(t, d, b)
	s.opens(t, "another")

	h, err := d.handlerOf(s.put("manifest.c", map[string]string{"d": "late"}), cty.NilVal)
	if err != nil {
		t.Fatal(err)
	}
	if there, err := d.look(t.Context(), h); err != nil || len(there) != 1 { // a step that goes on while its unit goes
		t.Errorf("%v, %v", there, err)
	}
	s.opens(t, "another")

	d.Retain(func(addr.Object) bool { return true })
	s.opens(t, "another")
	d.Retain(func(address addr.Object) bool { return address != a.Address }) // it is forgotten, and not looked at again
	s.opens(t)

	sees(t, d, a)
	s.opens(t, "another")
}

// A watch that somebody waits for, or looks at, does not end before that is over, whatever is wanted meanwhile.
func TestWatchesOfOtherManagersEndAfterLooks(t *testing.T) {
	s := &labelledShelf{}
	reached, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s.slow = func(selector string) {
		if selector != selectorOurs {
			once.Do(func() {
				close(reached)
				<-release
			})
		}
	}
	d := s.driver(t)
	target := s.put("manifest.a", map[string]string{"a": "kustomize"})
	var group sync.WaitGroup
	group.Go(func() { sees(t, d, target) })
	await.Receive(t, reached, "the first list")
	d.Retain(func(addr.Object) bool { return false })
	close(release)
	group.Wait()
	s.mutex.Lock()
	asked := len(s.asked)
	s.mutex.Unlock()
	if asked != 1 {
		t.Errorf("%d lists and requests", asked)
	}
	s.opens(t)

	for range 4 {
		group.Go(func() {
			for range 50 {
				sees(t, d, target)
			}
		})
		group.Go(func() {
			for range 50 {
				d.Retain(func(addr.Object) bool { return false })
			}
		})
	}
	group.Wait()
	d.Retain(func(addr.Object) bool { return false })
	d.cluster.watches.mu.Lock()
	defer d.cluster.watches.mu.Unlock()
	if n := len(d.cluster.watches.byKey); n > 0 || d.cluster.watches.others != 0 {
		t.Errorf("%d watches are left, %d of others", n, d.cluster.watches.others)
	}
}
