package openstack_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// send is [request] for what has an empty answer.
func send(t testing.TB, service, method, path string, body any) {
	t.Helper()
	if _, err := ask(t.Context(), t, service, method, path, body); err != nil && !errors.Is(err, io.EOF) {
		t.Fatalf("%s %s: %v", method, path, err)
	}
}

func number(n int64) cty.Value { return cty.NumberIntVal(n) }

func texted(of ...string) cty.Value {
	all := map[string]cty.Value{}
	for i := 0; i < len(of); i += 2 {
		all[of[i]] = text(of[i+1])
	}
	return cty.MapVal(all)
}

// TestBedQoSOfAVolumeType gives a volume type a QoS, another one, and none; a QoS that a type has stays.
func TestBedQoSOfAVolumeType(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	gold := target(t, "volume_qos", unique("gold"), values{"specs": texted("a", "1", "b", "2")})
	b.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "POST", Path: "/v3/{id}/qos-specs"}, Action: faultproxy.ResetAfter(), Limit: 1})
	seen := b.see(t, gold)
	if _, err := b.Apply(t.Context(), gold, wantedOf(gold), seen); err == nil {
		t.Error("the answer was lost, but there is no error")
	}
	gold.Fresh, gold.Before = false, seen.Before
	b.converge(t, &gold)
	if n := b.fleet.Counts().Of("POST", "/v3/{id}/qos-specs"); n != 1 {
		t.Errorf("%d creating requests, want 1", n)
	}
	request(t, "volumev3", http.MethodPut, "qos-specs/"+gold.ID, map[string]any{"qos_specs": map[string]any{"theirs": "3"}})
	gold.Set = map[string][]string{"specs": {"a", "b"}}
	gold = with(t, gold, values{"specs": texted("a", "1")})
	if st := b.converge(t, &gold); !st.Outputs.GetAttr("specs").RawEquals(texted("a", "1", "theirs", "3")) {
		t.Errorf("the specs are %#v", st.Outputs.GetAttr("specs"))
	}

	silver := target(t, "volume_qos", unique("silver"), values{})
	b.converge(t, &silver)
	kind := target(t, "volume_type", unique("type"), values{"qos": text(gold.ID)})
	b.converge(t, &kind)
	b.settled(t, kind, "/v3/{id}/types")
	if _, err := b.Delete(t.Context(), gold, b.see(t, gold)); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "qos = \"\"") {
		t.Errorf("deleting a QoS that a type has says %v", err)
	}
	send(t, "volumev3", http.MethodGet, "qos-specs/"+gold.ID+"/disassociate?vol_type_id="+kind.ID, nil)
	_, diff := b.compare(t, kind)
	expectDiff(t, "somebody took the QoS away", diff, unit.ActionUpdate, []string{"qos"})
	b.converge(t, &kind)
	for _, qos := range []string{silver.ID, gold.ID, ""} {
		kind = with(t, kind, values{"qos": text(qos)})
		_, diff := b.compare(t, kind)
		expectDiff(t, "another QoS", diff, unit.ActionUpdate, []string{"qos"})
		b.converge(t, &kind)
		b.settled(t, kind, "/v3/{id}/types")
	}
	missing := with(t, kind, values{"qos": text("00000000-0000-4000-8000-000000000000")})
	if _, err := b.Apply(t.Context(), missing, wantedOf(missing), b.see(t, missing)); err == nil || !strings.Contains(err.Error(), "no volume QoS") {
		t.Errorf("a QoS that is not there: %v", err)
	}
	if err := b.destroy(t.Context(), t, gold); err != nil {
		t.Error(err)
	}
}

