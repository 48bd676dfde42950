package openstack_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestVolumesOnTheirWay tells what comes and goes, and takes nothing for missing that cannot be seen.
func TestVolumesOnTheirWay(t *testing.T) {
	volume := func(id, status, server, device string) map[string]any {
		v := map[string]any{"id": id, "status": status, "os-vol-tenant-attr:tenant_id": "p1", "attachments": []any{}}
		if server != "" {
			v["attachments"] = []any{map[string]any{"server_id": server, "device": device}}
		}
		return v
	}
	root := volume("r", "in-use", "v1", "/dev/vda")
	for _, test := range []struct {
		name     string
		status   string // ACTIVE unless told
		attached []string
		volumes  []map[string]any // nil where they cannot be had
		written  values
		set      []string
		ignore   []string
		action   unit.Action
		fields   []string
		waits    bool
		reason   string
		health   unit.Health
	}{
		{name: "all there", attached: []string{"r", "a"}, volumes: []map[string]any{root, volume("a", "in-use", "v1", "/dev/vdb")}, written: values{"boot_volume": text("r"), "volumes": set("a")}, action: unit.ActionNone},
		{name: "another one to start from", attached: []string{"r", "a"}, volumes: []map[string]any{root, volume("a", "in-use", "v1", "/dev/vdb")}, written: values{"boot_volume": text("a")}, action: unit.ActionReplace, fields: []string{"boot_volume"}},
		{name: "one to start from that another one has", attached: []string{"r"}, volumes: []map[string]any{root, volume("a", "in-use", "v2", "/dev/vda")}, written: values{"boot_volume": text("a")}, action: unit.ActionReplace, fields: []string{"boot_volume"}, waits: true, reason: "in-use by v2"},
		{name: "which one it starts from is not told", attached: []string{"r"}, volumes: []map[string]any{volume("r", "in-use", "v1", "")}, written: values{"boot_volume": text("x")}, action: unit.ActionNone},
		{name: "an image is written", attached: []string{"r"}, volumes: []map[string]any{root}, written: values{"image": text("i"), "volumes": cty.SetValEmpty(cty.String)}, action: unit.ActionNone},
		{name: "one is missing", attached: []string{"r"}, volumes: []map[string]any{root, volume("a", "available", "", "")}, written: values{"volumes": set("a")}, action: unit.ActionUpdate, fields: []string{"volumes"}},
		{name: "one comes", attached: []string{"r", "a"}, volumes: []map[string]any{root, volume("a", "attaching", "", "")}, written: values{"volumes": set("a")}, action: unit.ActionNone, health: unit.HealthProgressing},
		{name: "one of others comes", attached: []string{"r", "a", "b"}, volumes: []map[string]any{root, volume("a", "in-use", "v1", "/dev/vdb"), volume("b", "attaching", "", "")}, written: values{"volumes": set("a")}, action: unit.ActionNone},
		{name: "one goes", attached: []string{"r", "a"}, volumes: []map[string]any{root, volume("a", "detaching", "v1", "/dev/vdb")}, set: []string{"a"}, action: unit.ActionUpdate, fields: []string{"volumes"}, waits: true, reason: "detaching", health: unit.HealthProgressing},
		{name: "one has gone, which Nova does not know yet", attached: []string{"r", "a"}, volumes: []map[string]any{root, volume("a", "available", "", "")}, set: []string{"a"}, action: unit.ActionUpdate, fields: []string{"volumes"}, waits: true, reason: "to be detached"},
		{name: "one is to go while it is put away", status: "SHELVED_OFFLOADED", attached: []string{"r", "a"}, volumes: []map[string]any{volume("r", "reserved", "", ""), volume("a", "reserved", "", "")}, set: []string{"a"}, action: unit.ActionUpdate, fields: []string{"volumes"}},
		{name: "another one comes", attached: []string{"r", "a"}, volumes: []map[string]any{root, volume("a", "attaching", "", ""), volume("b", "available", "", "")}, written: values{"volumes": set("a", "b")}, action: unit.ActionUpdate, fields: []string{"volumes"}, health: unit.HealthProgressing},
		{name: "one is still elsewhere", attached: []string{"r"}, volumes: []map[string]any{root, volume("a", "in-use", "v2", "/dev/vdb")}, written: values{"volumes": set("a")}, action: unit.ActionUpdate, fields: []string{"volumes"}, waits: true, reason: "in-use by v2"},
		{name: "one is still elsewhere, and one can go", attached: []string{"r", "a"}, volumes: []map[string]any{root, volume("a", "in-use", "v1", "/dev/vdb"), volume("b", "in-use", "v2", "/dev/vdb")}, written: values{"volumes": set("b")}, set: []string{"a"}, action: unit.ActionUpdate, fields: []string{"volumes"}, reason: "the volume a is detached first; the rest waits: the volume b is to be attached, and Cinder says that it is in-use by v2"},
		{name: "one is still elsewhere, and one goes", attached: []string{"r", "a"}, volumes: []map[string]any{root, volume("a", "detaching", "v1", "/dev/vdb"), volume("b", "in-use", "v2", "/dev/vdb")}, written: values{"volumes": set("b")}, set: []string{"a"}, action: unit.ActionUpdate, fields: []string{"volumes"}, waits: true, reason: "in-use by v2", health: unit.HealthProgressing},
		{name: "one can go, and another one goes", attached: []string{"r", "a", "b"}, volumes: []map[string]any{root, volume("a", "detaching", "v1", "/dev/vdb"), volume("b", "in-use", "v1", "/dev/vdc")}, set: []string{"a", "b"}, action: unit.ActionUpdate, fields: []string{"volumes"}, reason: "the volume b is detached first", health: unit.HealthProgressing},
		{name: "nothing goes before another one can be made", attached: []string{"r", "a"}, volumes: []map[string]any{root, volume("a", "in-use", "v1", "/dev/vdb"), volume("b", "in-use", "v2", "/dev/vdb"), volume("x", "available", "", "")}, written: values{"boot_volume": text("x"), "volumes": set("b")}, set: []string{"a"}, action: unit.ActionReplace, fields: []string{"boot_volume"}, waits: true, reason: "in-use by v2"},
		{name: "beside what waits for nobody", attached: []string{"r", "a"}, volumes: []map[string]any{root, volume("a", "in-use", "v1", "/dev/vdb"), volume("b", "in-use", "v2", "/dev/vdb")}, written: values{"volumes": set("b"), "flavor": text("g")}, set: []string{"a"}, action: unit.ActionUpdate, fields: []string{"flavor", "volumes"}, reason: "detached first"},
		{name: "several may have it", attached: []string{"r"}, volumes: []map[string]any{root, shared(volume("a", "in-use", "v2", "/dev/vdb"))}, written: values{"volumes": set("a")}, action: unit.ActionUpdate, fields: []string{"volumes"}},
		{name: "that holds back nothing else", attached: []string{"r"}, volumes: []map[string]any{root, volume("a", "in-use", "v2", "/dev/vdb")}, written: values{"volumes": set("a"), "flavor": text("g")}, action: unit.ActionUpdate, fields: []string{"flavor"}},
		{name: "nor a remedy", status: "ERROR", attached: []string{"r"}, volumes: []map[string]any{root, volume("a", "in-use", "v2", "/dev/vdb")}, written: values{"volumes": set("a"), "heal": text("restart")}, action: unit.ActionUpdate, fields: []string{"heal"}, health: unit.HealthFailed},
		{name: "nor what is to be ignored", attached: []string{"r"}, volumes: []map[string]any{root, volume("a", "in-use", "v2", "/dev/vdb")}, written: values{"volumes": set("a")}, ignore: []string{"volumes"}, action: unit.ActionNone},
		{name: "it is put away", status: "SHELVED_OFFLOADED", attached: []string{"r", "a"}, volumes: []map[string]any{volume("r", "reserved", "", ""), volume("a", "reserved", "", "")}, written: values{"boot_volume": text("r"), "volumes": set("a")}, action: unit.ActionNone},
		{name: "it is put away while one comes", status: "SHELVED", attached: []string{"r", "a"}, volumes: []map[string]any{root, volume("a", "attaching", "", "")}, written: values{"volumes": set("a")}, action: unit.ActionNone},
		{name: "it failed while one came", status: "ERROR", attached: []string{"r", "a"}, volumes: []map[string]any{root, volume("a", "attaching", "", "")}, written: values{"volumes": set("a"), "heal": text("recreate")}, action: unit.ActionReplace, fields: []string{"heal"}, health: unit.HealthFailed},
		{name: "nobody wrote that one", attached: []string{"r", "a"}, volumes: []map[string]any{root, volume("a", "in-use", "v1", "/dev/vdb")}, written: values{"volumes": cty.SetValEmpty(cty.String)}, action: unit.ActionNone},
		{name: "they cannot be seen", attached: []string{"r"}, written: values{"volumes": set("a")}, action: unit.ActionUnknown, reason: "not known"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.written == nil {
				test.written = values{}
			}
			if test.health == "" {
				test.health = unit.HealthReady
			}
			tg := target(t, "instance", "web", test.written)
			tg.ID, tg.Complete, tg.Fresh, tg.Set = "v1", true, false, map[string][]string{"volumes": test.set}
			tg.Spec.(*unit.Resource).Ignore = test.ignore
			var attached []any
			for _, id := range test.attached {
				attached = append(attached, map[string]any{"id": id, "delete_on_termination": false})
			}
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.0/ports": listed("ports"), "/v3/p1": func(*http.Request) any { return http.StatusNotFound },
				"/v2.1/servers/detail": listed("servers", map[string]any{
					"id": "v1", "name": "web", "tenant_id": "p1", "status": cmp.Or(test.status, "ACTIVE"), "image": "", "flavor": map[string]any{"id": "f"},
					"metadata": map[string]any{"kupenstack_mark": tg.Mark}, "tags": []any{}, "os-extended-volumes:volumes_attached": attached,
				}),
				"/v3/p1/volumes/detail": func(*http.Request) any {
					if test.volumes == nil {
						return http.StatusForbidden
					}
					return map[string]any{"volumes": test.volumes}
				},
			})
			states, _ := d.Observe(t.Context(), []unit.Target{tg}) // what could not be seen is in the diff
			st := states[tg.Address]
			diff := d.Compare(tg, wantedOf(tg), st)
			expectDiff(t, test.name, diff, test.action, test.fields)
			if diff.Waits != test.waits || !strings.Contains(diff.Reason, test.reason) {
				t.Errorf("the diff is %+v", diff)
			}
			if st.Health != test.health {
				t.Errorf("the state is %+v", st)
			}
		})
	}
}

