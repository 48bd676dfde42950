package daemon

import (
	"context"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
)

// stuckAfter is how often in a row a process in charge could not begin until reports say so, which is after about a
// minute: what is over sooner is no news.
const stuckAfter = 7

// begin makes the engine, as often as it takes. Where that takes long, a record that cannot be read may be what it waits for,
// and nobody looks after anything: a report says so, as the last one of before may say that all is well. It waits for no report.
func (d *Daemon) begin(ctx context.Context, changed func()) (*engine.Engine, error) {
	telling, stop := context.WithCancel(ctx)
	var group contain.Background
	defer group.Wait()
	defer stop()
	stuck := make(chan struct{}, 1)
	group.Go(func() { d.publish(telling, stuck) })
	for attempt := 0; ; attempt++ {
		e, err := d.Engine(ctx, changed)
		if err == nil {
			err = d.Tracker.Resume(ctx)
		}
		d.set("cluster", err)
		if err == nil {
			d.set("start", nil)
			return e, nil
		}
		d.Log.Warn().Err(err).Msg("cannot begin yet")
		if attempt+1 >= stuckAfter {
			word(stuck)
		}
		if !pause(ctx, backoff(attempt)) {
			return nil, ctx.Err()
		}
	}
}
