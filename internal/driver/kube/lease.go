package kube

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// leaseName names the Lease in the system's namespace. There is one cloud per cluster, so one name
// is enough.
const leaseName = "kupenstack"

// Lease sees to it that one process at a time changes the world. Create it with [NewLease].
type Lease struct {
	// Access is how the cluster is reached that the lease lies in, past every guard. It is set before the lease
	// is asked for.
	Access *Access
	// Notice, when set, is told who else is in charge while this process waits.
	Notice func(holder string)
	// Duration is how long others leave the lease to this process after a renewal, as [CheckLeaseDuration] allows it; 0
	// stands for [DefaultLeaseDuration]. It is written into the lease, and everybody goes by what is written there.
	Duration time.Duration

	namespace string
	identity  string
	log       zerolog.Logger
	elector   atomic.Pointer[leaderelection.LeaderElector]
	holder    atomic.Pointer[string]
	renewed   atomic.Pointer[time.Time]  // when the last renewal was asked for that came about; nil while it is not held
	found     atomic.Pointer[leaseTimes] // of whom Held found to hold it, dead or alive; nil while it has found nobody
	led       atomic.Bool                // work was begun under it, and it was not given back since
	clock     clock
}

// Identity returns what a process of a program holds the lease as. It shows people the program and where
// it runs, and no two calls return the same: who finds its own identity on the lease takes it for its own,
// and neither a process id nor the name of a host tells containers apart.
func Identity(program string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s_%s_%s", program, host, uuid.NewString())
}

// NewLease returns a lease that nobody holds yet. identity tells processes apart, see [Identity], and is
// shown to people.
func NewLease(namespace, identity string, log zerolog.Logger) *Lease {
	return &Lease{namespace: namespace, identity: identity, log: log}
}

// Guard returns [unit.ErrNotWriter] unless this process holds the lease now, by its own clock. A
// process that was paused finds out here, before it sends anything: it is asked again when a request has its
// connection. It says no as soon as the lease was not renewed within its renewDeadline, so that a request that was written has the
// rest of its duration to arrive before another process can hold the lease.
func (l *Lease) Guard() error {
	elector := l.elector.Load()
	if elector == nil || !elector.IsLeader() || !l.fresh(time.Now()) {
		return unit.ErrNotWriter
	}
	return nil
}

// Lapsed returns [unit.ErrNotWriter] when this process was in charge and is not any more, until it is again or has given the
// lease back by itself: what its work still asks is asked for nothing, and somebody else may be at it. A process that
// never was in charge may read.
func (l *Lease) Lapsed() error {
	if !l.led.Load() {
		return nil
	}
	return l.Guard()
}

// Rights are what is asked before the requests of the work.
func (l *Lease) Rights() guard.Rights { return guard.Rights{Write: l.Guard, Read: l.Lapsed} }

// fresh tells whether the lease was renewed lately, by two clocks: the one that only ever goes on stands still while a
// machine sleeps, and the one on the wall may be set. Where that makes it seem late, the right to write comes back with the
// next renewal.
func (l *Lease) fresh(now time.Time) bool {
	renewed, deadline := l.renewed.Load(), l.times().renewDeadline()
	return renewed != nil && now.Sub(*renewed) < deadline && now.Round(0).Sub(renewed.Round(0)) < deadline
}

// Holder returns who holds the lease, as far as that is known.
func (l *Lease) Holder() string {
	if holder := l.holder.Load(); holder != nil {
		return *holder
	}
	return ""
}

// Held asks who holds the lease and renews it; "" for nobody who does. Whether somebody does is told as in the election:
// by whether the lease moves. The time that it bears is one by the holder's clock, which may differ from every other. A holder
// renews it as often as befits the duration that it wrote into it, and may be late once.
func (l *Lease) Held(ctx context.Context) (string, error) {
	client, err := l.connect()
	if err != nil {
		return "", err
	}
	var first *metav1.MicroTime
	for begun := time.Now(); ; {
		asked, cancel := context.WithTimeout(ctx, answerPatience)
		lease, err := client.CoordinationV1().Leases(l.namespace).Get(asked, leaseName, metav1.GetOptions{})
		cancel()
		if apierrors.IsNotFound(err) {
			return "", nil
		}
		if err != nil {
			return "", fmt.Errorf("look at the lease in %s: %w", l.namespace, err)
		}
		holder, renewed, times := lease.Spec.HolderIdentity, lease.Spec.RenewTime, timesOf(lease.Spec.LeaseDurationSeconds)
		l.found.Store(&times)
		switch {
		case holder == nil || *holder == "" || renewed == nil:
			return "", nil
		case first == nil:
			first = renewed
		case !renewed.Equal(first):
			return *holder, nil
		case time.Since(begun) >= times.heldPatience():
			return "", nil
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("look at the lease in %s: %w", l.namespace, ctx.Err())
		case <-time.After(times.retryPeriod() / 4):
		}
	}
}

