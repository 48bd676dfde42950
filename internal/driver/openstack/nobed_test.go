//go:build !beds

package openstack_test

import (
	"testing"

	bed "github.com/kupenstack/kupenstack-sync/test/openstack"
)

// sharedCloud skips the test: without the build tag, nothing of Kubernetes is linked in, which test
// beds bring along.
func sharedCloud(t testing.TB) *bed.Cloud {
	t.Helper()
	t.Skip("needs a test bed: run `make test`, or `go test -tags beds` as `make testbed` says")
	return nil
}

// alone is for tests of the shared cloud.
func alone(t testing.TB, _ string) {
	t.Helper()
	sharedCloud(t)
}
