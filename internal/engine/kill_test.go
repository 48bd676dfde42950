package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestKilledAnywhere kills the process at every point at which the world or the inventory is
// about to change or has just changed, starts a new one, and wants the same end each time: one
// object for each unit, all on record.
func TestKilledAnywhere(t *testing.T) {
	killEverywhere(t, map[string]string{
		"one": `
resource.net driver=openstack .v=1 replace=v
resource.port driver=openstack .v=1 replace=v needs=resource.net
resource.old driver=openstack needs=resource.net
resource.older driver=openstack needs=resource.old
service.a install=2 .v=1`,
		"two": `
resource.net driver=openstack .v=2 replace=v
resource.port driver=openstack .v=2 replace=v needs=resource.net
service.a install=2 .v=2
service.b needs=service.a`,
	}, []string{"submit one", "settle", "erase resource.port", "settle", "erase resource.older", "settle", "submit two", "settle"})
}

// TestKilledAnywhereBetweenTwo does the same while new objects take the place of old ones: until the
// new one is there and used the old one stays, and none is ever lost track of.
func TestKilledAnywhereBetweenTwo(t *testing.T) {
	killEverywhere(t, map[string]string{
		"one": `
resource.net driver=openstack .v=1 replace=v first
resource.port driver=openstack .v=1 replace=v needs=resource.net first
resource.web driver=openstack ref=resource.net:id needs=resource.net
service.a
service.b`,
		"between": `
resource.net driver=openstack .v=3 replace=v first
resource.port driver=openstack .v=1 replace=v needs=resource.net first
service.a
service.b`,
		"two": `
resource.net driver=openstack .v=2 replace=v first install=2
resource.port driver=openstack .v=2 replace=v needs=resource.net first
service.a
service.b`,
	}, []string{"submit one", "settle", "submit between", "wait 4s", "submit two", "settle"})
}

// TestKilledAnywhereWhileNodesLeave wants no service of Nova to stay disabled but where the node has to wait, and that of
// somebody else.
func TestKilledAnywhereWhileNodesLeave(t *testing.T) {
	node := func(name, slot string) string {
		return "\nnode." + name + " class=node .openstack-compute-node=enabled .kupenstack-slot=" + slot
	}
	killing := func(script []string, disabled map[string]string) {
		killEveryPoint(t, map[string]string{
			"one": "service.nova" + node("a", "1") + node("b", "1") + node("c", "1"),
			"two": "service.nova" + node("a", "2") + node("b", "2") + node("c", "2"),
		}, append([]string{"service a up", "service b up", "service c up", "service c a disk", "hosts b 1", "submit one", "settle", "submit two", "settle"}, script...), func(s *scenario) {
			for name, c := range s.world.computes {
				if c.disabled != disabled[name] {
					t.Errorf("the service on %s is disabled for %q", name, c.disabled)
				}
			}
			for _, name := range []string{"a", "b", "c"} {
				want := "2"
				if disabled["b"] == "" || name == "b" {
					want = "1"
				}
				if o := s.world.at(addr.MustParseObject("node." + name)); o.fields[unit.SlotLabel] != want {
					t.Errorf("%s is in slot %s", name, o.fields[unit.SlotLabel])
				}
			}
		})
	}
	killing(nil, map[string]string{"b": ourReason + "b leaves slot 1", "c": "a disk"})
	killing([]string{"submit one", "settle"}, map[string]string{"c": "a disk"})
}

