package kube

import (
	"context"
	"errors"
	"testing"
	"time"
	"unsafe"

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
		if late := time.Now().Add(l.times().renewDeadline()); l.fresh(late) || l.fresh(late.Round(0)) {
			t.Errorf("%s: it is fresh when it may not be renewed any more", name)
		}
	}
}

// onTheWall returns a time at which the clock on the wall shows so much more, and the one that only goes on does not. A time
// with both has the seconds of the wall in the bits 30 to 62 of its first word.
func onTheWall(now time.Time, seconds int64) time.Time {
	wall := (*uint64)(unsafe.Pointer(&now))
	*wall = uint64(int64(*wall) + seconds<<30)
	return now
}

// TestALeaseRunsOutByEitherClock: a machine that slept has a clock that stood still, and one whose clock on the wall was put
// back has another that went on.
func TestALeaseRunsOutByEitherClock(t *testing.T) {
	now := time.Now()
	if at := onTheWall(now, 3600); at.Sub(now) != 0 || at.Round(0).Sub(now.Round(0)) != time.Hour {
		t.Fatalf("the form of a time is another one: %v after %v", at, now)
	}
	l := &Lease{}
	l.renewed.Store(&now)
	renewDeadline := l.times().renewDeadline()
	for name, test := range map[string]struct {
		at    time.Time
		fresh bool
	}{
		"at once":                           {now, true},
		"just before the end":               {now.Add(renewDeadline - 1), true},
		"at the end":                        {now.Add(renewDeadline), false},
		"after a sleep":                     {onTheWall(now.Add(time.Second), int64(renewDeadline/time.Second)), false},
		"after a short sleep":               {onTheWall(now.Add(time.Second), 5), true},
		"put back by an hour, at once":      {onTheWall(now.Add(time.Second), -3600), true},
		"put back by an hour, and too late": {onTheWall(now.Add(renewDeadline), -3600), false},
	} {
		if got := l.fresh(test.at); got != test.fresh {
			t.Errorf("%s: it is fresh: %t", name, got)
		}
	}
}
