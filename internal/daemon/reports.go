package daemon

import (
	"context"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// publish reports what changes.
func (d *Daemon) publish(ctx context.Context, changed <-chan struct{}) {
	later := time.NewTimer(time.Hour)
	defer later.Stop()
	failures := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-later.C:
		}
		snapshot, before := d.snapshot(), d.Publisher.at
		wait, err := d.Publisher.Publish(ctx, snapshot, d.problems(), false)
		if ctx.Err() == nil {
			d.set("report", damage(err))
		}
		switch {
		case err == nil:
			failures = 0
			if d.Publisher.at != before && d.isTroubled("source") {
				d.LookNow() // the server that this was said of has taken it: a poll may be a minute away
			}
		case ctx.Err() != nil:
			return
		default:
			failures++
			wait = backoff(failures)
			d.Log.Warn().Err(err).Msg("the report was not published")
		}
		if wait > 0 {
			later.Reset(wait)
		}
		if snapshot.Settled && failures == 0 {
			d.rest.GiveBack()
		}
		if failures > 0 && !pause(ctx, wait) {
			return
		}
	}
}

// damage returns an error when it is of a damaged copy of a repository: what else keeps reports back is told elsewhere.
func damage(err error) error {
	if gitrepo.KindOf(err) == gitrepo.Broken {
		return err
	}
	return nil
}

// lastReport bounds the last report of a process that was told to stop. It has the lease meanwhile, and nobody looks after
// the world: with a server of Git that hangs that is not to take longer than it would had the process been killed.
const lastReport = 10 * time.Second

// publishLast reports what the last calls led to. That the source cannot be reached may be over by then, and nobody looks
// again after that.
func (d *Daemon) publishLast(ctx context.Context, e *engine.Engine) {
	ctx, cancel := context.WithTimeout(ctx, lastReport)
	defer cancel()
	publish := func() error {
		_, err := d.Publisher.Publish(ctx, e.Snapshot(), d.problems(), true)
		return err
	}
	err := publish()
	if err == nil && d.isTroubled("source") && d.Tracker.Unchanged(ctx) {
		d.set("source", nil)
		err = publish()
	}
	if err != nil {
		d.Log.Warn().Err(err).Msg("no last report")
	}
}