func shared(volume map[string]any) map[string]any {
	volume["multiattach"] = true
	return volume
}

// TestVolumesOutliveTheirInstance says which volumes go along with an instance that is deleted: those alone that Nova made
// for it. Where Nova cannot be told to keep another one, or nobody knows whose it is, the instance stays.
func TestVolumesOutliveTheirInstance(t *testing.T) {
	plain := func(name string, metadata map[string]any) any {
		return map[string]any{"volume": map[string]any{"id": "a", "name": name, "status": "in-use", "metadata": metadata}}
	}
	marked := map[string]any{"kupenstack_mark": "kupenstack:zz"}
	const put, del = "PUT /v2.1/servers/v1/os-volume_attachments/a", "DELETE /v2.1/servers/v1"
	for _, test := range []struct {
		name    string
		stays   bool // by Nova
		volume  any
		written values
		removed bool // the block
		set     []string
		answer  int // to the request that keeps it
		want    []string
		says    string
		blocked bool
	}{
		{name: "it stays by itself", stays: true, want: []string{del}},
		{name: "Nova made it", volume: plain("", nil), want: []string{del}},
		{name: "Nova made it empty", volume: plain("v1-blank-vol", nil), want: []string{del}},
		{name: "a block has it", volume: plain("", marked), want: []string{put, del}},
		{name: "somebody has named it", volume: plain("theirs", nil), want: []string{put, del}},
		{name: "its block starts from it", written: values{"boot_volume": text("a")}, want: []string{put, del}},
		{name: "its block attaches it", written: values{"volumes": set("a")}, want: []string{put, del}},
		{name: "its block attached it", removed: true, set: []string{"a"}, want: []string{put, del}},
		{name: "it is gone", volume: http.StatusNotFound, want: []string{put, del}},
		{name: "it was detached", volume: plain("theirs", nil), answer: http.StatusNotFound, want: []string{put, del}},
		{name: "nobody knows whose it is", volume: http.StatusInternalServerError, says: "is not known"},
		{name: "nobody may know whose it is", volume: http.StatusForbidden, says: "is not known", blocked: true},
		{name: "Nova is too old", volume: plain("theirs", nil), answer: http.StatusNotAcceptable, want: []string{put}, says: "Nova would delete the volume a", blocked: true},
		{name: "Nova refuses", volume: plain("theirs", nil), answer: http.StatusForbidden, want: []string{put}, says: "detach it", blocked: true},
		{name: "Nova is not itself", volume: plain("theirs", nil), answer: http.StatusConflict, want: []string{put}, says: "could not be told"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.written == nil {
				test.written = values{}
			}
			tg := target(t, "instance", "web", test.written)
			tg.ID, tg.Fresh, tg.Set = "v1", false, map[string][]string{"volumes": test.set}
			if test.removed {
				tg.Spec = nil
			}
			var asked []string
			asking := func(what string, status int) func(*http.Request) any {
				return func(r *http.Request) any {
					if what == put && r.Header.Get("X-OpenStack-Nova-API-Version") != "2.85" {
						t.Errorf("asked for as of %s", r.Header.Get("X-OpenStack-Nova-API-Version"))
					}
					asked = append(asked, what)
					return status
				}
			}
			d := answering(t, map[string]func(*http.Request) any{
				"/v3/p1": func(*http.Request) any { return http.StatusNotFound },
				"/v2.1/servers/v1": func(*http.Request) any {
					return map[string]any{"server": map[string]any{
						"id": "v1", "name": "web", "tenant_id": "p1", "status": "ACTIVE", "image": "", "metadata": map[string]any{"kupenstack_mark": tg.Mark},
						"os-extended-volumes:volumes_attached": []any{map[string]any{"id": "a", "delete_on_termination": !test.stays}},
					}}
				},
				"/v3/p1/volumes/a": func(*http.Request) any { return test.volume },
				put:                asking(put, cmp.Or(test.answer, http.StatusAccepted)), del: asking(del, http.StatusNoContent),
			})
			_, err := d.Delete(t.Context(), tg, unit.State{Existence: unit.Present})
			if (err != nil) != (test.says != "") || err != nil && !strings.Contains(err.Error(), test.says) || unit.IsBlocked(err) != test.blocked {
				t.Errorf("deleting it says %v", err)
			}
			if !slices.Equal(asked, test.want) {
				t.Errorf("asked for %q, want %q", asked, test.want)
			}
		})
	}
}

