package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// mute is a status branch whose server says nothing.
type mute struct{}

func (mute) Read(ctx context.Context) (map[string][]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (mute) Publish(ctx context.Context, _ map[string][]byte, _ string, _ []string) (*gitrepo.Commit, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (mute) Plans(context.Context, []string) ([]report.OpenPlan, error) { return nil, nil }

func (mute) Moved() bool { return false }

// TestTheEndWaitsForNoServerOfGit: a pass that is told to stop, before its report or in the middle of it, gives the lease back
// soon, also while a server of Git hangs.
func TestTheEndWaitsForNoServerOfGit(t *testing.T) {
	for name, test := range map[string]struct{ told, ends time.Duration }{
		"before":        {0, lastReport},
		"in the middle": {20 * time.Second, 20*time.Second + lastReport},
		"never":         {time.Hour, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tracker := revision.NewTracker(nil, ".", nil, revision.Options{Language: schema.New()})
				p := &onePass{options: newOptions(nil), tracker: tracker, guard: func() error { return nil }, publisher: &daemon.Publisher{Target: mute{}, Tracker: tracker, Log: zerolog.Nop()}}
				ctx, cancel := context.WithTimeout(t.Context(), test.told)
				defer cancel()
				begun := time.Now()
				if p.publish(ctx, engine.Snapshot{}) {
					t.Error("the report is taken for published")
				}
				if took := time.Since(begun); took != test.ends {
					t.Errorf("it took %v, want %v", took, test.ends)
				}
			})
		})
	}
}
