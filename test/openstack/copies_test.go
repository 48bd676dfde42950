//go:build beds

package openstack_test

import (
	"net/netip"
	"reflect"
	"testing"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/subnets"

	bed "github.com/kupenstack/kupenstack-sync/test/openstack"
)

// TestCopyNetwork wants Neutron to show of a copy what it shows of the original.
func TestCopyNetwork(t *testing.T) {
	t.Parallel()
	cloud := ownBed(t)
	c := connect(t, cloud)
	network, subnet := makeNetwork(t, c, networks.CreateOpts{Name: unique(t, "network"), Description: "one of many"}, "10.0.0.0/24", false)
	one := bed.NetworkCopy{
		ID: uuid.NewString(), Name: unique(t, "it's"), Description: `a "copy"`, SubnetID: uuid.NewString(), SubnetName: "below", SubnetAbout: "of the copy",
		CIDR: netip.MustParsePrefix("10.0.16.0/20"),
	}
	two := one
	two.ID, two.SubnetID = uuid.NewString(), uuid.NewString()
	if err := cloud.CopyNetwork(t.Context(), network.ID, []bed.NetworkCopy{one, two}); err != nil {
		t.Fatal(err)
	}
	raw := func(r gophercloud.Result, kind string) map[string]any {
		t.Helper()
		body, _ := r.Body.(map[string]any)
		object, ok := body[kind].(map[string]any)
		if r.Err != nil || !ok {
			t.Fatalf("%v, %v", body, r.Err)
		}
		for _, at := range []string{"created_at", "updated_at", "provider:segmentation_id"} {
			delete(object, at)
		}
		return object
	}
	want := raw(networks.Get(t.Context(), c.network, network.ID).Result, "network")
	want["id"], want["name"], want["description"], want["subnets"] = two.ID, two.Name, two.Description, []any{two.SubnetID}
	got := raw(networks.Get(t.Context(), c.network, two.ID).Result, "network")
	want["revision_number"] = got["revision_number"]
	if !reflect.DeepEqual(got, want) {
		t.Errorf("a copy is shown as\n%v\nwant\n%v", got, want)
	}
	want = raw(subnets.Get(t.Context(), c.network, subnet.ID).Result, "subnet")
	want["id"], want["name"], want["description"], want["network_id"], want["cidr"] = two.SubnetID, two.SubnetName, two.SubnetAbout, two.ID, "10.0.16.0/20"
	want["gateway_ip"], want["allocation_pools"] = "10.0.16.1", []any{map[string]any{"start": "10.0.16.2", "end": "10.0.31.254"}}
	if got := raw(subnets.Get(t.Context(), c.network, two.SubnetID).Result, "subnet"); !reflect.DeepEqual(got, want) {
		t.Errorf("the subnet of a copy is shown as\n%v\nwant\n%v", got, want)
	}

	if err := cloud.RemoveCopies(t.Context(), []bed.NetworkCopy{one, two}); err != nil {
		t.Fatal(err)
	}
	pages := must(networks.List(c.network, networks.ListOpts{Name: one.Name}).AllPages(t.Context()))(t)
	if left := must(networks.ExtractNetworks(pages))(t); len(left) > 0 {
		t.Errorf("%d copies are left", len(left))
	}
	if _, err := networks.Get(t.Context(), c.network, network.ID).Extract(); err != nil {
		t.Errorf("the original: %v", err)
	}
}
