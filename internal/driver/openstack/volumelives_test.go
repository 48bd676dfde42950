package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func volumeLives() map[string]life {
	return map[string]life{
		"volume type": {
			kind: "volume_type", lists: []string{"/v3/{id}/types"}, search: []string{"name"},
			first:   values{"description": text("Fast"), "extra_specs": texted("kind", "ssd")},
			changed: values{"description": text("Faster"), "extra_specs": texted("kind", "nvme", "more", "yes")},
			meddle: func(t *testing.T, id string) {
				t.Helper()
				request(t, "volumev3", http.MethodPost, "types/"+id+"/extra_specs", map[string]any{"extra_specs": map[string]any{"kind": "disk"}})
			},
			meddled: []string{"extra_specs"},
			vanish: func(t *testing.T, id string) {
				t.Helper()
				request(t, "volumev3", http.MethodDelete, "types/"+id, nil)
			},
		},
		"volume QoS": {
			kind: "volume_qos", lists: []string{"/v3/{id}/qos-specs"}, search: []string{"name"}, unmarked: true,
			first:   values{"consumer": text("front-end"), "specs": texted("total_iops_sec", "2000")},
			changed: values{"consumer": text("both"), "specs": texted("total_iops_sec", "1000", "read_bytes_sec", "4096")},
			meddle: func(t *testing.T, id string) {
				t.Helper()
				request(t, "volumev3", http.MethodPut, "qos-specs/"+id, map[string]any{"qos_specs": map[string]any{"total_iops_sec": "1"}})
			},
			meddled: []string{"specs"},
			vanish: func(t *testing.T, id string) {
				t.Helper()
				request(t, "volumev3", http.MethodDelete, "qos-specs/"+id, nil)
			},
			replaced: values{"name": text(unique("other"))},
		},
		"volume": {
			kind: "volume", lists: []string{"/v3/{id}/volumes/detail"}, search: []string{"name"},
			first:   values{"size": number(2), "metadata": texted("tier", "db"), "description": text("Data")},
			changed: values{"size": number(3), "metadata": texted("tier", "web"), "description": text("Logs"), "bootable": cty.True},
			meddle: func(t *testing.T, id string) {
				t.Helper()
				request(t, "volumev3", http.MethodPut, "volumes/"+id, map[string]any{"volume": map[string]any{"description": "theirs"}})
			},
			meddled:  []string{"description"},
			vanish:   func(t *testing.T, id string) { t.Helper(); end(t, "volumev3", "volumes/"+id) },
			replaced: values{"size": number(1)},
		},
		"snapshot": {
			kind: "snapshot", lists: []string{"/v3/{id}/snapshots/detail"}, search: []string{"name", "volume"},
			needs:   anotherVolume,
			first:   values{"metadata": texted("reason", "upgrade")},
			changed: values{"metadata": texted("reason", "test"), "description": text("Before")},
			meddle: func(t *testing.T, id string) {
				t.Helper()
				request(t, "volumev3", http.MethodPut, "snapshots/"+id, map[string]any{"snapshot": map[string]any{"description": "theirs"}})
			},
			meddled: []string{"description"},
			vanish:  func(t *testing.T, id string) { t.Helper(); end(t, "volumev3", "snapshots/"+id) },
			another: anotherVolume,
		},
		"volume attachment": {
			kind: "volume_attachment", lists: []string{"/v3/{id}/volumes/detail"}, search: []string{"instance", "volume"}, unmarked: true,
			needs: func(t *testing.T, b *bench) values {
				image, flavor := made(t, b, "image", bootable(t, b)), smallFlavor(t)
				b.converge(t, &flavor)
				server := made(t, b, "instance", values{"image": text(image), "flavor": text(flavor.ID), "networks": cty.ListValEmpty(cty.String)})
				return values{"instance": text(server), "volume": text(made(t, b, "volume", values{"size": number(1)}))}
			},
			vanish:  detached,
			another: anotherVolume,
		},
	}
}

// anotherVolume makes the volume that something is about.
func anotherVolume(t *testing.T, b *bench) values {
	t.Helper()
	return values{"volume": text(made(t, b, "volume", values{"size": number(1)}))}
}

// detached takes a volume away from an instance, and waits until both say so.
func detached(t *testing.T, id string) {
	t.Helper()
	instance, volume, _ := strings.Cut(id, "/")
	end(t, "compute", "servers/"+instance+"/os-volume_attachments/"+volume)
	for {
		seen, _ := request(t, "volumev3", http.MethodGet, "volumes/"+volume, nil)["volume"].(map[string]any)
		if seen["status"] == "available" {
			return
		}
		pause(t.Context(), t)
	}
}
