package engine_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"
)

const leavingSlots = `
-- one --
service.nova
service.other
node.n1 class=node .openstack-compute-node=enabled .kupenstack-slot=1
node.n2 class=node .openstack-compute-node=enabled .kupenstack-slot=1
-- two --
service.nova .v=2
service.other
node.n1 class=node .openstack-compute-node=enabled .kupenstack-slot=2
node.n2 class=node .openstack-compute-node=enabled .kupenstack-slot=1
-- turns --
service.nova .v=2
service.other
node.n1 class=node .openstack-compute-node=enabled .kupenstack-slot=2
node.n2 class=node .openstack-compute-node=enabled .kupenstack-slot=1
r.a driver=openstack needs=node.n1:ready
r.b driver=openstack needs=node.n1:ready
`

// leaving is a scenario with a Nova, at rest, whose node n1 is about to leave its slot.
func leaving(t *testing.T, revisions string) *scenario {
	t.Helper()
	s := newScenario(t)
	for _, f := range txtar.Parse([]byte(revisions)).Files {
		s.revisions[f.Name] = parseRevision(t, f.Name, string(f.Data))
	}
	s.start()
	s.play("service n1 up\nservice n2 up\nservice n3 up\nsubmit one\nsettle")
	s.world.takeTrace()
	return s
}

// play carries out the lines of a script.
func (s *scenario) play(lines string) {
	s.t.Helper()
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := s.run(line); err != nil {
			s.t.Errorf("%s: %v\n%s", line, err, s.status())
		}
	}
}

// later changes the world while something else goes on.
func (s *scenario) later(after time.Duration, change func(w *world)) {
	go func() {
		time.Sleep(after)
		s.world.mutex.Lock()
		defer s.world.mutex.Unlock()
		change(s.world)
	}()
}

// TestAPassEnablesWhatItDisabled has single passes not end before Nova can place instances again, whatever takes long or
// fails meanwhile.
func TestAPassEnablesWhatItDisabled(t *testing.T) {
	hangs := func(on bool) func(*world) { return func(w *world) { w.hanging["computes"] = on } }
	for name, test := range map[string]struct {
		before string
		to     string
		begin  func(s *scenario)
	}{
		"Nova's own update is slow": {before: "hold service.nova", to: "two", begin: func(s *scenario) {
			s.later(4*time.Minute, func(w *world) { close(w.holds["service.nova"]); delete(w.holds, "service.nova") })
		}},
		"Nova does not answer then": {to: "two", begin: func(s *scenario) {
			s.later(6*time.Second, hangs(true))
			s.later(36*time.Second, hangs(false))
		}},
		"Nova does not answer before": {to: "two", begin: func(s *scenario) {
			s.later(0, hangs(true))
			s.later(90*time.Second, hangs(false))
		}},
		"the budget is spent": {before: "budget openstack 2", to: "turns", begin: func(*scenario) {}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := leaving(t, leavingSlots)
				s.play(test.before)
				test.begin(s)
				s.play("converge " + test.to)
				synctest.Wait()
				trace := s.world.takeTrace()
				if !slices.Contains(trace, "update node.n1") || !slices.Contains(trace, "enable n1") || s.world.computes["n1"].disabled != "" {
					t.Errorf("it did %q, and n1 is disabled for %q\n%s", trace, s.world.computes["n1"].disabled, s.status())
				}
				s.stop()
			})
		})
	}
}

// TestWhoHasMovedLeavesNothing has a service enabled also where the plan in force says that its node leaves: it may be
// older than the new labels, or nobody was told that they are there.
func TestWhoHasMovedLeavesNothing(t *testing.T) {
	for name, script := range map[string]string{
		"a plan that began before": `
			hold node.n1
			submit two
			wait 20s
			hang hosts
			retry service.other
			wait 5s
			release node.n1
			wait 1s
			unhang hosts
			wait 5m
			expect node.n1 ready
			calls disable n1; update node.n1; enable n1`,
		"somebody else has labelled it": `
			fail apply node.n1 1
			submit two
			wait 7500ms
			expect node.n1 failed
			edit node.n1 kupenstack-slot 2
			wait 5m
			expect node.n1 ready
			calls disable n1; enable n1`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := leaving(t, strings.ReplaceAll(leavingSlots, "service.nova .v=2", "service.nova"))
				s.play(script)
				if why := s.world.computes["n1"].disabled; why != "" {
					t.Errorf("n1 is disabled for %q", why)
				}
				s.stop()
			})
		})
	}
}

// TestNovaKeepsPlacesWhileNodesTakeTurns has no service disabled long before its node's turn.
func TestNovaKeepsPlacesWhileNodesTakeTurns(t *testing.T) {
	const both = ` class=node .openstack-compute-node=enabled .openstack-network-node=enabled .kupenstack-slot=`
	revision := func(name, slot string) string {
		return "-- " + name + " --\nservice.nova\nservice.neutron\nnode.n1" + both + slot + "\nnode.n2" + both + slot + "\nnode.n3" + both + slot + "\n"
	}
	synctest.Test(t, func(t *testing.T) {
		s := leaving(t, revision("one", "1")+revision("two", "2"))
		s.play("submit two")
		disabled, moved := 0, 0
		for range 60 {
			time.Sleep(5 * time.Second)
			synctest.Wait()
			for _, call := range s.world.takeTrace() {
				switch what, _, _ := strings.Cut(call, " "); what {
				case "disable":
					disabled++
				case "enable":
					disabled--
				case "update":
					moved++
				}
				if disabled > 2 {
					t.Fatalf("%d services are disabled at once, after %d nodes have moved", disabled, moved)
				}
			}
		}
		if moved != 3 || disabled != 0 {
			t.Errorf("%d nodes have moved, and %d services are disabled\n%s", moved, disabled, s.status())
		}
		s.stop()
	})
}
