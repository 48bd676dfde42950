//go:build beds

package kube_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// patience is how long a test waits for what takes 15 seconds at most on a machine at rest.
const patience = 5 * time.Minute

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
	ctx := receive(c.t, c.began, "the lease")
	if err := c.lease.Guard(); err != nil {
		c.t.Errorf("it holds the lease and may not write: %v", err)
	}
	return ctx
}

// ended waits until Hold returned, and looks that nothing may be written any more.
func (c *candidate) ended(want error) {
	c.t.Helper()
	if err := receive(c.t, c.done, "the end"); !errors.Is(err, want) {
		c.t.Errorf("it ended with %v, want %v", err, want)
	}
	if err := c.lease.Guard(); !errors.Is(err, unit.ErrNotWriter) {
		c.t.Errorf("it may write after the end: %v", err)
	}
}

func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(patience):
		t.Fatalf("waited %v for %s", patience, what)
		panic("unreachable")
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}

func uniqueNamespace() string { return "lease-" + strings.ToLower(rand.Text()[:12]) }

// givenBack fails the test when somebody who is at its end has the lease yet: it would expire 15 seconds
// after the last renewal.
func givenBack(t *testing.T, bed *cluster.Cluster, namespace, by string) {
	t.Helper()
	lease, err := bed.Client().CoordinationV1().Leases(namespace).Get(t.Context(), "kupenstack", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if holder := lease.Spec.HolderIdentity; holder != nil && *holder == by {
		t.Errorf("%s has not given the lease back", by)
	}
}

func TestOneAtATime(t *testing.T) {
	t.Parallel()
	bed, namespace := testbed.Cluster(t), uniqueNamespace()
	first := hold(t, bed, namespace, "first")
	first.working()
	second := hold(t, bed, namespace, "second")
	// The second one knows who has it before it would ever get it.
	eventually(t, "the name of the holder", func() bool { return second.lease.Holder() == "first" })
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
	givenBack(t, bed, namespace, "first")
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
	eventually(t, "no right to write", func() bool { return c.lease.Guard() != nil })
	receive(t, working.Done(), "word that the lease is lost")
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
	eventually(t, "the lease", func() bool {
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
