package engine_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// TestProtectedBeforeInForce: what a commit protects is on record before it is on record that the commit is in force, also while
// there is no time for it otherwise; whoever is killed in between leaves nothing that goes with its block.
func TestProtectedBeforeInForce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScenario(t)
		protected := map[string]bool{}
		s.options.Admit = func(_ context.Context, id string) error {
			entry, known := s.inventory.Entry(addr.MustParseObject("resource.a"))
			protected[id] = known && entry.PreventDestroy
			return nil
		}
		for id, text := range map[string]string{
			"one": "resource.a driver=openstack .v=1", "two": "resource.a driver=openstack .v=2", "three": "resource.a driver=openstack .v=2 prevent",
			"four": "resource.other driver=openstack",
		} {
			s.revisions[id] = parseRevision(t, id, text)
		}
		s.start()
		defer s.stop()
		for _, line := range []string{
			"submit one", "settle", "hold resource.a", "submit two", "wait 5s", "submit three", "wait 1m", "submit four", "wait 1m", "release resource.a", "settle",
			"expect resource.a blocked prevent_destroy",
		} {
			if err := s.run(line); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		for id, want := range map[string]bool{"one": false, "two": false, "three": true, "four": true} {
			if protected[id] != want {
				t.Errorf("as %s came in force, it was on record that it is protected: %t, want %t", id, protected[id], want)
			}
		}
	})
}
