//go:build beds

package daemon_test

import (
	"crypto/rand"
	"strings"

	"github.com/rs/zerolog"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
)

// leaseIn returns a lease that nobody holds yet, in a namespace of a cluster.
func leaseIn(namespace, identity string, config *rest.Config) *kube.Lease {
	lease := kube.NewLease(namespace, identity, zerolog.Nop())
	lease.Access = kube.NewAccess(config)
	return lease
}

func uniqueNamespace() string { return "daemon-" + strings.ToLower(rand.Text()[:12]) }

// theft makes a lease somebody else's.
const theft = `{"spec":{"holderIdentity":"thief","leaseDurationSeconds":600}}`
