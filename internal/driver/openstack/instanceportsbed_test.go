package openstack_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

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

// TestBedInterfacesThatAreAdded: an instance gets a port and a network more as it runs, and loses the port again. The
// security groups of its block are those of the port that Nova makes, too.
func TestBedInterfacesThatAreAdded(t *testing.T) {
	b := newBench(t)
	first, _ := segment(t, b, "10.64.0.0/24", values{})
	second, _ := segment(t, b, "10.65.0.0/24", values{})
	third, _ := segment(t, b, "10.66.0.0/24", values{})
	flavor := smallFlavor(t)
	b.converge(t, &flavor)
	group := made(t, b, "security_group", values{})
	written := values{"image": text(made(t, b, "image", bootable(t, b))), "flavor": text(flavor.ID), "networks": list(first), "security_groups": list(group)}
	server := target(t, "instance", unique("vm"), written)
	b.converge(t, &server)
	port := target(t, "port", unique("port"), values{"network": text(third)})
	b.converge(t, &port)
	has := func(want ...string) {
		t.Helper()
		answer := request(t, "compute", http.MethodGet, "servers/"+server.ID+"/os-interface", nil)
		var networks []string
		attached, _ := answer["interfaceAttachments"].([]any)
		for _, one := range attached {
			one, _ := one.(map[string]any)
			id, _ := one["net_id"].(string)
			networks = append(networks, id)
		}
		slices.Sort(networks)
		slices.Sort(want)
		if !slices.Equal(networks, want) {
			t.Errorf("it has interfaces in %q, want %q", networks, want)
		}
		metadata, _ := request(t, "compute", http.MethodGet, "servers/"+server.ID+"/metadata", nil)["metadata"].(map[string]any)
		if _, is := metadata["kupenstack_plug"]; is {
			t.Errorf("something is noted still: %v", metadata)
		}
	}
	more := with(t, server, values{"networks": list(first, second, first), "ports": list(port.ID)})
	before := b.fleet.Counts()
	st := b.converge(t, &more)
	has(first, first, second, third)
	if n := b.fleet.Counts().Since(before).Of("POST", "/v2.1/servers/{id}/os-interface"); st.ID != server.ID || n != 3 {
		t.Errorf("%d interfaces were asked for, and it is %s, which was %s", n, st.ID, server.ID)
	}
	less := recorded(with(t, more, values{"ports": cty.ListValEmpty(cty.String)}), map[string][]string{"ports": {port.ID}})
	b.converge(t, &less)
	has(first, first, second)
	b.converge(t, &port)
}
