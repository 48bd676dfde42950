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
