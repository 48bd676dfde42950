package openstack_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestExportOfImages leaves out and counts what cannot be adopted, and has those that somebody has deactivated: they are
// whole, and a plan that adopts them says so.
func TestExportOfImages(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	image := func(status string, more object) object {
		o := object{"id": idOf("10"), "name": "debian", "owner": idOf("a1"), "status": status, "disk_format": "raw", "container_format": "bare", "visibility": "private", "min_disk": 0, "min_ram": 0, "protected": false, "tags": []any{}}
		for key, v := range more {
			o[key] = v
		}
		return o
	}
	for _, test := range []struct {
		name   string
		image  object
		unfit  int
		notice string
	}{
		{"active", image("active", nil), 0, ""},
		{"deactivated", image("deactivated", nil), 0, "somebody has deactivated the image"},
		{"queued", image("queued", nil), 1, ""},
		{"queued, without formats", image("queued", object{"disk_format": nil, "container_format": nil}), 1, ""},
		{"killed", image("killed", nil), 1, ""},
		{"saving", image("saving", nil), 1, ""},
		{"importing", image("importing", nil), 1, ""},
		{"without formats", image("active", object{"disk_format": nil}), 1, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			answers := whole()
			answers["/v2/images"] = listed("images", test.image)
			d := answering(t, answers)
			live, _, err := d.Live(t.Context(), export.Kinds(language()))
			if err != nil {
				t.Fatal(err)
			}
			result, _ := adoptsAll(t, d, live, export.Selection{Kinds: []string{"image"}})
			if result.Unfit != test.unfit || result.Objects != 1-test.unfit {
				t.Errorf("%d left out, %d exported", result.Unfit, result.Objects)
			}
			_, hcl := adoptsAll(t, d, live, export.Selection{Kinds: []string{"image", "instance"}})
			if !strings.Contains(hcl, "debian") {
				t.Errorf("an instance runs from it:\n%s", hcl)
			}
			tg := target(t, "image", "debian", values{"disk_format": text("raw")})
			tg.Import = idOf("10")
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			if st := states[tg.Address]; !strings.HasPrefix(st.Notice, test.notice) || test.notice == "" && st.Notice != "" {
				t.Errorf("the notice is %q", st.Notice)
			}
		})
	}
}
