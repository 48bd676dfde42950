package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestBedInterfaceOfOthers: an interface that somebody attaches to an instance is theirs, with its security groups.
func TestBedInterfaceOfOthers(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
	seen, _ := b.compare(t, more)
	if _, err := b.Apply(t.Context(), more, wantedOf(more), seen); err != nil {
		t.Fatal(err)
	}
	for _, p := range objectsOf(request(t, "network", http.MethodGet, "v2.0/ports?device_id="+server.ID, nil)["ports"]) {
		if groups, _ := p["security_groups"].([]any); p["id"] != port.ID && (len(groups) != 1 || groups[0] != group) {
			t.Errorf("after one step the port %v in the network %v has the groups %v, want %s", p["id"], p["network_id"], groups, group)
		}
	}
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

// pluggedInto are the ports and networks of an instance's interfaces, as Nova has them.
func pluggedInto(t *testing.T, server string) (ports, networks []string) {
	t.Helper()
	attached, _ := request(t, "compute", http.MethodGet, "servers/"+server+"/os-interface", nil)["interfaceAttachments"].([]any)
	for _, one := range attached {
		one, _ := one.(map[string]any)
		port, _ := one["port_id"].(string)
		network, _ := one["net_id"].(string)
		ports, networks = append(ports, port), append(networks, network)
	}
	slices.Sort(networks)
	return ports, networks
}

// TestBedNetworksThatAreTakenOut: an instance is taken out of one of two networks, then out of one that it is in twice,
// moves to another one, and loses its last one, as it runs. Nova deletes what it has made there. What others have attached
// stays, and so does all where nobody can tell which is whose.
func TestBedNetworksThatAreTakenOut(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first, _ := segment(t, b, "10.84.0.0/24", values{})
	second, _ := segment(t, b, "10.85.0.0/24", values{})
	flavor := smallFlavor(t)
	b.converge(t, &flavor)
	group := made(t, b, "security_group", values{})
	server := target(t, "instance", unique("vm"), values{
		"image": text(made(t, b, "image", bootable(t, b))), "flavor": text(flavor.ID), "networks": list(first, first, second), "security_groups": list(group),
	})
	id := b.converge(t, &server).ID
	record := []string{first, first, second}
	to := func(what string, networks cty.Value, want ...string) {
		t.Helper()
		before, _ := pluggedInto(t, id)
		counts := b.fleet.Counts()
		less := recorded(with(t, server, values{"networks": networks}), map[string][]string{"networks": slices.Sorted(slices.Values(append(slices.Clone(record), listTexts(networks)...)))})
		if st := b.converge(t, &less); st.ID != id {
			t.Fatalf("%s: it is %s, which was %s", what, st.ID, id)
		}
		after, now := pluggedInto(t, id)
		slices.Sort(want)
		if !slices.Equal(now, want) {
			t.Errorf("%s: it is in %q, want %q", what, now, want)
		}
		gone := 0
		for _, port := range before {
			if slices.Contains(after, port) {
				continue
			}
			gone++
			if found, _ := request(t, "network", http.MethodGet, "v2.0/ports?id="+port, nil)["ports"].([]any); len(found) > 0 {
				t.Errorf("%s: Nova has left %v", what, found)
			}
		}
		if n := b.fleet.Counts().Since(counts).Of("DELETE", "/v2.1/servers/{id}/os-interface/{id}"); n != gone {
			t.Errorf("%s: asked %d times for %d interfaces that are gone", what, n, gone)
		}
		server, record = less, listTexts(networks)
		server = recorded(server, map[string][]string{"networks": record})
		if _, diff := b.compare(t, server); diff.Action != unit.ActionNone {
			t.Errorf("%s: then the diff is %+v", what, diff)
		}
	}
	to("one of two", list(first, first), first, first)
	to("one of two alike", list(first), first)
	theirs := foreign(t, "network", "v2.0/ports", "port", map[string]any{"network_id": first})
	plug(t, id, theirs)
	st, diff := b.compare(t, recorded(with(t, server, values{"networks": list(second)}), map[string][]string{"networks": {first, second}}))
	if diff.Action != unit.ActionBlocked && diff.Action != unit.ActionUpdate || !strings.Contains(diff.Reason, theirs) {
		t.Errorf("beside one that looks the same the diff of %s is %+v", st.ID, diff)
	}
	request(t, "network", http.MethodPut, "v2.0/ports/"+theirs, map[string]any{"port": map[string]any{"name": "probe"}})
	to("one for another", list(second), first, second)
	if ports, _ := pluggedInto(t, id); !slices.Contains(ports, theirs) {
		t.Errorf("what others have attached is gone: %v", ports)
	}
	to("the last one of its own", cty.ListValEmpty(cty.String), first)
}
