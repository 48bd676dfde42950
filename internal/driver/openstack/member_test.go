package openstack_test

import (
	"net/http"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A user that is no administrator knows that something is gone where its project is on record, and is its own or one
// that it has a role in.
func TestMemberKnowsWhatIsGone(t *testing.T) {
	none := func(*http.Request) any { return http.StatusNotFound }
	bare := func(kind, id, project string) unit.Target {
		tg := target(t, kind, "web", values{})
		tg.Spec, tg.Fresh, tg.ID, tg.Locator.Project = nil, false, id, project
		return tg
	}
	disk := target(t, "volume_attachment", "disk", values{"instance": text("i1"), "volume": text("v1")})
	disk.ID, disk.Fresh, disk.Locator.Project = "i1/v1", false, "p1"
	unplaced := disk
	unplaced.Locator.Project = ""
	for _, test := range []struct {
		name     string
		target   unit.Target
		attached func(*http.Request) any // what Nova says that the instance has
		want     unit.Existence
	}{
		{"an intent in its own project, taken out", bare("instance", "", "p1"), none, unit.Absent},
		{"an intent in another project, taken out", bare("instance", "", "p2"), none, unit.Absent},
		{"an intent of nobody knows where, taken out", bare("instance", "", ""), none, unit.Unknown},
		{"an instance of nobody knows where", bare("instance", "i1", ""), none, unit.Unknown},
		{"an attachment whose volume and instance are gone", disk, none, unit.Absent},
		{"an attachment that is taken out", bare("volume_attachment", "i1/v1", "p1"), none, unit.Absent},
		{"an attachment in another project", bare("volume_attachment", "i1/v1", "p2"), none, unit.Absent},
		{"an attachment of nobody knows where", unplaced, none, unit.Unknown},
		{"its instance tells that it has none", unplaced, listed("volumeAttachments", map[string]any{"volumeId": "v2"}), unit.Absent},
		{"its instance tells that it has it", unplaced, listed("volumeAttachments", map[string]any{"volumeId": "v1"}), unit.Unknown},
		{"Nova does not answer", unplaced, func(*http.Request) any { return http.StatusBadRequest }, unit.Unknown},
		{"an intent of an attachment, taken out", bare("volume_attachment", "", ""), none, unit.Absent},
	} {
		d := answering(t, map[string]func(*http.Request) any{
			"/v3/p1": none, "/v3/p1/volumes/detail": listed("volumes"), "/v2.1/servers/detail": listed("servers"), "/v2.1/servers": listed("servers"),
			"/v2.1/servers/i1/os-volume_attachments": test.attached,
		}, "member")
		states, err := d.Observe(t.Context(), []unit.Target{test.target})
		if st := states[test.target.Address]; st.Existence != test.want || (err == nil) != (test.want == unit.Absent) {
			t.Errorf("%s: %+v, %v", test.name, st, err)
		}
		if test.target.ID == "" {
			continue
		}
		after, err := d.Delete(t.Context(), test.target, unit.State{Existence: unit.Present, ID: test.target.ID, Owned: true})
		if after.Gone() != (test.want == unit.Absent) || (err == nil) != (test.want == unit.Absent) {
			t.Errorf("%s: deleted it is %+v, %v", test.name, after, err)
		}
	}
}

// What an intent has on record is where to look for it once its block is gone.
func TestAbsentTellsWhereItWouldBe(t *testing.T) {
	inOther := func(tg unit.Target) unit.Target {
		tg.ID, tg.Fresh, tg.Locator.Project = "lost", false, "p2"
		return tg
	}
	for _, test := range []struct {
		name   string
		target unit.Target
		want   string
	}{
		{"something new", target(t, "server_group", "web", values{}), "p1"},
		{"something that was in another project", inOther(target(t, "server_group", "web", values{})), "p1"},
		{"something in no project", target(t, "keypair", "web", values{"public_key": text(publicKey)}), ""},
	} {
		for _, role := range []string{"admin", "member"} {
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.1/os-server-groups": listed("server_groups"), "/v2.1/os-keypairs": listed("keypairs"),
			}, role)
			states, err := d.Observe(t.Context(), []unit.Target{test.target})
			if st := states[test.target.Address]; err != nil || !st.Gone() || st.Project != test.want {
				t.Errorf("%s, as %s: %+v, %v", test.name, role, st, err)
			}
			if test.target.ID == "" {
				continue
			}
			if st, err := d.Delete(t.Context(), test.target, unit.State{Existence: unit.Present}); err != nil || !st.Gone() || st.Project != test.want {
				t.Errorf("%s, as %s: deleted it is %+v, %v", test.name, role, st, err)
			}
		}
	}
}

// The project of the volume goes on record, and is where the attachment is looked for when the volume is gone.
func TestAttachmentTellsItsProject(t *testing.T) {
	disk := target(t, "volume_attachment", "disk", values{"instance": text("i1"), "volume": text("v1")})
	d := answering(t, map[string]func(*http.Request) any{
		"/v3/p1": func(*http.Request) any { return http.StatusNotFound },
		"/v3/p1/volumes/detail": listed("volumes", map[string]any{
			"id": "v1", "status": "in-use", "os-vol-tenant-attr:tenant_id": "p2", "attachments": []any{map[string]any{"server_id": "i1"}},
		}),
	})
	states, err := d.Observe(t.Context(), []unit.Target{disk})
	if st := states[disk.Address]; err != nil || st.ID != "i1/v1" || st.Project != "p2" {
		t.Errorf("%+v, %v", st, err)
	}
	if v := states[disk.Address].Outputs; v == cty.NilVal || v.Type().HasAttribute("project") {
		t.Errorf("its outputs are %#v", v)
	}
}