// TestVolumesOfANewInstance says what Nova is told of the volumes of a new instance.
func TestVolumesOfANewInstance(t *testing.T) {
	disk := func(index int, id, source, destination string, goesAlong bool) any {
		return map[string]any{"boot_index": float64(index), "uuid": id, "source_type": source, "destination_type": destination, "delete_on_termination": goesAlong}
	}
	for _, test := range []struct {
		name    string
		written values
		busy    map[string]any
		disks   []any
		version string
		says    string
	}{
		{name: "none", written: values{"image": text("i"), "volumes": cty.SetValEmpty(cty.String)}, version: "2.52"},
		{name: "to start from", written: values{"boot_volume": text("r")}, disks: []any{disk(0, "r", "volume", "volume", false)}, version: "2.60"},
		{name: "beside an image", written: values{"image": text("i"), "volumes": set("a")}, disks: []any{disk(0, "i", "image", "local", true), disk(-1, "a", "volume", "volume", false)}, version: "2.60"},
		{name: "several may have it", written: values{"boot_volume": text("r"), "volumes": set("a")}, busy: map[string]any{"status": "in-use", "multiattach": true}, disks: []any{disk(0, "r", "volume", "volume", false), disk(-1, "a", "volume", "volume", false)}, version: "2.60"},
		{name: "one is taken", written: values{"boot_volume": text("r"), "volumes": set("a")}, busy: map[string]any{"status": "in-use", "attachments": []any{map[string]any{"server_id": "v2"}}}, says: "the volume a is to be attached, and Cinder says that it is in-use by v2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked, version := map[string]any(nil), ""
			volume := func(id string) func(*http.Request) any {
				return func(*http.Request) any {
					one := map[string]any{"id": id, "status": "available"}
					if id == "a" {
						maps.Copy(one, test.busy)
					}
					return map[string]any{"volume": one}
				}
			}
			d := answering(t, map[string]func(*http.Request) any{
				"/v3/p1": func(*http.Request) any { return http.StatusNotFound }, "/v3/p1/volumes/r": volume("r"), "/v3/p1/volumes/a": volume("a"),
				"POST /v2.1/servers": func(r *http.Request) any {
					version = r.Header.Get("X-OpenStack-Nova-API-Version")
					var body struct{ Server map[string]any }
					if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
						t.Error(err)
					}
					asked = body.Server
					return map[string]any{"server": map[string]any{"id": "v1"}}
				},
			})
			tg := target(t, "instance", "web", test.written)
			_, err := d.Apply(t.Context(), tg, wantedOf(tg), unit.State{Existence: unit.Absent})
			if (err != nil) != (test.says != "") || err != nil && (!strings.Contains(err.Error(), test.says) || unit.IsBlocked(err) || asked != nil) {
				t.Fatalf("%v; asked for %v", err, asked)
			}
			if disks, _ := asked["block_device_mapping_v2"].([]any); version != test.version || !reflect.DeepEqual(disks, test.disks) {
				t.Errorf("as of %s: asked for %v, want %v", version, disks, test.disks)
			}
		})
	}
}

