package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// TestKilledWhileSomebodyAsks kills the process at every point after somebody has asked to try again what was given up, as
// charts are for all processes. Who keeps the request until all was looked at, and hands it to the next process otherwise,
// has a step told of it.
func TestKilledWhileSomebodyAsks(t *testing.T) {
	for n := 1; ; n++ {
		hit := false
		t.Run(fmt.Sprintf("at point %d", n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { hit = askedAndKilled(t, n) })
		})
		if !hit || t.Failed() {
			if n < 5 {
				t.Errorf("there are only %d points", n)
			}
			return
		}
	}
}

func askedAndKilled(t *testing.T, n int) bool {
	s := newScenario(t)
	s.revisions["one"] = parseRevision(t, "one", "service.a .v=1\nservice.b .v=1")
	run := func(lines ...string) {
		for _, line := range lines {
			if err := s.run(line); err != nil {
				t.Fatalf("%s: %v\n%s", line, err, s.status())
			}
		}
	}
	s.start()
	run("give-up service.a", "submit one", "settle", "expect service.a blocked")
	s.world.mutex.Lock()
	s.world.kill = s.world.points + n
	s.world.mutex.Unlock()
	hit := false
	for round, kept := 0, true; kept; round++ {
		if round > 3 {
			t.Fatalf("it was asked for without an end\n%s", s.status())
		}
		run("retry service.a")
		died := false
		for begun := time.Now(); !died && !closed(s.looked); {
			if time.Since(begun) > time.Hour {
				t.Fatalf("nobody has looked\n%s", s.status())
			}
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			select {
			case <-s.world.killed:
				died = true
			default:
			}
		}
		kept = !closed(s.looked)
		if died {
			hit = true
			s.stop()
			s.start()
			run("submit one")
		}
	}
	run("settle", "objects service.a service.b", "quiet 1h")
	if e, known := s.inventory.Entry(addr.MustParseObject("service.a")); !known || e.Phase != "owned" {
		t.Errorf("on record is %+v", e)
	}
	s.stop()
	return hit
}
