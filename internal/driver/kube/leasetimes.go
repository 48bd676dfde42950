package kube

import (
	"fmt"
	"time"
)

// DefaultLeaseDuration is how long a process that does not renew the lease keeps it, unless it was told otherwise.
const DefaultLeaseDuration = 15 * time.Second

// Less than minLeaseDuration is lost by a cluster that is slow for a moment, and a third of it is what a last request has to
// arrive. Who dies is missed for maxLeaseDuration at most.
const (
	minLeaseDuration = 3 * time.Second
	maxLeaseDuration = 2 * time.Minute
)

// lookPeriod is how often one who waits for the lease looks at it.
const lookPeriod = time.Second

// answerPatience is how long the cluster may take to answer what is asked about the lease; who holds it has no longer than
// until it has to stop.
const answerPatience = 10 * time.Second

// CheckLeaseDuration tells whether a lease may be for so long. It says so in whole seconds.
func CheckLeaseDuration(d time.Duration) error {
	if d < minLeaseDuration || d > maxLeaseDuration || d%time.Second != 0 {
		return fmt.Errorf("a lease for %v: it is for whole seconds, from %v to %v", d, minLeaseDuration, maxLeaseDuration)
	}
	return nil
}

// Patience is how long it takes at most to get the lease from a process that is dead, where the cluster answers at once: the
// one that [Lease.Held] found, or else one with the times of this one. Who waits may see the last renewal a look late, and
// counts from there.
func (l *Lease) Patience() time.Duration {
	if found := l.found.Load(); found != nil {
		return time.Duration(*found) + lookPeriod
	}
	return time.Duration(l.times()) + lookPeriod
}

// leaseTimes are the times of a lease. It is how long who does not renew it has it; the others are in proportion to that.
type leaseTimes time.Duration

// times are those of what this process holds.
func (l *Lease) times() leaseTimes {
	if l.Duration == 0 {
		return leaseTimes(DefaultLeaseDuration)
	}
	return leaseTimes(l.Duration)
}

// timesOf are those of a holder that wrote so many seconds into its lease. What no process of ours writes says nothing about
// how often it is renewed.
func timesOf(seconds *int32) leaseTimes {
	if seconds != nil {
		if d := time.Duration(*seconds) * time.Second; CheckLeaseDuration(d) == nil {
			return leaseTimes(d)
		}
	}
	return leaseTimes(DefaultLeaseDuration)
}

// renewDeadline is how long after its last renewal a process stops by itself.
func (d leaseTimes) renewDeadline() time.Duration { return time.Duration(d) * 2 / 3 }

// retryPeriod is how often a process renews its lease.
func (d leaseTimes) retryPeriod() time.Duration { return time.Duration(d) * 2 / 15 }

// heldPatience is how long somebody looks for a renewal.
func (d leaseTimes) heldPatience() time.Duration { return 3 * d.retryPeriod() }
