package openstack_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/export"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestExportOfImages leaves out and counts what cannot be adopted. What runs from such an image finds it all the same, also
// where somebody has deactivated it; an image of ours that is deactivated is a failure.
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
		{"deactivated", image("deactivated", nil), 1, "somebody has deactivated the image"},
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
			look, ours := target(t, "image", "found", values{}), target(t, "image", "debian", values{"disk_format": text("raw")})
			look.Spec.(*unit.Resource).Lookup, look.Spec.(*unit.Resource).Desired = true, cty.ObjectVal(values{"id": text(idOf("10"))})
			ours.Import = idOf("10")
			states, err := d.Observe(t.Context(), []unit.Target{look, ours})
			if err != nil {
				t.Fatal(err)
			}
			found, adopted := states[look.Address], states[ours.Address]
			if !strings.HasPrefix(found.Notice, test.notice) || test.notice == "" && found.Notice != "" || adopted.Notice != "" {
				t.Errorf("the notices are %q and %q", found.Notice, adopted.Notice)
			}
			if test.notice != "" && (!found.Ready() || adopted.Health != unit.HealthFailed || !strings.HasPrefix(adopted.Message, test.notice)) {
				t.Errorf("looked up it is %+v, and adopted %+v", found, adopted)
			}
		})
	}
}
