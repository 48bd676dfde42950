package daemon

import (
	"context"
	"math/rand/v2"
	"time"
)

// pause waits, and tells whether the time passed before ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// backoff grows from one second to a minute.
func backoff(failures int) time.Duration {
	return jitter(min(time.Second<<min(failures, 6), time.Minute))
}

// jitter keeps many daemons from asking one server at the same moment.
func jitter(d time.Duration) time.Duration {
	return d - d/10 + rand.N(d/5+1) //nolint:gosec // spreads load, keeps no secret
}
