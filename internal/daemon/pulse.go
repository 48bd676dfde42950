package daemon

import (
	"context"
	"time"

	"github.com/rs/zerolog"
)

// Heartbeat is where somebody who reads an old report finds out that it still holds.
type Heartbeat interface {
	// Beat says until when the world was observed, in place of what was said before.
	Beat(ctx context.Context, until time.Time) error
}

// Pulse lets the heart beat. It is beside the reports and waits for nothing that they wait for.
type Pulse struct {
	Target Heartbeat
	Every  time.Duration
	Log    zerolog.Logger
}

// Run beats until ctx ends: as soon as everything can be observed, so that a process that never lives for
// as long as Every beats too, and then each time that Every has passed, if everything can be observed
// then, and the report is the newest one. What fails is only late: it is tried again after a minute, and ever more rarely up to Every.
func (p *Pulse) Run(ctx context.Context, observes func() bool) {
	if p == nil || p.Every <= 0 {
		return
	}
	for looks := 0; !observes(); looks++ {
		if !pause(ctx, backoff(looks)) {
			return
		}
	}
	for failures := 0; ctx.Err() == nil; pause(ctx, p.wait(failures)) {
		if !observes() {
			failures++
			continue
		}
		if err := p.Target.Beat(ctx, time.Now().UTC()); err != nil {
			failures++
			p.Log.Warn().Err(err).Msg("no heartbeat")
			continue
		}
		failures = 0
	}
}

func (p *Pulse) wait(failures int) time.Duration {
	if failures == 0 {
		return jitter(p.Every)
	}
	return jitter(min(p.Every, time.Minute<<min(failures-1, 20)))
}

// observes tells whether all of the world can be seen now, and the report says so. Before there is a plan nobody has
// looked yet. A report that could not be replaced is vouched for by nobody.
func (d *Daemon) observes() bool {
	if d.Publisher.Behind() {
		return false
	}
	s := d.snapshot()
	planned := s.Admitted || len(s.Refused) > 0
	return planned && len(s.Blind) == 0 && !s.Unseen
}
