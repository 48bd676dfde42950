package openstack_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	gopher "github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/attributestags"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// namesOf are the keys of a map, or the elements of a set, that an output has.
func namesOf(st unit.State, attribute string) []string {
	v := st.Outputs.GetAttr(attribute)
	if v.Type().IsMapType() {
		return slices.Sorted(maps.Keys(v.AsValueMap()))
	}
	var names []string
	for _, e := range v.AsValueSlice() {
		names = append(names, e.AsString())
	}
	slices.Sort(names)
	return names
}

// TestBedWhatIsTakenOutGoes: names that an earlier revision set and the newest one has no more are gone from
// the real servers, with a record between the two as the only memory, and what somebody else added is not.
func TestBedWhatIsTakenOutGoes(t *testing.T) {
	b := newBench(t)
	keeper := newKeeper(t, b.Driver)
	url, checksum := b.disk(t, 1<<20)
	image := target(t, "image", unique("image"), values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")})
	size := smallFlavor(t)
	b.converge(t, &image)
	b.converge(t, &size)
	network := target(t, "network", unique("net"), values{"tags": set("goes", "stays")})
	flavor := target(t, "flavor", unique("flavor"), values{
		"vcpus": cty.NumberIntVal(1), "ram": cty.NumberIntVal(64), "disk": cty.NumberIntVal(1), "extra_specs": keyed("x:goes", "x:stays"),
	})
	server := target(t, "instance", unique("vm"), values{
		"image": text(image.ID), "flavor": text(size.ID), "networks": cty.ListValEmpty(cty.String), "metadata": keyed("goes", "stays"), "tags": set("goes", "stays"),
	})
	keeper.converge(t, network, flavor, server)
	for _, tg := range []*unit.Target{&network, &flavor, &server} {
		*tg = keeper.recorded(t, *tg)
		b.remove(t, *tg)
	}
	foreignNames(t, network.ID, flavor.ID, server.ID)

	network = with(t, network, values{"tags": set("stays")})
	flavor = with(t, flavor, values{"extra_specs": keyed("x:stays")})
	server = with(t, server, values{"metadata": keyed("stays"), "tags": cty.NullVal(cty.Set(cty.String))})
	keeper.converge(t, network, flavor, server)
	for _, test := range []struct {
		of        unit.Target
		attribute string
		want      []string
	}{
		{network, "tags", []string{"stays", "theirs"}},
		{flavor, "extra_specs", []string{"x:stays", "x:theirs"}},
		{server, "metadata", []string{"stays", "theirs"}},
		{server, "tags", nil},
	} {
		if got := namesOf(b.see(t, test.of), test.attribute); !slices.Equal(got, test.want) {
			t.Errorf("%s has the %s %q, want %q", test.of.Address, test.attribute, got, test.want)
		}
		if got := keeper.recorded(t, test.of).Set[test.attribute]; slices.Contains(got, "goes") || slices.Contains(got, "x:goes") || slices.Contains(got, "theirs") {
			t.Errorf("of %s the %s %q are on record", test.of.Address, test.attribute, got)
		}
	}
}

// foreignNames has somebody else add a name to each.
func foreignNames(t *testing.T, network, flavor, server string) {
	t.Helper()
	if err := attributestags.Add(t.Context(), somebody(t), "networks", network, "theirs").ExtractErr(); err != nil {
		t.Fatal(err)
	}
	compute := computeClient(t)
	if _, err := flavors.CreateExtraSpecs(t.Context(), compute, flavor, flavors.ExtraSpecsOpts{"x:theirs": "1"}).Extract(); err != nil {
		t.Fatal(err)
	}
	if _, err := servers.UpdateMetadata(t.Context(), compute, server, servers.MetadataOpts{"theirs": "1"}).Extract(); err != nil {
		t.Fatal(err)
	}
}

// computeClient is Nova as somebody else uses it.
func computeClient(t *testing.T) *gophercloud.ServiceClient {
	t.Helper()
	cloud := sharedCloud(t)
	provider, err := cloud.Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	compute, err := gopher.NewComputeV2(provider, gophercloud.EndpointOpts{Region: cloud.Region})
	if err != nil {
		t.Fatal(err)
	}
	return compute
}