// TestKilledAnywhereWhileANodeIsForgotten wants its labels to stay as they are, nobody to have it on record, and its service
// of Nova to be enabled.
func TestKilledAnywhereWhileANodeIsForgotten(t *testing.T) {
	const labels = " class=node .openstack-compute-node=enabled .kupenstack-slot="
	killEveryPoint(t, map[string]string{
		"one":     "service.nova\nnode.a" + labels + "1",
		"two":     "service.nova\nnode.a" + labels + "2",
		"forgets": "service.nova\nforget node.a",
	}, []string{"service a up", "hosts a 1", "submit one", "settle", "submit two", "settle", "submit forgets", "settle"}, func(s *scenario) {
		if c := s.world.computes["a"]; c.disabled != "" {
			t.Errorf("the service is disabled for %q", c.disabled)
		}
		if o := s.world.at(addr.MustParseObject("node.a")); o == nil || o.fields[unit.SlotLabel] != "1" || o.fields[unit.ComputeLabel] != unit.LabelEnabled {
			t.Errorf("the node is %+v", o)
		}
		for _, entry := range s.inventory.Entries() {
			if entry.Locator.Kind == unit.KindNode {
				t.Errorf("%s is on record", entry.Address)
			}
		}
	})
}

// killEverywhere runs a script again and again, with processes killed at each point of it in turn.
func killEverywhere(t *testing.T, revisions map[string]string, script []string) {
	t.Helper()
	killEveryPoint(t, revisions, script, oneOfEach)
}

// killEveryPoint does so with a check of its own.
func killEveryPoint(t *testing.T, revisions map[string]string, script []string, check func(*scenario)) {
	t.Helper()
	for _, times := range []int{1, 3} {
		for n := 1; ; n++ {
			hit := false
			t.Run(fmt.Sprintf("%d times at point %d", times, n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { hit = killedAt(t, revisions, script, check, n, times) })
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

// oneOfEach wants one object for each unit of the second revision, all on record.
func oneOfEach(s *scenario) {
	for _, line := range []string{
		"objects resource.net resource.port service.a service.b",
		"entries resource.net:owned resource.port:owned service.a:owned service.b:owned",
		"quiet 1h",
	} {
		if err := s.run(line); err != nil {
			s.t.Errorf("%s: %v\n%s", line, err, s.status())
		}
	}
	for _, e := range s.inventory.Entries() {
		if o := s.world.at(e.Address); o == nil || o.id != e.ID || e.Phase != inventory.Owned || o.fields["v"] == "1" {
			s.t.Errorf("%s is recorded as %+v and is %+v", e.Address, e, o)
		}
	}
}

// killedAt runs a script and kills up to so many processes, each at its nth point; what was submitted
// last is submitted to the next one, or what stands after it in the same line. It tells whether any was
// hit.
func killedAt(t *testing.T, revisions map[string]string, script []string, check func(*scenario), n, times int) bool {
	s := newScenario(t)
	for id, text := range revisions {
		s.revisions[id] = parseRevision(t, id, text)
	}
	arm := func() {
		s.world.mutex.Lock()
		defer s.world.mutex.Unlock()
		if times > 0 {
			s.world.kill = s.world.points + n
		}
	}
	s.start()
	arm()
	hit, submit := false, ""
	for _, line := range script {
		if strings.HasPrefix(line, "submit") {
			var then string
			line, then, _ = strings.Cut(line, ", then ")
			if submit = line; then != "" {
				submit = then
			}
		}
		if line != "settle" {
			if err := s.run(line); err != nil {
				t.Fatal(err)
			}
			if line == "restart" {
				arm() // that one is not killed yet
			}
			continue
		}
		for died := true; died; {
			died = s.settleOrDie()
			if died {
				hit = true
				times--
				s.stop()
				s.start()
				arm()
				if err := s.run(submit); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	s.world.revive()
	check(s)
	s.stop()
	return hit
}

// settleOrDie lets time pass until nothing moves any more, or the process was killed.
func (s *scenario) settleOrDie() bool {
	for range 20_000 {
		synctest.Wait()
		select {
		case <-s.world.killed:
			return true
		default:
		}
		if s.engine.Snapshot().Settled {
			return false
		}
		time.Sleep(500 * time.Millisecond)
	}
	s.t.Fatalf("it did not settle\n%s", s.status())
	return false
}
