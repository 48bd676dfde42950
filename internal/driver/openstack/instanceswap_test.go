package openstack_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// disks pretends to be Nova and Cinder as far as volumes change hands. What is detached is free with the next look only.
type disks struct {
	t       *testing.T
	at      map[string]string // which server has a volume
	going   map[string]bool   // volumes that are being detached
	goes    map[string]bool   // volumes that Nova would delete with their servers
	shelved map[string]bool   // servers
	asked   []string
	wanted  map[string][]string // by server
	marks   map[string]string
}

func (d *disks) volume(id string) map[string]any {
	v := map[string]any{"id": id, "status": "available", "os-vol-tenant-attr:tenant_id": "p1", "attachments": []any{}}
	if server := d.at[id]; server != "" {
		v["status"], v["attachments"] = "in-use", []any{map[string]any{"server_id": server, "device": "/dev/vdb"}}
		if d.shelved[server] {
			v["status"] = "reserved"
		}
	}
	if d.going[id] {
		v["status"] = "detaching"
	}
	return v
}

func (d *disks) server(id string) map[string]any {
	attached := []any{}
	for _, volume := range slices.Sorted(maps.Keys(d.at)) {
		if d.at[volume] == id {
			attached = append(attached, map[string]any{"id": volume, "delete_on_termination": d.goes[volume]})
		}
	}
	status := "ACTIVE"
	if d.shelved[id] {
		status = "SHELVED_OFFLOADED"
	}
	return map[string]any{
		"id": id, "name": id, "tenant_id": "p1", "status": status, "image": map[string]any{"id": "i"}, "flavor": map[string]any{"id": "f"},
		"metadata": map[string]any{"kupenstack_mark": d.marks[id]}, "tags": []any{}, "os-extended-volumes:volumes_attached": attached,
	}
}

// driver is one that knows of nothing yet, as after the process was killed.
func (d *disks) driver() *openstack.Driver {
	answers := map[string]func(*http.Request) any{"/v2.0/ports": listed("ports"), "/v3/p1": func(*http.Request) any { return http.StatusNotFound }}
	answers["/v3/p1/volumes/detail"] = func(*http.Request) any {
		var all []map[string]any
		for _, id := range slices.Sorted(maps.Keys(d.at)) {
			all = append(all, d.volume(id))
		}
		return map[string]any{"volumes": all}
	}
	answers["/v2.1/servers/detail"] = func(*http.Request) any {
		var all []map[string]any
		for _, id := range slices.Sorted(maps.Keys(d.marks)) {
			all = append(all, d.server(id))
		}
		return map[string]any{"servers": all}
	}
	for id := range d.marks {
		answers["/v2.1/servers/"+id] = func(*http.Request) any { return map[string]any{"server": d.server(id)} }
	}
	for id := range d.at {
		answers["/v3/p1/volumes/"+id] = func(*http.Request) any { return map[string]any{"volume": d.volume(id)} }
		for server := range d.marks {
			path := "/v2.1/servers/" + server + "/os-volume_attachments"
			answers["POST "+path] = func(r *http.Request) any {
				return d.attach(server, posted(d.t, r))
			}
			answers["DELETE "+path+"/"+id] = func(*http.Request) any { return d.detach(server, id) }
			answers["PUT "+path+"/"+id] = func(*http.Request) any {
				d.asked, d.goes[id] = append(d.asked, "keep "+id), false
				return map[string]any{}
			}
		}
	}
	return answering(d.t, answers)
}

func (d *disks) attach(server, volume string) any {
	d.asked = append(d.asked, fmt.Sprintf("%s gets %s", server, volume))
	if d.volume(volume)["status"] != "available" {
		return http.StatusBadRequest
	}
	d.at[volume] = server
	return map[string]any{"volumeAttachment": map[string]any{"id": volume}}
}

func (d *disks) detach(server, volume string) any {
	d.asked = append(d.asked, fmt.Sprintf("%s loses %s", server, volume))
	if d.at[volume] != server || slices.Contains(d.wanted[server], volume) || d.going[volume] {
		d.t.Errorf("%s is taken away from %s", volume, server)
		return http.StatusBadRequest
	}
	d.going[volume] = true
	return map[string]any{}
}

