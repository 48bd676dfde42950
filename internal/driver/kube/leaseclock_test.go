package kube

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// brittle is a lock whose writes fail on cue.
type brittle struct {
	resourcelock.Interface
	err error
}

func (b *brittle) Create(context.Context, resourcelock.LeaderElectionRecord) error { return b.err }
func (b *brittle) Update(context.Context, resourcelock.LeaderElectionRecord) error { return b.err }

// A machine that slept has a lease that ran out meanwhile, though no time has passed by the clock that the elector goes by.
func TestALeaseRunsOutByTheClockOnTheWall(t *testing.T) {
	l, lock := &Lease{}, &brittle{}
	h := &leaseLock{Interface: lock, lease: l}
	began := time.Now()
	if l.fresh(began) {
		t.Error("it is fresh and was never had")
	}
	for name, write := range map[string]func(context.Context, resourcelock.LeaderElectionRecord) error{"create": h.Create, "update": h.Update} {
		l.renewed.Store(nil)
		h.held = false
		lock.err = errors.New("away")
		if err := write(t.Context(), resourcelock.LeaderElectionRecord{}); err == nil || l.fresh(began) {
			t.Errorf("%s that failed: %v", name, err)
		}
		lock.err = nil
		if err := write(t.Context(), resourcelock.LeaderElectionRecord{}); err != nil || !l.fresh(began) {
			t.Errorf("%s: %v", name, err)
		}
		// Without the reading of the clock that only goes on, as after a sleep in which that one stood still.
		if late := time.Now().Add(renewDeadline); l.fresh(late) || l.fresh(late.Round(0)) {
			t.Errorf("%s: it is fresh when it may not be renewed any more", name)
		}
	}
}
