//go:build beds

package openstack_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/aggregates"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/keypairs"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servergroups"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/imagedata"
	"github.com/gophercloud/gophercloud/v2/openstack/image/v2/images"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/extensions/portsbinding"
	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/ports"

	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

func makeFlavor(t *testing.T, c clients) *flavors.Flavor {
	t.Helper()
	flavor := must(flavors.Create(t.Context(), c.compute, flavors.CreateOpts{Name: unique(t, "flavor"), RAM: 512, VCPUs: 1, Disk: pointer(1)}).Extract())(t)
	remove(t, "flavor", func(ctx context.Context) error { return flavors.Delete(ctx, c.compute, flavor.ID).ExtractErr() })
	return flavor
}

func makeKeypair(t *testing.T, c clients) *keypairs.KeyPair {
	t.Helper()
	pair := must(keypairs.Create(t.Context(), c.compute, keypairs.CreateOpts{Name: unique(t, "key")}).Extract())(t)
	remove(t, "key pair", func(ctx context.Context) error { return keypairs.Delete(ctx, c.compute, pair.Name, nil).ExtractErr() })
	return pair
}

func makeImage(t *testing.T, c clients, format string, content []byte) *images.Image {
	t.Helper()
	image := must(images.Create(t.Context(), c.image, images.CreateOpts{
		Name: unique(t, "image"), DiskFormat: format, ContainerFormat: "bare", Tags: []string{"mine"},
		Visibility: pointer(images.ImageVisibilityPublic), Properties: map[string]string{"owner_mark": "x"},
	}).Extract())(t)
	remove(t, "image", func(ctx context.Context) error { return images.Delete(ctx, c.image, image.ID).ExtractErr() })
	if err := imagedata.Upload(t.Context(), c.image, image.ID, bytes.NewReader(content)).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	return image
}

func makeServer(t *testing.T, c clients, opts servers.CreateOptsBuilder) *servers.Server {
	t.Helper()
	server := must(servers.Create(t.Context(), c.compute, opts, nil).Extract())(t)
	id := server.ID
	remove(t, "server", func(ctx context.Context) error {
		if err := servers.Delete(ctx, c.compute, id).ExtractErr(); err != nil {
			return err
		}
		eventually(ctx, t, "the server to be deleted", func(ctx context.Context) (bool, error) {
			_, err := servers.Get(ctx, c.compute, id).Extract()
			if gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
				return true, nil
			}
			return false, err
		})
		return nil
	})
	eventually(t.Context(), t, "the server to be ACTIVE", func(ctx context.Context) (bool, error) {
		now, err := servers.Get(ctx, c.compute, id).Extract()
		if err != nil {
			return false, err
		}
		if server = now; server.Status == "ERROR" {
			t.Fatalf("the server failed: %+v", server.Fault)
		}
		return server.Status == "ACTIVE", nil
	})
	return server
}

func TestFlavorExtraSpecs(t *testing.T) {
	t.Parallel()
	c := shared(t)
	flavor := makeFlavor(t, c)
	want := map[string]string{"kupenstack:owner": "x"}
	must(flavors.CreateExtraSpecs(t.Context(), c.compute, flavor.ID, flavors.ExtraSpecsOpts(want)).Extract())(t)
	got := must(flavors.ListExtraSpecs(t.Context(), c.compute, flavor.ID).Extract())(t)
	if len(got) != 1 || got["kupenstack:owner"] != "x" {
		t.Errorf("extra specs are %v", got)
	}
}

func TestImageUpload(t *testing.T) {
	t.Parallel()
	c := shared(t)
	content := emptyDisk(t)
	image := makeImage(t, c, "qcow2", content)
	read := must(images.Get(t.Context(), c.image, image.ID).Extract())(t)
	if read.Status != images.ImageStatusActive || read.SizeBytes != int64(len(content)) || read.DiskFormat != "qcow2" || read.Properties["owner_mark"] != "x" || !slices.Equal(read.Tags, []string{"mine"}) {
		t.Errorf("the image is %+v", read)
	}
}

