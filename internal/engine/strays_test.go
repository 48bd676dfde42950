package engine_test

import (
	"testing"
	"testing/synctest"
	"time"
)

const forgettingNodes = `
-- one --
service.nova
node.n1 class=node .openstack-compute-node=enabled .kupenstack-slot=1
node.n2 class=node .openstack-compute-node=enabled .kupenstack-slot=1
-- without --
service.nova
node.n2 class=node .openstack-compute-node=enabled .kupenstack-slot=1
-- forgets --
service.nova
node.n2 class=node .openstack-compute-node=enabled .kupenstack-slot=1
forget node.n1
-- suspended --
service.nova
node.n2 class=node .openstack-compute-node=enabled .kupenstack-slot=1
forget node.n1
suspend service.nova for now
-- lets-go --
forget node.n1
forget node.n2
forget service.nova
`

// TestAForgottenNodeThatIsDown has nobody asked for ever after a host that died and was forgotten, and no pass wait for it.
func TestAForgottenNodeThatIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := leaving(t, forgettingNodes)
		s.play("resync-every 5m\nhosts n1 1\nsubmit without\nsettle\nservice n1 down\nsubmit forgets\nsettle")
		time.Sleep(2 * time.Hour)
		s.world.opens = 0
		time.Sleep(10 * time.Hour)
		if s.world.opens > 10*12 {
			t.Errorf("in 10 hours of a look each 5 minutes it was asked %d times", s.world.opens)
		}
		s.stop()
		s.play("converge forgets")
		begun := time.Now()
		s.play("converge forgets")
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("a pass with nothing to do takes %v", took)
		}
	})
}

// TestNodesForgottenWithNova leaves nothing disabled behind for whoever goes on with that OpenStack.
func TestNodesForgottenWithNova(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := leaving(t, forgettingNodes)
		s.play("hosts n1 1\nsubmit without\nsettle\ncalls disable n1\nsubmit lets-go\nsettle")
		time.Sleep(time.Hour)
		s.play("calls enable n1")
		s.stop()
	})
}

// TestStraysOfASuspendedNova are left alone until it goes on.
func TestStraysOfASuspendedNova(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := leaving(t, forgettingNodes)
		s.play("hosts n1 1\nsubmit without\nsettle\ncalls disable n1\nsubmit suspended\nsettle")
		time.Sleep(time.Hour)
		s.play("calls none\nsubmit forgets\nsettle\nresync\nwait 2m\ncalls enable n1")
		s.stop()
	})
}
