package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
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

// TestKilledWithoutMarksAndTakenOut kills the process at every point around what bears no mark, and the next one knows no block of it any
// more. What was made either goes, or its record stays: nobody else would tell of it. What another block has under its name by then is
// that one's.
func TestKilledWithoutMarksAndTakenOut(t *testing.T) {
	revisions := map[string]string{
		"one":  "resource.a driver=openstack unsigned .name=web .v=1\nresource.b driver=openstack",
		"none": "resource.b driver=openstack",
		"two":  "resource.b driver=openstack\nresource.c driver=openstack unsigned .name=web .v=1",
	}
	strays := 0
	for _, then := range []string{"none", "two"} {
		for n := 1; ; n++ {
			hit := false
			t.Run(fmt.Sprintf("%s at point %d", then, n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					end := func(s *scenario) {
						ours := map[string]bool{}
						kept := false
						for _, e := range s.inventory.Entries() {
							ours[e.ID] = true
							kept = kept || e.Address.String() == "resource.a"
						}
						strange := slices.ContainsFunc(s.world.objects, func(o *object) bool { return o.unsigned && o.id != "theirs" && !ours[o.id] })
						if strange != kept {
							s.t.Errorf("the world has %v, the inventory %+v", s.world.list(), s.inventory.Entries())
						}
						if !strange {
							return
						}
						strays++
						if err := s.run("retries 1h"); err != nil { // as long as the answer stays the same, nobody hears of it
							s.t.Error(err)
						}
						s.world.mutex.Lock() // somebody deletes it
						s.world.objects = slices.DeleteFunc(s.world.objects, func(o *object) bool { return o.unsigned && o.id != "theirs" && !ours[o.id] })
						s.world.mutex.Unlock()
						for _, line := range []string{"wait 10m", "settle"} {
							if err := s.run(line); err != nil {
								s.t.Fatal(err)
							}
						}
						if slices.ContainsFunc(s.inventory.Entries(), func(e inventory.Entry) bool { return e.Address.String() == "resource.a" }) {
							s.t.Errorf("its record stays: %+v", s.inventory.Entries())
						}
					}
					hit = killedAt(t, revisions, []string{"resync-every 10m", "restart", "theirs web", "submit one, then submit " + then, "settle", "submit " + then, "settle"}, end, n, 1)
				})
			})
			if !hit || t.Failed() {
				break
			}
		}
	}
	if strays == 0 {
		t.Error("no attempt came to anything that is not on record")
	}
}
