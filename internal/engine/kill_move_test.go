package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
)

// TestKilledWhileMoving kills the process at every point around a move, an import and a removal. The
// next one may have the same revision, one without the blocks, or the one before.
func TestKilledWhileMoving(t *testing.T) {
	revisions := map[string]string{
		"one": `
resource.a driver=openstack .v=1
resource.user driver=openstack needs=resource.a
resource.list["x"] driver=openstack
resource.list["y"] driver=openstack
resource.left driver=openstack`,
		"two": `
move resource.a resource.b
move resource.list resource.set
import resource.new theirs
forget resource.left
resource.b driver=openstack .v=2
resource.user driver=openstack needs=resource.b
resource.set["x"] driver=openstack
resource.set["y"] driver=openstack
resource.new driver=openstack .v=3`,
		"later": `
resource.b driver=openstack .v=2
resource.user driver=openstack needs=resource.b
resource.set["x"] driver=openstack
resource.set["y"] driver=openstack`,
	}
	moved := []string{
		`entries resource.b:owned resource.new:owned resource.set["x"]:owned resource.set["y"]:owned resource.user:owned`,
		`objects resource.a resource.left resource.list["x"] resource.list["y"] resource.theirs resource.user`,
		"quiet 1h",
	}
	for _, test := range []struct {
		name, submit string
		end          []string // nil: it depends on how far the move was
	}{
		{"with the same revision", "submit two", moved},
		{"with the blocks taken away", "submit two, then submit later", nil},
		{"back to the one before", "submit two, then submit one", nil},
	} {
		for n := 1; ; n++ {
			hit := false
			script := []string{"put resource.theirs theirs", "submit one", "settle", test.submit, "settle"}
			t.Run(fmt.Sprintf("%s at point %d", test.name, n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					hit = killedAt(t, revisions, script, func(s *scenario) { nothingLost(s, test.end) }, n, 1)
				})
			})
			if !hit || t.Failed() {
				if n < 40 {
					t.Errorf("there are only %d points", n)
				}
				break
			}
		}
	}
}

// TestKilledWhileMovingBetweenTwo does the same while new objects take the place of old ones, and another
// one comes to the address that was left.
func TestKilledWhileMovingBetweenTwo(t *testing.T) {
	revisions := map[string]string{
		"one":     `resource.a driver=openstack .v=1 replace=v first`,
		"between": `resource.a driver=openstack .v=2 replace=v first`,
		"two": `
move resource.a resource.b
resource.a driver=openstack .v=4
resource.b driver=openstack .v=3 replace=v first`,
	}
	end := []string{"entries resource.a:owned resource.b:owned", "quiet 1h"}
	script := []string{"submit one", "settle", "submit between", "wait 4s", "submit two", "settle"}
	for n := 1; ; n++ {
		hit := false
		t.Run(fmt.Sprintf("at point %d", n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hit = killedAt(t, revisions, script, func(s *scenario) {
					nothingLost(s, end)
					if n := len(s.world.objects); n != 2 {
						s.t.Errorf("there are %d objects", n)
					}
				}, n, 1)
			})
		})
		if !hit || t.Failed() {
			if n < 15 {
				t.Errorf("there are only %d points", n)
			}
			break
		}
	}
}

// nothingLost wants every object of ours on record once.
func nothingLost(s *scenario, end []string) {
	for _, line := range end {
		if err := s.run(line); err != nil {
			s.t.Errorf("%s: %v\n%s", line, err, s.status())
		}
	}
	uids, ids := map[string]bool{}, map[string]bool{}
	for _, e := range s.inventory.Entries() {
		if uids[e.UID] || e.Phase != inventory.Owned {
			s.t.Errorf("%s is %s, with the uid %s", e.Address, e.Phase, e.UID)
		}
		uids[e.UID], ids[e.ID] = true, true
		for _, edge := range e.Edges {
			if _, known := s.inventory.Entry(edge.To); !known {
				s.t.Errorf("%s needs %s, which is not on record", e.Address, edge.To)
			}
		}
	}
	for _, o := range s.world.objects {
		if !ids[o.id] && o.mark != "" && o.address.Name() != "left" {
			s.t.Errorf("%s (%s) is on no record", o.address, o.id)
		}
	}
}
