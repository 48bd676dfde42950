package openstack_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"
)

// somebody returns a client that works as somebody else would.
func somebody(t *testing.T) *gophercloud.ServiceClient {
	t.Helper()
	cloud := sharedCloud(t)
	provider, err := cloud.Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	client, err := gopher.NewNetworkV2(provider, gophercloud.EndpointOpts{Region: cloud.Region})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// afterwards deletes what somebody made, as soon as nothing has it any more: instances let go of ports a little later.
func afterwards(t *testing.T, del func(context.Context) error) {
	t.Helper()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		err := del(ctx)
		for ; gophercloud.ResponseCodeIs(err, http.StatusConflict) && ctx.Err() == nil; err = del(ctx) {
			pause(ctx, t)
		}
		if err != nil && !gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			t.Error(err)
		}
	})
}

func foreignNetwork(t *testing.T, options networks.CreateOpts) string {
	t.Helper()
	client := somebody(t)
	network, err := networks.Create(t.Context(), client, options).Extract()
	if err != nil {
		t.Fatal(err)
	}
	afterwards(t, func(ctx context.Context) error { return networks.Delete(ctx, client, network.ID).ExtractErr() })
	return network.ID
}

func foreignSubnet(t *testing.T, network, cidr string) string {
	t.Helper()
	client := somebody(t)
	subnet, err := subnets.Create(t.Context(), client, subnets.CreateOpts{NetworkID: network, CIDR: cidr, IPVersion: 4}).Extract()
	if err != nil {
		t.Fatal(err)
	}
	afterwards(t, func(ctx context.Context) error { return subnets.Delete(ctx, client, subnet.ID).ExtractErr() })
	return subnet.ID
}
