package kube

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// leaseLock is the lease as the elector sees it. It notes when the lease was renewed, finds out when it is lost, which is for
// good, and tells whether the cluster answers a process that waits, which asks for nothing else. One goroutine at a
// time uses it.
type leaseLock struct {
	resourcelock.Interface
	lease    *Lease
	end      func() // ends the elector
	held     bool   // a write of ours came about
	lost     bool   // another one has or may have held it since
	waits    func() bool
	heard    func(error) // nil when nobody wants to know
	answered time.Time   // when the last answer came
}

// take waits until the lease is free, or has not moved for as long as it says, and takes it; false when ctx ended before.
// The elector finds it to be ours then, and renews it. Its own way to wait goes without a look for up to twice its retry
// period and more, both before it sees the last renewal and after its time is over.
func (k *leaseLock) take(ctx context.Context) bool {
	var seen []byte
	var since time.Time // by our own clock: that of the holder may be any
	told, failed := "", ""
	for ctx.Err() == nil {
		wait := lookPeriod
		record, content, err := k.Get(ctx)
		switch {
		case apierrors.IsNotFound(err):
			err = k.Create(ctx, k.ours(0))
		case err == nil:
			if !bytes.Equal(content, seen) {
				seen, since = content, time.Now()
			}
			holder := record.HolderIdentity
			if holder != "" && holder != told && holder != k.Identity() {
				told = holder
				k.lease.headedBy(holder)
			}
			left := time.Until(since.Add(time.Duration(record.LeaseDurationSeconds) * time.Second))
			if holder != "" && holder != k.Identity() && left > 0 {
				wait, err = min(wait, left), errHeld
				break
			}
			err = k.Update(ctx, k.ours(record.LeaderTransitions+1))
		}
		if err == nil {
			return true
		}
		if text := err.Error(); text != failed && !errors.Is(err, errHeld) && ctx.Err() == nil {
			failed = text
			k.lease.log.Warn().Err(err).Msg("the lease was not to be had")
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	return false
}

// errHeld is for who finds the lease to be another one's.
var errHeld = errors.New("another process holds the lease")

// ours is a record that says that we hold the lease from now on.
func (k *leaseLock) ours(transitions int) resourcelock.LeaderElectionRecord {
	now := metav1.Now()
	return resourcelock.LeaderElectionRecord{
		HolderIdentity: k.Identity(), LeaseDurationSeconds: int(time.Duration(k.lease.times()) / time.Second),
		AcquireTime: now, RenewTime: now, LeaderTransitions: transitions,
	}
}

// Create makes the lease. One that is gone while we hold it was deleted; another one may have held it before that, unless it
// was renewed lately.
func (k *leaseLock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	if k.held && !k.lease.fresh(time.Now()) {
		k.lose()
	}
	return k.write(func() error { return k.Interface.Create(ctx, record) })
}

// Update takes or renews the lease, if it is still as it was seen last.
func (k *leaseLock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return k.write(func() error { return k.Interface.Update(ctx, record) })
}

// write notes when a write began that came about: others count from when they have seen it, which is later.
func (k *leaseLock) write(send func() error) error {
	if k.lost {
		return errLost
	}
	began := time.Now()
	err := send()
	if err == nil {
		k.held = true
		k.lease.renewed.Store(&began)
	}
	return err
}

// Get returns the lease. Without an end of its own, a request that nobody answers would last for as long as
// a process waits.
func (k *leaseLock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	record, content, err := k.Interface.Get(ctx)
	if err == nil && k.held && record.HolderIdentity != k.Identity() {
		k.lose()
	}
	if k.heard == nil || !k.waits() {
		return record, content, err
	}
	switch {
	case err == nil || apierrors.IsNotFound(err):
		k.answered = time.Now()
		k.heard(nil)
	case time.Since(k.answered) >= answerPatience:
		k.heard(fmt.Errorf("ask for the lease: %w", err))
	}
	return record, content, err
}

// lose ends the right to write, and the work. The lease is not taken again for that work, also when it is free: what
// the work knows of the world is from before another one was in charge.
func (k *leaseLock) lose() {
	k.lost = true
	k.lease.renewed.Store(nil)
	k.end()
}

// giveBack frees the lease if it is ours. The write comes about only where nobody has written it since that was seen; a last
// renewal that was cut off may have, so it is looked at again then.
func (k *leaseLock) giveBack(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	for {
		record, _, err := k.Interface.Get(ctx)
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case err != nil:
			return fmt.Errorf("look at the lease: %w", err)
		case record.HolderIdentity != k.Identity():
			return nil
		}
		now := metav1.Now()
		err = k.Interface.Update(ctx, resourcelock.LeaderElectionRecord{
			LeaseDurationSeconds: 1, LeaderTransitions: record.LeaderTransitions, AcquireTime: now, RenewTime: now,
		})
		switch {
		case err == nil:
			return nil
		case !apierrors.IsConflict(err):
			return fmt.Errorf("give the lease back: %w", err)
		}
	}
}
