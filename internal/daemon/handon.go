package daemon

import (
	"context"
	"time"
)

// Bounds of handing on what a webhook told.
const (
	handOnLimit = 30 * time.Second // for one attempt
	handOnTries = 3
)

// heardOfPush has the repository looked at, by this process or by whoever is in charge, and returns at once: whoever balances
// the requests of forges does not know which process that is.
func (d *Daemon) heardOfPush() {
	if d.HandOn == nil || d.Lease.Guard() == nil {
		d.LookNow()
		return
	}
	select {
	case d.handed <- struct{}{}:
	default: // it is being told
	}
}

// handOn tells whoever is in charge of pushes, until ctx ends.
func (d *Daemon) handOn(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.handed:
		}
		for attempt := range handOnTries {
			asking, cancel := context.WithTimeout(ctx, handOnLimit)
			err := d.HandOn(asking)
			cancel()
			if err == nil || ctx.Err() != nil {
				break
			}
			d.Log.Warn().Err(err).Msg("a webhook was not handed on to who is in charge: the next poll finds the push")
			if attempt+1 < handOnTries {
				pause(ctx, backoff(attempt))
			}
		}
	}
}