// emptyDisk returns a disk in the format qcow2. It skips where nothing can make one, which is
// only with a cloud of the environment: our own bed needs qemu-img itself.
func emptyDisk(t *testing.T) []byte {
	t.Helper()
	program, err := exec.LookPath("qemu-img")
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "disk.qcow2")
	if output, err := exec.CommandContext(t.Context(), program, "create", "-f", "qcow2", path, "1M").CombinedOutput(); err != nil {
		t.Fatalf("qemu-img: %v\n%s", err, output)
	}
	return must(os.ReadFile(path))(t)
}

func TestServerOnChosenPort(t *testing.T) {
	t.Parallel()
	c := shared(t)
	network, _ := makePrivateNetwork(t, c)
	port := makePort(t, c, network.ID, ports.CreateOpts{})
	key := makeKeypair(t, c)
	server := makeServer(t, c, keypairs.CreateOptsExt{KeyName: key.Name, CreateOptsBuilder: servers.CreateOpts{
		Name: unique(t, "server"), FlavorRef: makeFlavor(t, c).ID, ImageRef: makeImage(t, c, "raw", []byte("x")).ID,
		Networks: []servers.Network{{Port: port.ID}}, Metadata: map[string]string{"owner": "x"},
	}})
	if server.KeyName != key.Name || server.Metadata["owner"] != "x" {
		t.Errorf("the server is %+v", server)
	}
	var bound struct {
		ports.Port
		portsbinding.PortsBindingExt
	}
	eventually(t.Context(), t, "the port to be ACTIVE", func(ctx context.Context) (bool, error) {
		err := ports.Get(ctx, c.network, port.ID).ExtractInto(&bound)
		return bound.Status == "ACTIVE", err
	})
	if bound.DeviceID != server.ID || bound.VIFType != "ovs" || bound.HostID != server.Host || server.Host == "" {
		t.Errorf("the port is bound as %+v to the server on %q", bound, server.Host)
	}
}

func TestAggregates(t *testing.T) {
	t.Parallel()
	cloud := testbed.OpenStack(t)
	c := connect(t, cloud)
	// Apart, since a host can be in one zone only and other tests use the hosts.
	for name, opts := range map[string]aggregates.CreateOpts{
		"zone": {Name: unique(t, "aggregate"), AvailabilityZone: unique(t, "zone")},
		"host": {Name: unique(t, "aggregate")},
	} {
		t.Run(name, func(t *testing.T) {
			aggregate := must(aggregates.Create(t.Context(), c.compute, opts).Extract())(t)
			remove(t, "aggregate", func(ctx context.Context) error { return aggregates.Delete(ctx, c.compute, aggregate.ID).ExtractErr() })
			must(aggregates.SetMetadata(t.Context(), c.compute, aggregate.ID, aggregates.SetMetadataOpts{Metadata: map[string]any{"owner": "x"}}).Extract())(t)
			var hosts []string
			if computes := cloud.Computes(); name == "host" && len(computes) > 0 {
				hosts = computes[:1]
				must(aggregates.AddHost(t.Context(), c.compute, aggregate.ID, aggregates.AddHostOpts{Host: hosts[0]}).Extract())(t)
				remove(t, "host from aggregate", func(ctx context.Context) error {
					return aggregates.RemoveHost(ctx, c.compute, aggregate.ID, aggregates.RemoveHostOpts{Host: hosts[0]}).Err
				})
			}
			read := must(aggregates.Get(t.Context(), c.compute, aggregate.ID).Extract())(t)
			if read.Metadata["owner"] != "x" || read.AvailabilityZone != opts.AvailabilityZone || !slices.Equal(read.Hosts, hosts) {
				t.Errorf("the aggregate is %+v", read)
			}
		})
	}
}

func TestServerGroup(t *testing.T) {
	t.Parallel()
	c := shared(t)
	group := must(servergroups.Create(t.Context(), c.compute, servergroups.CreateOpts{Name: unique(t, "group"), Policies: []string{"anti-affinity"}}).Extract())(t)
	remove(t, "server group", func(ctx context.Context) error { return servergroups.Delete(ctx, c.compute, group.ID).ExtractErr() })
	read := must(servergroups.Get(t.Context(), c.compute, group.ID).Extract())(t)
	if !slices.Equal(read.Policies, []string{"anti-affinity"}) {
		t.Errorf("the policies are %q", read.Policies)
	}
}