// TestVolumesComeAlone has what else Nova does with an instance follow once volumes have come and gone, and an instance that
// is imported keep what its block writes from the first moment on.
func TestVolumesComeAlone(t *testing.T) {
	const (
		attach, attachments = "POST /v2.1/servers/v1/os-volume_attachments", "/v2.1/servers/v1/os-volume_attachments/"
		metadata            = "POST /v2.1/servers/v1/metadata"
	)
	for _, test := range []struct {
		name    string
		written values
		set     []string
		imports bool
		want    []string
	}{
		{name: "beside another size", written: values{"image": text("i"), "volumes": set("a"), "flavor": text("g"), "running": cty.False}, set: []string{"b"}, want: []string{attach + " 2.60", "DELETE " + attachments + "b 2.60"}},
		{name: "of an import", written: values{"image": text("i"), "volumes": set("b")}, imports: true, want: []string{"PUT " + attachments + "b 2.85", metadata + " "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tg := target(t, "instance", "web", test.written)
			tg.ID, tg.Complete, tg.Fresh, tg.Set = "v1", true, false, map[string][]string{"volumes": test.set}
			server := map[string]any{
				"id": "v1", "name": "web", "tenant_id": "p1", "status": "ACTIVE", "image": map[string]any{"id": "i"}, "flavor": map[string]any{"id": "f"},
				"metadata": map[string]any{"kupenstack_mark": tg.Mark}, "tags": []any{}, "os-extended-volumes:volumes_attached": []any{map[string]any{"id": "b", "delete_on_termination": true}},
			}
			if test.imports {
				tg.ID, tg.Import, server["metadata"] = "", "v1", map[string]any{}
			}
			var asked []string
			answers := map[string]func(*http.Request) any{
				"/v2.0/ports": listed("ports"), "/v3/p1": func(*http.Request) any { return http.StatusNotFound },
				"/v2.1/servers/detail": listed("servers", server), "/v2.1/servers/v1": func(*http.Request) any { return map[string]any{"server": server} },
				"/v3/p1/volumes/detail": listed("volumes",
					map[string]any{"id": "a", "status": "available"},
					map[string]any{"id": "b", "status": "in-use", "attachments": []any{map[string]any{"server_id": "v1", "device": "/dev/vdb"}}}),
				"/v3/p1/volumes/a": func(*http.Request) any {
					return map[string]any{"volume": map[string]any{"id": "a", "status": "available"}}
				},
			}
			for _, what := range []string{attach, metadata, "PUT " + attachments + "b", "DELETE " + attachments + "b", "POST /v2.1/servers/v1/action"} {
				answers[what] = func(r *http.Request) any {
					asked = append(asked, what+" "+r.Header.Get("X-OpenStack-Nova-API-Version"))
					return map[string]any{"volumeAttachment": map[string]any{}, "metadata": map[string]any{}}
				}
			}
			d := answering(t, answers)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address]); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(asked, test.want) {
				t.Errorf("asked for %q, want %q", asked, test.want)
			}
		})
	}
}
