//go:build beds

package openstack_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"

	bed "github.com/kupenstack/kupenstack-sync/test/openstack"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// clients talk to every service of one cloud, as the administrator.
type clients struct {
	identity, image, placement, network, compute, volume *gophercloud.ServiceClient
}

// shared returns clients of the cloud that all tests share. It skips without one.
func shared(t *testing.T) clients {
	t.Helper()
	return connect(t, testbed.OpenStack(t))
}

func connect(t *testing.T, cloud *bed.Cloud) clients {
	t.Helper()
	provider, err := cloud.Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all clients
	region := gophercloud.EndpointOpts{Region: cloud.Region}
	for _, service := range []struct {
		target *(*gophercloud.ServiceClient)
		make   func(*gophercloud.ProviderClient, gophercloud.EndpointOpts) (*gophercloud.ServiceClient, error)
	}{
		{&all.identity, openstack.NewIdentityV3},
		{&all.image, openstack.NewImageV2},
		{&all.placement, openstack.NewPlacementV1},
		{&all.network, openstack.NewNetworkV2},
		{&all.compute, openstack.NewComputeV2},
		{&all.volume, openstack.NewBlockStorageV3},
	} {
		if *service.target, err = service.make(provider, region); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// unique makes a name that no other test on the shared cloud has.
func unique(t *testing.T, kind string) string {
	t.Helper()
	return kind + "-" + strings.ToLower(rand.Text()[:8])
}

// must returns the value of a call that has to succeed: must(call())(t).
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// remove deletes an object when the test ends, and has no objection when it is gone.
func remove(t *testing.T, what string, del func(context.Context) error) {
	t.Helper()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := del(ctx); err != nil && !gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			t.Errorf("delete %s: %v", what, err)
		}
	})
}

// eventually polls, because these APIs have nothing to watch. An error is a no: what answers 500 or 503 once
// may answer the next time, and the last one is told.
func eventually(ctx context.Context, t *testing.T, what string, ready func(context.Context) (bool, error)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		done, err := ready(ctx)
		if done && err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("wait for %s: %v", what, errors.Join(ctx.Err(), err))
		case <-tick.C:
		}
	}
}

func pointer[T any](value T) *T { return &value }
