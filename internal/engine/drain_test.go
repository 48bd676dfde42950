package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// TestDrain: who is told to end waits for what it has begun, puts on record what that led to, and begins nothing new. What
// lasts longer than the grace period is cut off.
func TestDrain(t *testing.T) {
	for name, test := range map[string]struct {
		takes, grace time.Duration // that the call takes, and that it may
		made         bool          // so that it has to be on record; what is cut off may be either
	}{
		"it ends in time": {20 * time.Second, 30 * time.Second, true},
		"it takes longer": {40 * time.Second, 30 * time.Second, false},
		"no grace at all": {20 * time.Second, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScenario(t)
				s.revisions["one"] = parseRevision(t, "one", "service.a .v=1\nservice.b .v=1 needs=service.a")
				s.build()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ended := make(chan time.Duration, 1)
				var told time.Time
				go func() {
					s.engine.Run(ctx, test.grace)
					ended <- time.Since(told)
				}()
				for _, line := range []string{"hold service.a", "submit one", "expect service.a reconciling"} {
					if err := s.run(line); err != nil {
						t.Fatalf("%s: %v\n%s", line, err, s.status())
					}
				}
				told = time.Now()
				cancel()
				time.Sleep(test.takes)
				s.world.mutex.Lock()
				hold := s.world.holds["service.a"]
				delete(s.world.holds, "service.a")
				s.world.mutex.Unlock()
				close(hold)
				if took := <-ended; took != min(test.takes, test.grace) {
					t.Errorf("it ended after %v", took)
				}
				s.calm()
				if entry, known := s.inventory.Entry(addr.MustParseObject("service.a")); !known || test.made && entry.Phase != "owned" {
					t.Errorf("on record is %+v", entry)
				}
				if err := differ("objects", s.world.list(), []string{"service.a"}); err != nil {
					t.Errorf("something else was begun: %v", err)
				}
			})
		})
	}
}