// posted is the volume that a request wants to be attached.
func posted(t *testing.T, r *http.Request) string {
	t.Helper()
	var body struct {
		VolumeAttachment struct {
			VolumeID string `json:"volumeId"`
		} `json:"volumeAttachment"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		t.Error(err)
	}
	return body.VolumeAttachment.VolumeID
}

// pass is what is over until the next look.
func (d *disks) pass() {
	for id := range d.going {
		d.at[id] = ""
	}
	clear(d.going)
}

// TestVolumesChangePlaces has instances take volumes from each other. Nobody can wait for the other one to begin.
func TestVolumesChangePlaces(t *testing.T) {
	for _, test := range []struct {
		name   string
		at     map[string]string
		wanted map[string][]string
		want   map[string]string
		waits  string // the server that waits in the end
		reason string // of the first one at first
	}{
		{
			name: "a ring of two", at: map[string]string{"v1": "a", "v2": "b"}, wanted: map[string][]string{"a": {"v2"}, "b": {"v1"}},
			want: map[string]string{"v1": "b", "v2": "a"}, reason: "the volume v1 is detached first; the rest waits: the volume v2 is to be attached, and Cinder says that it is in-use by b",
		},
		{
			name: "a ring of three", at: map[string]string{"v1": "a", "v2": "b", "v3": "c"}, wanted: map[string][]string{"a": {"v2"}, "b": {"v3"}, "c": {"v1"}},
			want: map[string]string{"v1": "c", "v2": "a", "v3": "b"}, reason: "in-use by b",
		},
		{
			name: "two for one, and one stays", at: map[string]string{"v1": "a", "v2": "a", "v3": "b", "v4": "b"}, wanted: map[string][]string{"a": {"v3"}, "b": {"v1", "v2", "v4"}},
			want: map[string]string{"v1": "b", "v2": "b", "v3": "a", "v4": "b"}, reason: "the volumes v1, v2 are detached first",
		},
		{
			name: "a stranger has what one lacks", at: map[string]string{"v1": "a", "v2": "theirs"}, wanted: map[string][]string{"a": {"v2"}, "b": {"v1"}},
			want: map[string]string{"v1": "b", "v2": "theirs"}, waits: "a", reason: "in-use by theirs",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			cloud := &disks{t: t, at: test.at, going: map[string]bool{}, goes: map[string]bool{}, wanted: test.wanted, marks: map[string]string{}}
			var targets []unit.Target
			for _, id := range slices.Sorted(maps.Keys(test.wanted)) {
				tg := target(t, "instance", id, values{"image": text("i"), "volumes": set(test.wanted[id]...)})
				tg.ID, tg.Complete, tg.Fresh, tg.Set = id, true, false, map[string][]string{"volumes": slices.Clone(test.wanted[id])}
				for volume, server := range test.at {
					if server == id && !slices.Contains(tg.Set["volumes"], volume) {
						tg.Set["volumes"] = append(tg.Set["volumes"], volume)
					}
				}
				cloud.marks[id] = tg.Mark
				targets = append(targets, tg)
			}
			for look := range 6 {
				d := cloud.driver()
				states, err := d.Observe(t.Context(), targets)
				if err != nil {
					t.Fatal(err)
				}
				for i, tg := range targets {
					st := states[tg.Address]
					if diff := d.Compare(tg, wantedOf(tg), st); look == 0 && i == 0 {
						expectDiff(t, "at first", diff, unit.ActionUpdate, []string{"volumes"})
						if diff.Waits || !strings.Contains(diff.Reason, test.reason) {
							t.Errorf("at first: %+v", diff)
						}
					}
					if _, err := d.Apply(t.Context(), tg, wantedOf(tg), st); err != nil {
						t.Errorf("look %d: %v", look, err)
					}
				}
				cloud.pass()
			}
			if !maps.Equal(cloud.at, test.want) {
				t.Errorf("volumes are at %v, want %v, after %q", cloud.at, test.want, cloud.asked)
			}
			d := cloud.driver()
			states, err := d.Observe(t.Context(), targets)
			if err != nil {
				t.Fatal(err)
			}
			for _, tg := range targets {
				diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
				if waits := tg.ID == test.waits; diff.Waits != waits || waits != (diff.Action == unit.ActionUpdate) || waits && diff.Reason != "the volume v2 is to be attached, and Cinder says that it is in-use by theirs" {
					t.Errorf("%s in the end: %+v", tg.ID, diff)
				}
			}
		})
	}
}

// TestVolumeOutlivesBeingDetached has a volume stay that Nova would delete as it leaves an instance that is put away.
func TestVolumeOutlivesBeingDetached(t *testing.T) {
	for shelved, want := range map[bool][]string{true: {"keep v1", "a loses v1"}, false: {"a loses v1"}} {
		tg := target(t, "instance", "a", values{"image": text("i")})
		tg.ID, tg.Complete, tg.Fresh, tg.Set = "a", true, false, map[string][]string{"volumes": {"v1"}}
		cloud := &disks{
			t: t, at: map[string]string{"v1": "a"}, going: map[string]bool{}, goes: map[string]bool{"v1": true},
			shelved: map[string]bool{"a": shelved}, marks: map[string]string{"a": tg.Mark},
		}
		d := cloud.driver()
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address]); err != nil || !slices.Equal(cloud.asked, want) {
			t.Errorf("put away: %t: asked for %q, want %q: %v", shelved, cloud.asked, want, err)
		}
	}
}

// TestAttachmentWaitsForItsVolume has a block that attaches a volume say who has that, and send nothing as long as somebody has.
func TestAttachmentWaitsForItsVolume(t *testing.T) {
	cloud := &disks{t: t, at: map[string]string{"v1": "b"}, going: map[string]bool{}, goes: map[string]bool{}, marks: map[string]string{"a": "kupenstack:a"}}
	tg := target(t, "volume_attachment", "data", values{"instance": text("a"), "volume": text("v1")})
	d := cloud.driver()
	_, err := d.Apply(t.Context(), tg, wantedOf(tg), unit.State{Existence: unit.Absent})
	if !unit.IsBlocked(err) || !strings.Contains(err.Error(), "it is in-use by b") || cloud.asked != nil {
		t.Errorf("b has it: %v after %q", err, cloud.asked)
	}
	cloud.at["v1"] = ""
	if _, err := d.Apply(t.Context(), tg, wantedOf(tg), unit.State{Existence: unit.Absent}); err != nil || cloud.at["v1"] != "a" {
		t.Errorf("nobody has it: %v after %q", err, cloud.asked)
	}
}
