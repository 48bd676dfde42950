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

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// leaseName names the Lease in the system's namespace. There is one cloud per cluster, so one name
// is enough.
const leaseName = "kupenstack"

// Times of the lease: who does not renew for leaseDuration has lost it, and stops by itself
// renewDeadline after the last renewal.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
)

// LeasePatience is how long it takes at most to get the lease from a process that is dead.
const LeasePatience = leaseDuration + 3*retryPeriod

// Lease sees to it that one process at a time changes the world. Create it with [NewLease].
type Lease struct {
	// Access is how the cluster is reached that the lease lies in, past every guard. It is set before the lease
	// is asked for.
	Access *Access
	// Notice, when set, is told who else is in charge while this process waits.
	Notice func(holder string)

	namespace string
	identity  string
	log       zerolog.Logger
	elector   atomic.Pointer[leaderelection.LeaderElector]
	holder    atomic.Pointer[string]
	renewed   atomic.Int64 // when the last renewal was asked for that came about, by the clock on the wall
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
// process that was paused finds out here, before it sends anything. It says no as soon as the lease
// was not renewed for renewDeadline, so that a request that was let through has the rest of
// leaseDuration to arrive before another process can hold the lease.
func (l *Lease) Guard() error {
	elector := l.elector.Load()
	if elector == nil || !elector.IsLeader() || elector.Check(renewDeadline-leaseDuration) != nil || !l.fresh(time.Now()) {
		return unit.ErrNotWriter
	}
	return nil
}

// fresh tells whether the lease was renewed lately by the clock on the wall. The elector goes by the clock that only ever goes
// on, which stands still while a machine sleeps; this one may be set, which ends the right to write until the next renewal.
func (l *Lease) fresh(now time.Time) bool {
	return now.UnixNano()-l.renewed.Load() < int64(renewDeadline)
}

// Holder returns who holds the lease, as far as that is known.
func (l *Lease) Holder() string {
	if holder := l.holder.Load(); holder != nil {
		return *holder
	}
	return ""
}

// Held asks who holds the lease and has renewed it lately, by the API server's clock; "" for nobody.
func (l *Lease) Held(ctx context.Context) (string, error) {
	client, err := l.connect()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, renewDeadline)
	defer cancel()
	lease, err := client.CoordinationV1().Leases(l.namespace).Get(ctx, leaseName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look at the lease in %s: %w", l.namespace, err)
	}
	holder, renewed := lease.Spec.HolderIdentity, lease.Spec.RenewTime
	if holder == nil || renewed == nil || l.clock.now().Sub(renewed.Time) > leaseDuration {
		return "", nil
	}
	return *holder, nil
}

// connect returns a client for the lease. It sends nothing.
func (l *Lease) connect() (kubernetes.Interface, error) {
	if l.Access == nil {
		return nil, errors.New("connect for the lease: nothing says where the cluster is")
	}
	config := rest.CopyConfig(l.Access.config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
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
// has returned. The context of work ends when ctx does, and when the lease is lost. The result is
// that of work, or the context's error when the lease could not be had before it ended.
//
// While this process waits, heard, unless it is nil, is told that the cluster answers, with nil, or that it has
// not answered what was asked about the lease for renewDeadline.
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
	stop := context.AfterFunc(ctx, func() {
		if !decided.Load() {
			release() // still waiting for it
		}
	})
	defer stop()
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &heardLock{
			Interface: &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Namespace: l.namespace, Name: leaseName},
				Client:     client.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: l.identity},
			},
			waits: func() bool { return !decided.Load() }, heard: heard, answered: time.Now(), renewed: &l.renewed,
		},
		LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod,
		ReleaseOnCancel: true, Name: leaseName,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				if decided.Swap(true) {
					return // the lease is gone before work began
				}
				working, cancel := context.WithCancelCause(ctx)
				defer context.AfterFunc(leading, func() { cancel(errLost) })()
				l.log.Info().Str("identity", l.identity).Msg("holds the lease")
				err := work(working)
				cancel(nil)
				result <- err
				release()
			},
			OnStoppedLeading: func() {},
			OnNewLeader: func(identity string) {
				l.holder.Store(&identity)
				if l.Notice != nil && identity != l.identity {
					l.Notice(identity)
				}
				l.log.Info().Str("holder", identity).Msg("the lease has a holder")
			},
		},
	})
	if err != nil {
		return fmt.Errorf("prepare the lease: %w", err)
	}
	l.elector.Store(elector)
	elector.Run(holding)
	if decided.Swap(true) {
		return <-result
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return errLost
}

// heardLock tells whether the cluster answers a process that waits for its lease, which is all that such a
// process asks, and when the lease was renewed. One goroutine at a time uses it.
type heardLock struct {
	resourcelock.Interface
	waits    func() bool
	heard    func(error) // nil when nobody wants to know
	answered time.Time   // when the last answer came
	renewed  *atomic.Int64
}

// Create makes the lease.
func (h *heardLock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return h.renew(func() error { return h.Interface.Create(ctx, record) })
}

// Update takes, renews or gives back the lease.
func (h *heardLock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return h.renew(func() error { return h.Interface.Update(ctx, record) })
}

// renew notes when a write began that came about: others count from when they have seen it, which is later.
func (h *heardLock) renew(write func() error) error {
	began := time.Now().UnixNano()
	err := write()
	if err == nil {
		h.renewed.Store(began)
	}
	return err
}

// Get returns the lease. Without an end of its own, a request that nobody answers would last for as long as
// a process waits.
func (h *heardLock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, renewDeadline)
	defer cancel()
	record, content, err := h.Interface.Get(ctx)
	if h.heard == nil || !h.waits() {
		return record, content, err
	}
	switch {
	case err == nil || apierrors.IsNotFound(err):
		h.answered = time.Now()
		h.heard(nil)
	case time.Since(h.answered) >= renewDeadline:
		h.heard(fmt.Errorf("ask for the lease: %w", err))
	}
	return record, content, err
}

// ensureNamespace creates the namespace that the lease lies in, which is needed before anybody can
// hold it.
func ensureNamespace(ctx context.Context, client kubernetes.Interface, name string) error {
	ctx, cancel := context.WithTimeout(ctx, renewDeadline)
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
