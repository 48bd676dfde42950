package openstack_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestForcedConfigDrive: an instance that was made without a config drive, as is written, and got one because Nova forces that,
// is as it should be. Where it was made with one, and that is not wanted any more, it takes another instance.
func TestForcedConfigDrive(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, has, noted string
		want             cty.Value
		action           unit.Action
	}{
		{"made with one", "True", "", cty.False, unit.ActionReplace},
		{"forced", "True", "no", cty.False, unit.ActionNone},
		{"not forced", "", "no", cty.False, unit.ActionNone},
		{"made without one", "", "no", cty.True, unit.ActionReplace},
		{"nothing is written", "True", "", cty.NullVal(cty.Bool), unit.ActionNone},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tg := target(t, "instance", "web", values{"flavor": text("1"), "config_drive": test.want})
			tg.ID = "v1"
			metadata := map[string]any{"kupenstack_mark": tg.Mark}
			if test.noted != "" {
				metadata["kupenstack_config_drive"] = test.noted
			}
			d := answering(t, map[string]func(*http.Request) any{
				"/v2.0/ports": listed("ports"),
				"/v2.1/servers/detail": listed("servers", map[string]any{
					"id": "v1", "name": "web", "tenant_id": "p1", "status": "ACTIVE", "flavor": map[string]any{"id": "1"}, "metadata": metadata, "tags": []any{}, "config_drive": test.has,
				}),
			})
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != test.action {
				t.Errorf("%+v", diff)
			}
		})
	}
}

// TestConfigDriveIsNoted: that an instance was asked for without a config drive is in its metadata.
func TestConfigDriveIsNoted(t *testing.T) {
	t.Parallel()
	var sent struct {
		Server struct {
			Metadata map[string]string `json:"metadata"`
			Drive    *bool             `json:"config_drive"`
		} `json:"server"`
	}
	d := answering(t, map[string]func(*http.Request) any{
		"/v2.0/ports": listed("ports"), "/v2.1/servers/detail": listed("servers"),
		"POST /v2.1/servers": func(r *http.Request) any {
			if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
				t.Error(err)
			}
			return map[string]any{"server": map[string]any{"id": "v1"}}
		},
	})
	tg := target(t, "instance", "web", values{"flavor": text("1"), "image": text("2"), "config_drive": cty.False})
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Apply(t.Context(), tg, wantedOf(tg), states[tg.Address]); err != nil {
		t.Fatal(err)
	}
	if sent.Server.Drive == nil || *sent.Server.Drive || sent.Server.Metadata["kupenstack_config_drive"] != "no" || sent.Server.Metadata["kupenstack_mark"] != tg.Mark {
		t.Errorf("%+v", sent)
	}
}
