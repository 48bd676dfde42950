//go:build beds

package faultproxy_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// throughFleet returns a client of the shared cloud that goes through proxies, and one that
// does not.
func throughFleet(t *testing.T) (fleet *faultproxy.Fleet, proxied, direct *gophercloud.ProviderClient, where gophercloud.EndpointOpts) {
	t.Helper()
	cloud := testbed.OpenStack(t)
	direct, err := cloud.Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fleet = faultproxy.StartFleet(t, cloud.Endpoints, faultproxy.Options{Transport: cloud.Transport()})
	proxied, err = cloud.ProviderAt(t.Context(), fleet.URL("identity"))
	if err != nil {
		t.Fatal(err)
	}
	// No connection of an earlier test may be used again, where net/http would resend unseen.
	proxied.HTTPClient.Transport = newClient(t, nil).Transport
	return fleet, proxied, direct, gophercloud.EndpointOpts{Region: cloud.Region}
}

func networkClient(t *testing.T, provider *gophercloud.ProviderClient, where gophercloud.EndpointOpts) *gophercloud.ServiceClient {
	t.Helper()
	client, err := openstack.NewNetworkV2(provider, where)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestBedEveryServiceGoesThroughItsProxy(t *testing.T) {
	fleet, proxied, _, where := throughFleet(t)
	pages, err := networks.List(networkClient(t, proxied, where), networks.ListOpts{Limit: 1}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := networks.ExtractNetworks(pages); err != nil {
		t.Fatal(err)
	}
	compute, err := openstack.NewComputeV2(proxied, where)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := flavors.ListDetail(compute, nil).AllPages(t.Context()); err != nil {
		t.Fatal(err)
	}
	proxies := map[string]int{}
	for operation, count := range fleet.Counts() {
		proxies[operation.Proxy] += count
	}
	for _, name := range []string{"identity", "network", "compute"} {
		if proxies[name] == 0 {
			t.Errorf("nothing went through the proxy of %s; counts are\n%v", name, fleet.Counts())
		}
	}
	if fleet.Counts().Of("GET", "/v2.0/networks") == 0 || fleet.Counts().Of("POST", "/v3/auth/tokens") != 1 {
		t.Errorf("counts are\n%v", fleet.Counts())
	}
}

func TestBedOpenStackFaults(t *testing.T) {
	fleet, proxied, direct, where := throughFleet(t)
	client := networkClient(t, proxied, where)
	onNetworks := func(verb string) faultproxy.Match {
		return faultproxy.Match{Proxy: fleet.Proxy("network"), Verb: verb, Path: "/v2.0/networks"}
	}

	down := fleet.Add(faultproxy.Rule{Match: onNetworks("GET"), Action: faultproxy.AnswerOpenStack(503, "maintenance", 0)})
	if _, err := networks.List(client, nil).AllPages(t.Context()); !gophercloud.ResponseCodeIs(err, 503) || down.Fired() != 1 {
		t.Errorf("got %v, the rule fired %d times", err, down.Fired())
	}
	down.Remove()

	lost := fleet.Add(faultproxy.Rule{Match: onNetworks("POST"), Action: faultproxy.ResetAfter()})
	name := fmt.Sprintf("faultproxy-%d", time.Now().UnixNano())
	if network, err := networks.Create(t.Context(), client, networks.CreateOpts{Name: name}).Extract(); err == nil || lost.Fired() != 1 {
		t.Errorf("the client got %v, %v, the rule fired %d times", network, err, lost.Fired())
	}
	lost.Remove()
	there := networkClient(t, direct, where)
	pages, err := networks.List(there, networks.ListOpts{Name: name}).AllPages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, err := networks.ExtractNetworks(pages)
	if err != nil || len(all) != 1 {
		t.Errorf("%d networks of that name exist, want the one whose answer was lost: %v", len(all), err)
	}
	for _, network := range all {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 5*time.Minute)
		defer cancel()
		if err := networks.Delete(ctx, there, network.ID).ExtractErr(); err != nil {
			t.Error(err)
		}
	}
}
