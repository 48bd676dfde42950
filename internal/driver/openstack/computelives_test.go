package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// bootable is what is written of an image of its own that instances can start from.
func bootable(t *testing.T, b *bench) values {
	t.Helper()
	url, checksum := b.disk(t, 1<<10)
	return values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")}
}

func computeLives() map[string]life {
	return map[string]life{
		"server group": {
			kind: "server_group", lists: []string{"/v2.1/os-server-groups"}, search: []string{"name"}, unmarked: true,
			first:    values{"policy": text("anti-affinity"), "max_server_per_host": number(2)},
			replaced: values{"max_server_per_host": number(3)},
			vanish: func(t *testing.T, id string) {
				t.Helper()
				request(t, "compute", http.MethodDelete, "os-server-groups/"+id, nil)
			},
		},
		"host aggregate": {
			kind: "host_aggregate", lists: []string{"/v2.1/os-aggregates"}, search: []string{"name"},
			first:   values{"availability_zone": text("rack-1"), "metadata": texted("ssd", "true")},
			changed: values{"availability_zone": text("rack-2"), "metadata": texted("ssd", "false", "more", "yes")},
			meddle: func(t *testing.T, id string) {
				t.Helper()
				request(t, "compute", http.MethodPost, "os-aggregates/"+id+"/action", map[string]any{"set_metadata": map[string]any{"metadata": map[string]any{"ssd": "theirs"}}})
			},
			meddled: []string{"metadata"},
			vanish: func(t *testing.T, id string) {
				t.Helper()
				request(t, "compute", http.MethodDelete, "os-aggregates/"+id, nil)
			},
		},
		"flavor": {
			kind: "flavor", lists: []string{"/v2.1/flavors/detail"}, search: []string{"name"},
			first:   values{"vcpus": number(1), "ram": number(64), "description": text("Small"), "extra_specs": texted("hw:cpu_policy", "shared")},
			changed: values{"description": text("Tiny"), "extra_specs": texted("hw:cpu_policy", "shared", "hw:mem_page_size", "any")},
			meddle: func(t *testing.T, id string) {
				t.Helper()
				request(t, "compute", http.MethodPut, "flavors/"+id+"/os-extra_specs/hw:cpu_policy", map[string]any{"hw:cpu_policy": "dedicated"})
			},
			meddled:  []string{"extra_specs"},
			replaced: values{"ram": number(128)},
			vanish: func(t *testing.T, id string) {
				t.Helper()
				request(t, "compute", http.MethodDelete, "flavors/"+id, nil)
			},
		},
		"keypair": {
			kind: "keypair", lists: []string{"/v2.1/os-keypairs"}, search: []string{"name"}, unmarked: true,
			first:    values{"public_key": text(publicKey)},
			replaced: values{"public_key": text(strings.Replace(publicKey, "hqf2", "hqf3", 1))},
			vanish: func(t *testing.T, id string) {
				t.Helper()
				request(t, "compute", http.MethodDelete, "os-keypairs/"+id, nil)
			},
		},
		"instance": {
			kind: "instance", lists: []string{"/v2.1/servers/detail", "/v2.0/ports"}, search: []string{"name"},
			needs: func(t *testing.T, b *bench) values {
				network, _ := segment(t, b, "10.15.0.0/24", values{})
				flavor := smallFlavor(t)
				b.converge(t, &flavor)
				return values{
					"image": text(made(t, b, "image", bootable(t, b))), "flavor": text(flavor.ID), "networks": list(network),
					"security_groups": list(made(t, b, "security_group", values{})), "keypair": text(made(t, b, "keypair", values{"public_key": text(publicKey)})),
				}
			},
			first:   values{"metadata": texted("tier", "web"), "tags": set("shop")},
			changed: values{"name": text(unique("renamed")), "metadata": texted("tier", "db"), "tags": set("shop", "two"), "security_groups": cty.ListValEmpty(cty.String)},
			meddle: func(t *testing.T, id string) {
				t.Helper()
				request(t, "compute", http.MethodPost, "servers/"+id+"/metadata", map[string]any{"metadata": map[string]any{"tier": "theirs"}})
			},
			meddled: []string{"metadata"},
			vanish:  func(t *testing.T, id string) { t.Helper(); end(t, "compute", "servers/"+id) },
			another: func(t *testing.T, b *bench) values { return values{"image": text(made(t, b, "image", bootable(t, b)))} },
		},
		"image": {
			kind: "image", lists: []string{imagesPath}, search: []string{"name"}, needs: bootable,
			first:   values{"tags": set("base"), "properties": texted("hw_disk_bus", "scsi"), "min_disk": number(1)},
			changed: values{"name": text(unique("renamed")), "tags": set("base", "two"), "properties": texted("hw_disk_bus", "virtio", "os_distro", "debian"), "min_disk": number(2)},
			meddle: func(t *testing.T, id string) {
				t.Helper()
				request(t, "image", http.MethodDelete, "v2/images/"+id+"/tags/two", nil)
			},
			meddled: []string{"tags"},
			vanish:  func(t *testing.T, id string) { t.Helper(); end(t, "image", "v2/images/"+id) },
			another: func(t *testing.T, b *bench) values {
				url, checksum := b.disk(t, 2<<10) // other bytes
				return values{"source": text(url), "checksum": text(checksum)}
			},
		},
	}
}
