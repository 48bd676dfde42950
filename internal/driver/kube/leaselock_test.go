package kube

import (
	"context"
	"errors"
	"testing"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// handedOn is a lease that another process holds.
type handedOn struct{ brittle }

func (h *handedOn) Identity() string { return "us" }

func (h *handedOn) Get(context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	return &resourcelock.LeaderElectionRecord{HolderIdentity: "them"}, nil, nil
}

// TestALeaseThatMayHaveBeenAnothersIsLost: a process that was paused may find out before its elector does that its time is over,
// as what it sees comes from answers. Then its work ends for good, and it writes nothing more of the lease.
func TestALeaseThatMayHaveBeenAnothersIsLost(t *testing.T) {
	for name, test := range map[string]struct {
		renewed time.Duration // how long ago
		see     func(context.Context, *leaseLock) error
		lost    bool
	}{
		"another one holds it": {0, func(ctx context.Context, k *leaseLock) error {
			_, _, err := k.Get(ctx)
			return err
		}, true},
		"it was deleted, and renewed long ago": {leaseTimes(DefaultLeaseDuration).renewDeadline(), createAgain, true},
		"it was deleted right now":             {time.Second, createAgain, false},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now().Add(-test.renewed)
			l, ended := &Lease{}, false
			l.renewed.Store(&began)
			k := &leaseLock{Interface: &handedOn{}, lease: l, end: func() { ended = true }, held: true, waits: func() bool { return false }}
			if err := test.see(t.Context(), k); err != nil && !errors.Is(err, errLost) {
				t.Fatal(err)
			}
			err := k.Update(t.Context(), resourcelock.LeaderElectionRecord{})
			if ended != test.lost || errors.Is(err, errLost) != test.lost || l.fresh(time.Now()) == test.lost {
				t.Errorf("it ended: %t, may write: %t, and a renewal says %v", ended, l.fresh(time.Now()), err)
			}
		})
	}
}

func createAgain(ctx context.Context, k *leaseLock) error {
	return k.Create(ctx, resourcelock.LeaderElectionRecord{})
}