// TestBedWhatAVolumeHolds keeps a volume that has snapshots, and a project that has volumes.
func TestBedWhatAVolumeHolds(t *testing.T) {
	b := newBench(t)
	project := target(t, "project", unique("project"), values{})
	b.converge(t, &project)
	volume := target(t, "volume", unique("volume"), values{"size": number(1), "project": text(project.ID)})
	b.fleet.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "POST", Path: "/v3/{id}/volumes"}, Action: faultproxy.ResetAfter(), Limit: 1})
	if _, err := b.Apply(t.Context(), volume, wantedOf(volume), unit.State{Existence: unit.Absent}); err == nil {
		t.Error("the answer was lost, but there is no error")
	}
	volume.Fresh = false
	if st := b.converge(t, &volume); st.Project != project.ID {
		t.Errorf("the volume is %+v", st)
	}
	if n := b.fleet.Counts().Of("POST", "/v3/{id}/volumes"); n != 1 {
		t.Errorf("%d creating requests, want 1", n)
	}
	snapshot := target(t, "snapshot", unique("snapshot"), values{"volume": text(volume.ID), "project": text(project.ID)})
	b.converge(t, &snapshot)
	copied := target(t, "volume", unique("copy"), values{"size": number(1), "project": text(project.ID), "snapshot": text(snapshot.ID)})
	b.converge(t, &copied)
	b.settled(t, copied, "/v3/{id}/volumes/detail")
	for _, each := range []unit.Target{volume, project} {
		if _, err := b.Delete(t.Context(), each, unit.State{Existence: unit.Present}); err == nil || !strings.Contains(err.Error(), "still has") {
			t.Errorf("deleting %s says %v", each.Address, err)
		}
	}
}

func TestBedAttachment(t *testing.T) {
	b := newBench(t)
	flavor := smallFlavor(t)
	b.converge(t, &flavor)
	url, checksum := b.disk(t, 1<<10)
	image := target(t, "image", unique("image"), values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")})
	b.converge(t, &image)
	server := target(t, "instance", unique("vm"), values{"image": text(image.ID), "flavor": text(flavor.ID), "networks": cty.ListValEmpty(cty.String)})
	b.converge(t, &server)
	volume := target(t, "volume", unique("volume"), values{"size": number(1)})
	b.converge(t, &volume)
	boot := target(t, "volume", unique("boot"), values{"size": number(1), "image": text(image.ID)})
	if st := b.converge(t, &boot); !st.Outputs.GetAttr("bootable").True() {
		t.Errorf("a copy of an image is %#v", st.Outputs)
	}
	b.settled(t, boot, "/v3/{id}/volumes/detail")
	attachment := target(t, "volume_attachment", "data", values{"instance": text(server.ID), "volume": text(volume.ID)})
	b.fleet.Add(faultproxy.Rule{
		Match: faultproxy.Match{Verb: "POST", Path: "/v2.1/servers/{id}/os-volume_attachments"}, Action: faultproxy.ResetAfter(), Limit: 1,
	})
	if _, err := b.Apply(t.Context(), attachment, wantedOf(attachment), unit.State{Existence: unit.Absent}); err == nil {
		t.Error("the answer was lost, but there is no error")
	}
	attachment.Fresh = false
	st := b.converge(t, &attachment)
	if st.ID != server.ID+"/"+volume.ID || st.Outputs.GetAttr("device").AsString() == "" {
		t.Errorf("the attachment is %+v", st)
	}
	if n := b.fleet.Counts().Of("POST", "/v2.1/servers/{id}/os-volume_attachments"); n != 1 {
		t.Errorf("%d creating requests, want 1", n)
	}
	b.settled(t, attachment, "/v3/{id}/volumes/detail")
	b.settled(t, volume, "/v3/{id}/volumes/detail")
	stranger := attachment
	stranger.ID, stranger.Fresh = "", true
	if st, diff := b.compare(t, stranger); diff.Action != unit.ActionAdopt || st.ID != attachment.ID {
		t.Errorf("nothing is on record: the diff is %+v", diff)
	}
	if _, err := b.Delete(t.Context(), volume, unit.State{Existence: unit.Present}); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "detach it first") {
		t.Errorf("deleting an attached volume says %v", err)
	}
	if _, diff := b.compare(t, with(t, attachment, values{"volume": text("other")})); diff.Action != unit.ActionReplace || diff.Cost == "" {
		t.Errorf("another volume: %+v", diff)
	}
	for _, each := range []unit.Target{attachment, volume, server} {
		if err := b.destroy(t.Context(), t, each); err != nil {
			t.Fatalf("delete %s: %v", each.Address, err)
		}
		if st := b.see(t, each); !st.Gone() {
			t.Errorf("%s is not gone: %+v", each.Address, st)
		}
	}
}
