package kube_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestLapsed: a process reads before it is in charge and while it is, and not once it has lost that, also when its work has
// ended, until it is in charge again; and it reads when it has given that up by itself.
func TestLapsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &leases{}
		lease := server.lease("first")
		may := func(when string, want bool) {
			t.Helper()
			if err := lease.Rights().Read(); want != (err == nil) || !want && !errors.Is(err, unit.ErrNotWriter) {
				t.Errorf("%s: %v", when, err)
			}
		}
		term := func(work func(context.Context)) {
			_ = lease.Hold(t.Context(), nil, func(ctx context.Context) error {
				may("in charge", true)
				if err := lease.Rights().Write(); err != nil {
					t.Errorf("in charge: %v", err)
				}
				work(ctx)
				return nil
			})
		}
		may("before the first time", true)
		term(func(ctx context.Context) {
			server.die(true)
			time.Sleep(11 * time.Second)
			may("the last renewal is long ago", false) // whether or not somebody has told it so
			<-ctx.Done()
			may("the work is told to end", false)
		})
		may("after the work", false)
		server.die(false)
		may("the cluster answers again", false)
		term(func(context.Context) {})
		may("it has given the lease back", true)
	})
}