// connect returns a client for the lease. It sends nothing.
func (l *Lease) connect() (kubernetes.Interface, error) {
	if l.Access == nil {
		return nil, errors.New("connect for the lease: nothing says where the cluster is")
	}
	config := rest.CopyConfig(l.Access.config)
	proxy := config.Proxy
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		next = guard.Behind{Next: next, Proxy: proxy}
		return &transport{next: next, clock: &l.clock, timeout: requestTimeout}
	})
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("connect for the lease: %w", err)
	}
	return client, nil
}

// errLost ends the work of a process that lost its lease.
var errLost = errors.New("the lease was lost")

// Hold waits until this process has the lease, then calls work, and gives the lease back when work
// has returned. The context of work ends when ctx does, and when the lease is lost; then it is not given back, as it may
// be another one's. The result is that of work, or the context's error when the lease could not be had before it ended.
//
// While this process waits, heard, unless it is nil, is told that the cluster answers, with nil, or that it has
// not answered what was asked about the lease for answerPatience.
func (l *Lease) Hold(ctx context.Context, heard func(error), work func(context.Context) error) error {
	client, err := l.connect()
	if err != nil {
		return err
	}
	if err := ensureNamespace(ctx, client, l.namespace); err != nil {
		return err
	}
	// The lease outlives ctx until work has ended: until then it may still send something.
	holding, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	result := make(chan error, 1)
	var decided atomic.Bool // whether work is called; set once, by whoever comes first
	stop := context.AfterFunc(ctx, contain.Callback(func() {
		if !decided.Load() {
			release() // still waiting for it
		}
	}))
	defer stop()
	lock := &leaseLock{
		Interface: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: l.namespace, Name: leaseName},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: l.identity},
		},
		lease: l, end: release, waits: func() bool { return !decided.Load() }, heard: heard, answered: time.Now(),
	}
	times := l.times()
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: time.Duration(times), RenewDeadline: times.renewDeadline(), RetryPeriod: times.retryPeriod(), Name: leaseName,
		// Its own way to give the lease back is also taken when renewals have failed, and goes by what was seen before
		// them: it throws out who came to hold it since.
		ReleaseOnCancel: false,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				if decided.Swap(true) {
					return // the lease is gone before work began
				}
				contain.Callback(func() {
					result <- l.lead(ctx, leading, work)
					release()
				})()
			},
			OnStoppedLeading: func() {},
			OnNewLeader:      func(identity string) { contain.Callback(func() { l.headedBy(identity) })() },
		},
	})
	if err != nil {
		return fmt.Errorf("prepare the lease: %w", err)
	}
	l.elector.Store(elector)
	if lock.take(holding) {
		elector.Run(holding)
	}
	kept := lock.held && !lock.lost && holding.Err() != nil // it was we who ended it, not a renewal that failed
	if decided.Swap(true) {
		err = <-result
	} else if err = ctx.Err(); err == nil {
		err = errLost
	}
	l.renewed.Store(nil) // nothing is written any more, before anybody else can be in charge
	if kept {
		l.led.Store(false) // it was not lost
		if err := lock.giveBack(context.WithoutCancel(ctx)); err != nil {
			l.log.Warn().Err(err).Msg("the lease was not given back: others can have it once it has run out")
		}
	}
	return err
}

// lead calls work, whose context ends with ctx, and when leading does.
func (l *Lease) lead(ctx, leading context.Context, work func(context.Context) error) error {
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(leading, contain.Callback(func() { cancel(errLost) }))()
	l.log.Info().Str("identity", l.identity).Msg("holds the lease")
	l.led.Store(true)
	return work(working)
}

// headedBy notes who holds the lease now.
func (l *Lease) headedBy(identity string) {
	l.holder.Store(&identity)
	if l.Notice != nil && identity != l.identity {
		l.Notice(identity)
	}
	l.log.Info().Str("holder", identity).Msg("the lease has a holder")
}

// ensureNamespace creates the namespace that the lease lies in, which is needed before anybody can
// hold it.
func ensureNamespace(ctx context.Context, client kubernetes.Interface, name string) error {
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	_, err := client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("look for the namespace %s: %w", name, err)
	}
	return nil
}
