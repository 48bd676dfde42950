package openstack_test

import (
	"net/http"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestBedInterfaceOfOthers: an interface that somebody attaches to an instance is theirs, with its security groups.
func TestBedInterfaceOfOthers(t *testing.T) {
	b := newBench(t)
	ours, _ := segment(t, b, "10.62.0.0/24", values{})
	theirs, _ := segment(t, b, "10.63.0.0/24", values{})
	flavor := smallFlavor(t)
	b.converge(t, &flavor)
	url, checksum := b.disk(t, 1<<10)
	image := target(t, "image", unique("image"), values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")})
	b.converge(t, &image)
	group := made(t, b, "security_group", values{})
	server := target(t, "instance", unique("vm"), values{"image": text(image.ID), "flavor": text(flavor.ID), "networks": list(ours), "security_groups": list(group)})
	address := b.converge(t, &server).Outputs.GetAttr("access_ip").AsString()
	port := foreign(t, "network", "v2.0/ports", "port", map[string]any{"network_id": theirs})
	request(t, "compute", http.MethodPost, "servers/"+server.ID+"/os-interface", map[string]any{"interfaceAttachment": map[string]any{"port_id": port}})
	st, diff := b.compare(t, server)
	if diff.Action != unit.ActionNone {
		t.Errorf("with an interface of somebody's the diff is %+v", diff)
	}
	if n := st.Outputs.GetAttr("networks").LengthInt(); n != 2 || st.Outputs.GetAttr("access_ip").AsString() != address {
		t.Errorf("it has %d networks, and is reached at %#v, want %s", n, st.Outputs.GetAttr("access_ip"), address)
	}
}
