package daemon_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// A webhook that reaches a process which is not in charge is handed on, again where that fails, and not without end.
func TestWebhookOfAStandby(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		asked, left := 0, 0
		d := &daemon.Daemon{
			Tracker: revision.NewTracker(nil, ".", noFacts, revision.Options{Language: schema.New()}), Publisher: &daemon.Publisher{}, Lease: waiting{}, Log: zerolog.Nop(),
			HandOn: func(context.Context) error {
				if asked++; left > 0 {
					left--
					return errors.New("away")
				}
				return nil
			},
		}
		d.Prepare()
		ended := make(chan struct{})
		go func() { defer close(ended); d.HandsOn(ctx) }()
		for _, test := range []struct {
			name           string
			failures, want int
		}{{"at once", 0, 1}, {"after a failure", 1, 2}, {"never", 100, 3}} {
			asked, left = 0, test.failures
			d.HeardOfPush()
			time.Sleep(time.Hour) // by the clock of the test; all its pauses are shorter
			synctest.Wait()
			if asked != test.want {
				t.Errorf("%s: asked %d times, want %d", test.name, asked, test.want)
			}
		}
		if d.Looks() {
			t.Error("a standby looks at the repository")
		}
		stop()
		<-ended
	})
}
