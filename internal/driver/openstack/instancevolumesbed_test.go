package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/volumeattach"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	listOfVolumes = "/v3/{id}/volumes/detail"
	attaching     = "/v2.1/servers/{id}/os-volume_attachments"
)

// diskBench has what instances with volumes are made of.
type diskBench struct {
	*bench
	compute       *gophercloud.ServiceClient
	image, flavor string
}

func newDiskBench(t *testing.T, change ...func(*openstack.Options)) *diskBench {
	t.Helper()
	b := &diskBench{bench: newBench(t, change...), compute: computeClient(t)}
	b.compute.Microversion = "2.79"
	url, checksum := b.disk(t, 1<<10)
	b.image = made(t, b.bench, "image", values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")})
	b.flavor = made(t, b.bench, "flavor", values{"vcpus": number(1), "ram": number(64), "disk": number(1)})
	return b
}

// instance is one that starts from the image unless something else is written.
func (b *diskBench) instance(t *testing.T, written values) unit.Target {
	t.Helper()
	all := values{"flavor": text(b.flavor), "networks": cty.ListValEmpty(cty.String)}
	if written["boot_volume"] == cty.NilVal {
		all["image"] = text(b.image)
	}
	for name, v := range written {
		all[name] = v
	}
	return target(t, "instance", unique("vm"), all)
}

func (b *diskBench) root(t *testing.T) unit.Target {
	t.Helper()
	root := target(t, "volume", unique("root"), values{"size": number(1), "image": text(b.image)})
	b.converge(t, &root)
	return root
}

// attach has somebody else attach a volume, which Nova takes along with the instance if it says so.
func (b *diskBench) attach(t *testing.T, server, volume string, goesAlong bool) {
	t.Helper()
	options := volumeattach.CreateOpts{VolumeID: volume, DeleteOnTermination: goesAlong}
	if err := volumeattach.Create(t.Context(), b.compute, server, options).Err; err != nil {
		t.Fatal(err)
	}
	b.becomes(t, volume, "in-use")
}

// becomes waits for a volume to be in a state.
func (b *diskBench) becomes(t *testing.T, volume, status string) {
	t.Helper()
	for b.status(t, volume) != status {
		pause(t.Context(), t)
	}
}

// status is how a volume does.
func (b *diskBench) status(t *testing.T, id string) string {
	t.Helper()
	volume, _ := request(t, "volumev3", http.MethodGet, "volumes/"+id, nil)["volume"].(map[string]any)
	status, _ := volume["status"].(string)
	return status
}

// attachedTo are the volumes that an instance has, by Nova.
func attachedTo(t *testing.T, server string) []string {
	t.Helper()
	answer := request(t, "compute", http.MethodGet, "servers/"+server+"/os-volume_attachments", nil)
	var ids []string
	attachments, _ := answer["volumeAttachments"].([]any)
	for _, a := range attachments {
		one, _ := a.(map[string]any)
		id, _ := one["volumeId"].(string)
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// TestBedVolumesOfAnInstance leads an instance through its life that starts from a volume, and gets and loses others.
func TestBedVolumesOfAnInstance(t *testing.T) {
	t.Parallel()
	b := newDiskBench(t)
	root, next := b.root(t), b.root(t)
	one, two, three := made(t, b.bench, "volume", values{"size": number(1)}), made(t, b.bench, "volume", values{"size": number(1)}), made(t, b.bench, "volume", values{"size": number(1)})
	server := b.instance(t, values{"boot_volume": text(root.ID), "volumes": set(one)})
	lists := []string{"/v2.1/servers/detail", "/v2.0/ports", listOfVolumes}
	has := func(what string, want ...string) {
		t.Helper()
		b.settled(t, server, lists...)
		slices.Sort(want)
		if got := attachedTo(t, server.ID); !slices.Equal(got, want) {
			t.Errorf("%s: it has %q, want %q", what, got, want)
		}
	}
	b.converge(t, &server)
	if n := b.fleet.Counts().Of("POST", "/v2.1/servers"); n != 1 {
		t.Errorf("%d creating requests, want 1", n)
	}
	has("as it starts", root.ID, one)
	b.settled(t, root, listOfVolumes)
	lost := server
	lost.ID = ""
	if st, diff := b.compare(t, lost); st.ID != server.ID || diff.Action != unit.ActionNone {
		t.Errorf("nothing is on record: %+v, %+v", diff, st)
	}
	if _, diff := b.compare(t, with(t, server, values{"boot_volume": cty.NullVal(cty.String), "image": text(b.image)})); diff.Action != unit.ActionNone {
		t.Errorf("an image is written of one that runs from a volume: %+v", diff)
	}

	server.Set = map[string][]string{"volumes": {one}}
	server = with(t, server, values{"volumes": set(two)})
	_, diff := b.compare(t, server)
	expectDiff(t, "another volume", diff, unit.ActionUpdate, []string{"volumes"})
	before := b.fleet.Counts()
	b.converge(t, &server)
	counts := b.fleet.Counts().Since(before)
	if n, m := counts.Of("POST", attaching), counts.Of("DELETE", attaching+"/{id}"); n != 1 || m != 1 {
		t.Errorf("attached %d and detached %d times", n, m)
	}
	has("another one", root.ID, two)
	server.Set = map[string][]string{"volumes": {two}}

	b.attach(t, server.ID, three, true)
	has("and what others have attached", root.ID, two, three)
	request(t, "compute", http.MethodDelete, "servers/"+server.ID+"/os-volume_attachments/"+two, nil)
	b.becomes(t, two, "available")
	for _, diff = b.compare(t, server); diff.Action == unit.ActionNone; _, diff = b.compare(t, server) { // Nova goes on to name it for a moment
		pause(t.Context(), t)
	}
	expectDiff(t, "what others have detached", diff, unit.ActionUpdate, []string{"volumes"})
	b.converge(t, &server)
	has("what others have detached", root.ID, two, three)
	b.shelve(t, server)

	server = with(t, server, values{"boot_volume": text(next.ID)})
	_, diff = b.compare(t, server)
	expectDiff(t, "another volume to start from", diff, unit.ActionReplace, []string{"boot_volume"})
	if diff.Cost == "" || diff.Waits {
		t.Errorf("another volume to start from: %+v", diff)
	}
	if err := b.destroy(t.Context(), t, server); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{root.ID, two, three} { // the last one was to go along
		if status := b.status(t, id); status != "available" {
			t.Errorf("the volume %s is %s after the instance has gone", id, status)
		}
	}
	server.ID, server.Fresh = "", true
	b.converge(t, &server)
	has("in its place", next.ID, two)
	lost = server
	lost.ID = ""
	if st, diff := b.compare(t, lost); st.ID != server.ID || diff.Action != unit.ActionNone {
		t.Errorf("nothing is on record: %+v, %+v", diff, st)
	}

	if _, err := b.Delete(t.Context(), next, unit.State{Existence: unit.Present}); !unit.IsBlocked(err) {
		t.Errorf("deleting the volume that it runs from says %v", err)
	}
	if err := b.destroy(t.Context(), t, server); err != nil {
		t.Fatal(err)
	}
	if st, diff := b.compare(t, next); diff.Action != unit.ActionNone || st.ID != next.ID {
		t.Errorf("the volume without its instance: %+v", diff)
	}
}

// shelve has somebody put an instance away and fetch it again, which changes nothing of its volumes.
func (b *diskBench) shelve(t *testing.T, server unit.Target) {
	t.Helper()
	if err := servers.Shelve(t.Context(), b.compute, server.ID).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	b.turns(t, server.ID, "SHELVED_OFFLOADED")
	if st, diff := b.compare(t, server); diff.Action != unit.ActionNone || !st.Ready() {
		t.Errorf("it is put away: %+v, %+v", diff, st)
	}
	if err := servers.Unshelve(t.Context(), b.compute, server.ID, servers.UnshelveOpts{}).ExtractErr(); err != nil {
		t.Fatal(err)
	}
	b.turns(t, server.ID, "ACTIVE")
	b.converge(t, &server)
}

// turns waits for an instance to be in a state without a task.
func (b *diskBench) turns(t *testing.T, id, status string) {
	t.Helper()
	for {
		server, err := servers.Get(t.Context(), b.compute, id).Extract()
		if err != nil {
			t.Fatal(err)
		}
		if server.Status == status && server.TaskState == "" {
			return
		}
		pause(t.Context(), t)
	}
}

// TestBedVolumesInUse has instances wait for volumes that others have, which holds back nothing else.
func TestBedVolumesInUse(t *testing.T) {
	b := newDiskBench(t)
	one, two := made(t, b.bench, "volume", values{"size": number(1)}), made(t, b.bench, "volume", values{"size": number(1)})
	first := b.instance(t, values{"volumes": set(one)})
	b.converge(t, &first)

	later := b.instance(t, values{"volumes": set(one, two)})
	before := b.fleet.Counts()
	_, err := b.Apply(t.Context(), later, wantedOf(later), unit.State{Existence: unit.Absent})
	if err == nil || unit.IsBlocked(err) || !strings.Contains(err.Error(), one+" is to be attached, and Cinder says that it is in-use by "+first.ID) {
		t.Errorf("it is to start with a volume that another one has: %v", err)
	}
	if n := b.fleet.Counts().Since(before).Of("POST", "/v2.1/servers"); n != 0 || b.status(t, two) != "available" {
		t.Errorf("%d creating requests; the other volume is %s", n, b.status(t, two))
	}

	second := b.instance(t, values{"metadata": texted("tier", "web")})
	b.converge(t, &second)
	second = with(t, second, values{"volumes": set(one, two), "metadata": texted("tier", "db")})
	_, diff := b.compare(t, second)
	expectDiff(t, "beside a volume that another one has", diff, unit.ActionUpdate, []string{"metadata"})
	if _, err := b.Apply(t.Context(), second, wantedOf(second), b.see(t, second)); err != nil {
		t.Fatal(err)
	}
	_, diff = b.compare(t, second)
	expectDiff(t, "a volume that another one has", diff, unit.ActionUpdate, []string{"volumes"})
	if !diff.Waits || !strings.Contains(diff.Reason, "in-use by "+first.ID) {
		t.Errorf("a volume that another one has: %+v", diff)
	}
	first.Set = map[string][]string{"volumes": {one}}
	first = with(t, first, values{"volumes": cty.NullVal(cty.Set(cty.String))})
	b.converge(t, &first)
	b.converge(t, &second)
	want := []string{one, two}
	slices.Sort(want)
	if got := attachedTo(t, second.ID); !slices.Equal(got, want) {
		t.Errorf("it has %q, want %q", got, want)
	}
}

// TestBedVolumesChangePlaces has two instances take each other's volumes, and a block that attaches one wait for it.
func TestBedVolumesChangePlaces(t *testing.T) {
	t.Parallel()
	b := newDiskBench(t)
	one, two := made(t, b.bench, "volume", values{"size": number(1)}), made(t, b.bench, "volume", values{"size": number(1)})
	first, second := b.instance(t, values{"volumes": set(one)}), b.instance(t, values{"volumes": set(two)})
	b.converge(t, &first)
	b.converge(t, &second)

	first, second = with(t, first, values{"volumes": set(two)}), with(t, second, values{"volumes": set(one)})
	both := map[string][]string{"volumes": {one, two}} // as is on record meanwhile
	first.Set, second.Set = both, both
	_, diff := b.compare(t, first)
	expectDiff(t, "the volume of the other one", diff, unit.ActionUpdate, []string{"volumes"})
	if diff.Waits || !strings.Contains(diff.Reason, one+" is detached first") || !strings.Contains(diff.Reason, "in-use by "+second.ID) {
		t.Errorf("the volume of the other one: %+v", diff)
	}
	before := b.fleet.Counts()
	for open := true; open; pause(t.Context(), t) {
		open = false
		for _, tg := range []unit.Target{first, second} {
			st, diff := b.compare(t, tg)
			if _, err := b.Apply(t.Context(), tg, wantedOf(tg), st); err != nil {
				t.Fatal(err)
			}
			open = open || diff.Action != unit.ActionNone || !st.Ready()
		}
	}
	counts := b.fleet.Counts().Since(before)
	if n, m := counts.Of("POST", attaching), counts.Of("DELETE", attaching+"/{id}"); n != 2 || m != 2 {
		t.Errorf("attached %d and detached %d times, want 2 each", n, m)
	}
	for server, want := range map[string]string{first.ID: two, second.ID: one} {
		if got := attachedTo(t, server); !slices.Equal(got, []string{want}) {
			t.Errorf("%s has %q, want %s", server, got, want)
		}
	}

	attachment := target(t, "volume_attachment", unique("data"), values{"instance": text(first.ID), "volume": text(one)})
	_, err := b.Apply(t.Context(), attachment, wantedOf(attachment), unit.State{Existence: unit.Absent})
	if !unit.IsBlocked(err) || !strings.Contains(err.Error(), "in-use by "+second.ID) {
		t.Errorf("attaching a volume that another one has: %v", err)
	}
	second = with(t, second, values{"volumes": cty.NullVal(cty.Set(cty.String))})
	b.converge(t, &second)
	b.converge(t, &attachment)
	want := []string{one, two}
	slices.Sort(want)
	if got := attachedTo(t, first.ID); !slices.Equal(got, want) {
		t.Errorf("it has %q, want %q", got, want)
	}
}

// TestBedVolumesThatGoAlong imports an instance that somebody started onto a new volume: that one goes with it, as Nova's
// users expect, and what the configuration has stays.
func TestBedVolumesThatGoAlong(t *testing.T) {
	b := newDiskBench(t)
	data := made(t, b.bench, "volume", values{"size": number(1)})
	for what, kept := range map[string]bool{"nobody writes its volume": false, "its block writes it": true} {
		name := unique("theirs")
		theirs, err := servers.Create(t.Context(), b.compute, servers.CreateOpts{Name: name, FlavorRef: b.flavor, Networks: "none", BlockDevice: []servers.BlockDevice{{
			UUID: b.image, SourceType: servers.SourceImage, DestinationType: servers.DestinationVolume, VolumeSize: 1, DeleteOnTermination: true,
		}}}, nil).Extract()
		if err != nil {
			t.Fatal(err)
		}
		id := theirs.ID
		b.turns(t, id, "ACTIVE")
		root := attachedTo(t, id)[0]
		b.attach(t, id, data, true)
		written := values{"name": text(name)}
		if kept {
			written["boot_volume"] = text(root)
		}
		server := b.instance(t, written)
		server.Import = id
		st, diff := b.compare(t, server)
		if diff.Action != unit.ActionAdopt || len(diff.Fields) > 0 {
			t.Fatalf("%s: %+v", what, diff)
		}
		if _, err := b.Apply(t.Context(), server, wantedOf(server), st); err != nil {
			t.Fatal(err)
		}
		server.ID, server.Imported, server.Fresh, server.Import = id, true, false, ""
		b.converge(t, &server)
		server.Spec = nil // its block is taken out
		if err := b.destroy(t.Context(), t, server); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		b.becomes(t, data, "available")
		if kept {
			b.becomes(t, root, "available")
			request(t, "volumev3", http.MethodDelete, "volumes/"+root, nil)
		}
		for err == nil { // until it has gone
			_, err = ask(t.Context(), t, "volumev3", http.MethodGet, "volumes/"+root, nil)
		}
		if !gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			t.Errorf("%s: the volume that it ran from: %v", what, err)
		}
	}
}
