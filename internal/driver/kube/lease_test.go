//go:build beds

package kube_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/await"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// candidate is a process that wants the lease.
type candidate struct {
	t     *testing.T
	lease *kube.Lease
	stop  context.CancelFunc
	began chan context.Context // of work
	leave chan struct{}        // closed to end work
	done  chan error           // the result of Hold
}

// errWork is what work returns.
var errWork = errors.New("the work is done")

func hold(t *testing.T, bed *cluster.Cluster, namespace, identity string) *candidate {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	c := &candidate{
		t: t, lease: kube.NewLease(namespace, identity, zerolog.Nop()), stop: stop,
		began: make(chan context.Context, 1), leave: make(chan struct{}), done: make(chan error, 1),
	}
	c.lease.Access = kube.NewAccess(bed.RESTConfig())
	if err := c.lease.Guard(); !errors.Is(err, unit.ErrNotWriter) {
		t.Errorf("%s may write before it holds anything: %v", identity, err)
	}
	go func() {
		c.done <- c.lease.Hold(ctx, nil, func(ctx context.Context) error {
			c.began <- ctx
			select {
			case <-c.leave:
			case <-ctx.Done():
			}
			return errWork
		})
	}()
	t.Cleanup(stop)
	return c
}

// working waits until work was called, and returns its context.
func (c *candidate) working() context.Context {
	c.t.Helper()
	ctx := await.Receive(c.t, c.began, "the lease")
	if err := c.lease.Guard(); err != nil {
		c.t.Errorf("it holds the lease and may not write: %v", err)
	}
	return ctx
}

// ended waits until Hold returned, and looks that nothing may be written any more.
func (c *candidate) ended(want error) {
	c.t.Helper()
	if err := await.Receive(c.t, c.done, "the end"); !errors.Is(err, want) {
		c.t.Errorf("it ended with %v, want %v", err, want)
	}
	if err := c.lease.Guard(); !errors.Is(err, unit.ErrNotWriter) {
		c.t.Errorf("it may write after the end: %v", err)
	}
}

func uniqueNamespace() string { return "lease-" + strings.ToLower(rand.Text()[:12]) }

func TestOneAtATime(t *testing.T) {
	t.Parallel()
	bed, namespace := testbed.Cluster(t), uniqueNamespace()
	first := hold(t, bed, namespace, "first")
	first.working()
	second := hold(t, bed, namespace, "second")
	// The second one knows who has it before it would ever get it.
	await.Until(t, "the name of the holder", func() bool { return second.lease.Holder() == "first" })
	if err := second.lease.Guard(); !errors.Is(err, unit.ErrNotWriter) {
		t.Errorf("two may write at once: %v", err)
	}
	select {
	case <-second.began:
		t.Fatal("two work at once")
	default:
	}

	close(first.leave)
	first.ended(errWork)
	if holder, err := bed.LeaseHolder(t.Context(), namespace, "kupenstack"); err != nil || holder == "first" {
		t.Errorf("%q has the lease after the end, which would expire 15 seconds after the last renewal: %v", holder, err)
	}
	second.working()
	second.stop()
	second.ended(errWork)
}

func TestStandbyStops(t *testing.T) {
	t.Parallel()
	bed, namespace := testbed.Cluster(t), uniqueNamespace()
	first := hold(t, bed, namespace, "first")
	first.working()
	second := hold(t, bed, namespace, "second")
	second.stop()
	second.ended(context.Canceled)
	select {
	case <-second.began:
		t.Error("it worked without the lease")
	default:
	}
	first.stop()
	first.ended(errWork)
}

// theft makes a lease somebody else's.
const theft = `{"spec":{"holderIdentity":"thief","leaseDurationSeconds":600}}`

func TestLeaseOfSomebodyElse(t *testing.T) {
	t.Parallel()
	bed, namespace := testbed.Cluster(t), uniqueNamespace()
	c := hold(t, bed, namespace, "first")
	working := c.working()
	leases := bed.Client().CoordinationV1().Leases(namespace)
	if _, err := leases.Patch(t.Context(), "kupenstack", types.MergePatchType, []byte(theft), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	// Nothing may be written from the next renewal on, some seconds before the work has to end.
	await.Until(t, "no right to write", func() bool { return c.lease.Guard() != nil })
	await.Receive(t, working.Done(), "word that the lease is lost")
	if cause := context.Cause(working); errors.Is(cause, context.Canceled) || !strings.Contains(cause.Error(), "lost") {
		t.Errorf("the work ended because of %v", cause)
	}
	c.ended(errWork)
	if lease, err := leases.Get(t.Context(), "kupenstack", metav1.GetOptions{}); err != nil || *lease.Spec.HolderIdentity != "thief" {
		t.Errorf("the lease of somebody else was given back: %v, %v", lease, err)
	}
}

// A lease that was deleted is taken again: nobody else had it.
func TestDeletedLease(t *testing.T) {
	t.Parallel()
	bed, namespace := testbed.Cluster(t), uniqueNamespace()
	c := hold(t, bed, namespace, "first")
	working := c.working()
	leases := bed.Client().CoordinationV1().Leases(namespace)
	if err := leases.Delete(t.Context(), "kupenstack", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the lease", func() bool {
		lease, err := leases.Get(t.Context(), "kupenstack", metav1.GetOptions{})
		return err == nil && *lease.Spec.HolderIdentity == "first"
	})
	if working.Err() != nil || c.lease.Guard() != nil {
		t.Errorf("the work's context: %v, the guard: %v", working.Err(), c.lease.Guard())
	}
	c.stop()
	c.ended(errWork)
}

func TestHoldWithoutAServer(t *testing.T) {
	bed := testbed.Cluster(t)
	config := bed.RESTConfig()
	config.Host = "https://127.0.0.1:1"
	lease := kube.NewLease(uniqueNamespace(), "first", zerolog.Nop())
	lease.Access = kube.NewAccess(config)
	err := lease.Hold(t.Context(), nil, func(context.Context) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "namespace") {
		t.Errorf("error %v, want one about the namespace", err)
	}
}
