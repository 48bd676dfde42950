//go:build beds

package openstack_test

import (
	"context"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/v2/openstack/blockstorage/v3/volumetypes"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"

	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

func makeVolume(t *testing.T, c clients, opts volumes.CreateOpts) *volumes.Volume {
	t.Helper()
	opts.Name, opts.Size = unique(t, "volume"), 1
	volume := must(volumes.Create(t.Context(), c.volume, opts, nil).Extract())(t)
	remove(t, "volume", func(ctx context.Context) error { return volumes.Delete(ctx, c.volume, volume.ID, nil).ExtractErr() })
	awaitVolume(t.Context(), t, c, volume.ID, "available")
	return must(volumes.Get(t.Context(), c.volume, volume.ID).Extract())(t)
}

func awaitVolume(ctx context.Context, t *testing.T, c clients, id, status string) {
	t.Helper()
	eventually(ctx, t, "the volume to be "+status, func(ctx context.Context) (bool, error) {
		volume, err := volumes.Get(ctx, c.volume, id).Extract()
		if err == nil && volume.Status == "error" {
			t.Fatalf("the volume failed: %+v", volume)
		}
		return err == nil && volume.Status == status, err
	})
}

func TestVolumeType(t *testing.T) {
	t.Parallel()
	cloud := testbed.OpenStack(t)
	c := connect(t, cloud)
	opts := volumetypes.CreateOpts{Name: unique(t, "type")}
	ours := cloud.Computes() != nil
	if ours { // the back ends of another cloud are not known
		opts.ExtraSpecs = map[string]string{"volume_backend_name": "fake2"}
	}
	kind := must(volumetypes.Create(t.Context(), c.volume, opts).Extract())(t)
	remove(t, "volume type", func(ctx context.Context) error { return volumetypes.Delete(ctx, c.volume, kind.ID).ExtractErr() })
	volume := makeVolume(t, c, volumes.CreateOpts{VolumeType: kind.ID, Metadata: map[string]string{"owner": "x"}})
	if volume.VolumeType != kind.Name || volume.Metadata["owner"] != "x" || ours && volume.Host != "volumes@fake2#pool" {
		t.Errorf("the volume is %+v", volume)
	}
	// Deleting is asynchronous, and the type cannot go while a volume has it.
	if err := volumes.Delete(t.Context(), c.volume, volume.ID, nil).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	eventually(t.Context(), t, "the volume to be deleted", func(ctx context.Context) (bool, error) {
		pages, err := volumes.List(c.volume, volumes.ListOpts{Name: volume.Name}).AllPages(ctx)
		if err != nil {
			return false, err
		}
		left, err := volumes.ExtractVolumes(pages)
		return len(left) == 0, err
	})
}

func TestAttachVolume(t *testing.T) {
	t.Parallel()
	c := shared(t)
	volume := makeVolume(t, c, volumes.CreateOpts{})
	network, _ := makePrivateNetwork(t, c)
	server := makeServer(t, c, servers.CreateOpts{
		Name: unique(t, "server"), FlavorRef: makeFlavor(t, c).ID, ImageRef: makeImage(t, c, "raw", []byte("x")).ID, Networks: []servers.Network{{UUID: network.ID}},
	})
	must(volumeattach.Create(t.Context(), c.compute, server.ID, volumeattach.CreateOpts{VolumeID: volume.ID}).Extract())(t)
	remove(t, "attachment", func(ctx context.Context) error {
		if err := volumeattach.Delete(ctx, c.compute, server.ID, volume.ID).ExtractErr(); err != nil {
			return err
		}
		awaitVolume(ctx, t, c, volume.ID, "available")
		return nil
	})
	awaitVolume(t.Context(), t, c, volume.ID, "in-use")
	read := must(volumes.Get(t.Context(), c.volume, volume.ID).Extract())(t)
	if len(read.Attachments) != 1 || read.Attachments[0].ServerID != server.ID {
		t.Errorf("the volume's attachments are %+v", read.Attachments)
	}
	attached := must(servers.Get(t.Context(), c.compute, server.ID).Extract())(t)
	if len(attached.AttachedVolumes) != 1 || attached.AttachedVolumes[0].ID != volume.ID {
		t.Errorf("the server's volumes are %+v", attached.AttachedVolumes)
	}
}
