package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
)

// TestKilledWithoutMarks kills the process at every point around what bears no mark, while somebody else has
// an object of the same name. What the killed process has made is found again, and theirs is left alone.
func TestKilledWithoutMarks(t *testing.T) {
	revisions := map[string]string{
		"one": "resource.a driver=openstack unsigned replace=v .name=web .v=1",
		"two": "resource.a driver=openstack unsigned replace=v .name=web .v=2",
	}
	for n := 1; ; n++ {
		hit := false
		t.Run(fmt.Sprintf("at point %d", n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := []string{"theirs web", "submit one", "settle", "submit two", "settle"}
				hit = killedAt(t, revisions, script, oneBesideTheirs, n, 1)
			})
		})
		if !hit || t.Failed() {
			if n < 10 {
				t.Errorf("there are only %d points", n)
			}
			break
		}
	}
}

// oneBesideTheirs wants one object of ours, on record by its id, and the other one as it was.
func oneBesideTheirs(s *scenario) {
	entries := s.inventory.Entries()
	if len(s.world.objects) != 2 || len(entries) != 1 {
		s.t.Fatalf("the world has %v, the inventory %+v", s.world.list(), entries)
	}
	theirs, ours := s.world.objects[0], s.world.objects[1]
	if theirs.id != "theirs" || theirs.fields["v"] != "1" || ours.fields["v"] != "2" || entries[0].ID != ours.id || entries[0].Before != nil {
		s.t.Errorf("the world has %v, the inventory %+v", s.world.list(), entries)
	}
}
