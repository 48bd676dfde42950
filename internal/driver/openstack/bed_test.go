//go:build beds

package openstack_test

import (
	"testing"

	bed "github.com/kupenstack/kupenstack-sync/test/openstack"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// sharedCloud returns the cloud that all tests share.
func sharedCloud(t testing.TB) *bed.Cloud {
	t.Helper()
	return testbed.OpenStack(t)
}

// alone keeps what the shared cloud has one of to a test, until that ends.
func alone(t testing.TB, what string) {
	t.Helper()
	testbed.Lock(t, what)
}
