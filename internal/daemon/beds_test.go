//go:build beds

package daemon_test

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

// patience is how long a test waits for what takes 15 seconds at most on a machine at rest.
const patience = 5 * time.Minute

// leaseIn returns a lease that nobody holds yet, in a namespace of a cluster.
func leaseIn(namespace, identity string, config *rest.Config) *kube.Lease {
	lease := kube.NewLease(namespace, identity, zerolog.Nop())
	lease.Access = kube.NewAccess(config)
	return lease
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

func uniqueNamespace() string { return "daemon-" + strings.ToLower(rand.Text()[:12]) }

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

// theft makes a lease somebody else's.
const theft = `{"spec":{"holderIdentity":"thief","leaseDurationSeconds":600}}`
