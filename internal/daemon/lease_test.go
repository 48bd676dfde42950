package daemon_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// waiting is a lease that somebody else has. It hands out how whoever waits for it is told of the cluster.
type waiting struct{ heard chan func(error) }

func (waiting) Guard() error { return unit.ErrNotWriter }

func (w waiting) Hold(ctx context.Context, heard func(error), _ func(context.Context) error) error {
	w.heard <- heard
	<-ctx.Done()
	return ctx.Err()
}

// TestStandbyOfADeadCluster: who waits for the lease is not ready while the cluster does not answer.
func TestStandbyOfADeadCluster(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	lease := waiting{make(chan func(error))}
	d := &daemon.Daemon{
		Tracker: revision.NewTracker(nil, ".", noFacts, revision.Options{Language: schema.New()}), Publisher: &daemon.Publisher{}, Lease: lease,
		Ping: func(context.Context) error { return nil }, Log: zerolog.Nop(),
	}
	ended := make(chan struct{})
	go func() { defer close(ended); d.TakeTurns(ctx) }()
	heard := <-lease.heard
	for _, test := range []struct {
		told error
		want string
	}{
		{nil, ""}, {errors.New("ask for the lease: no route"), "cluster: ask for the lease: no route"}, {nil, ""},
	} {
		heard(test.told)
		if problems := strings.Join(d.Problems(), "\n"); problems != test.want {
			t.Errorf("told %v it has these problems: %q", test.told, problems)
		}
	}
	stop()
	<-ended
}
