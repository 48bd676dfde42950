package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
)

// TestKilledWhileSuspensionsFollow kills the process at every point around a move of what is suspended by command. The next
// one may have the same revision, or one without the blocks: nothing of it is changed either way. (A commit that comes
// before the move is made has other objects: then the old ones are what stays.)
func TestKilledWhileSuspensionsFollow(t *testing.T) {
	revisions := map[string]string{
		"one": `
resource.db driver=openstack .v=1
resource.list["x"] driver=openstack .v=1
resource.list["y"] driver=openstack .v=1
module.edge.resource.out driver=openstack .v=1`,
		"two": `
move resource.db resource.main
move resource.list resource.set
move module.edge.resource.out resource.outside
resource.main driver=openstack .v=2
resource.set["x"] driver=openstack .v=2
resource.set["y"] driver=openstack .v=2
resource.outside driver=openstack .v=2`,
		"later": `
resource.main driver=openstack .v=2
resource.set["x"] driver=openstack .v=2
resource.set["y"] driver=openstack .v=2
resource.outside driver=openstack .v=2`,
	}
	check := func(s *scenario) {
		for _, o := range s.world.objects {
			if o.id <= "id4" && o.fields["v"] != "1" {
				s.t.Errorf("%s (%s) was changed", o.address, o.id)
			}
		}
		for _, id := range []string{"id1", "id2", "id3", "id4"} {
			there := false
			for _, o := range s.world.objects {
				there = there || o.id == id
			}
			if !there {
				s.t.Errorf("%s was deleted", id)
			}
		}
	}
	for _, end := range []string{"submit two", "submit two, then submit later"} {
		for n := 1; ; n++ {
			hit := false
			script := []string{"submit one", "settle", "suspend resource.db", "suspend resource.list", "suspend module.edge", end, "settle", "submit later", "settle"}
			t.Run(fmt.Sprintf("%s at point %d", end, n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { hit = killedAt(t, revisions, script, check, n, 1) })
			})
			if !hit || t.Failed() {
				if n < 20 {
					t.Errorf("there are only %d points", n)
				}
				break
			}
		}
	}
}
