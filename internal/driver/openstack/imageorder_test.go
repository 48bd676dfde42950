package openstack

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// TestMembersAreTakenAwayWhileTheImageIsShared, as Glance refuses that afterwards.
func TestMembersAreTakenAwayWhileTheImageIsShared(t *testing.T) {
	for was, want := range map[string][]string{
		"shared":  {"DELETE /image/v2/images/i1/members/a", "PATCH /image/v2/images/i1"},
		"private": {"PATCH /image/v2/images/i1"},
	} {
		r := newRecorder(t)
		k := testDriver(t).kinds["image"].(imageKind)
		o := k.read(map[string]any{"id": "i1", "name": "web", "status": "active", "visibility": was, markKey: testMark})
		o.values.set(membersAttribute, texts([]string{"a"}, cty.Set(cty.String)))
		w := wanted{value: wantValue("image", map[string]cty.Value{"visibility": cty.StringVal("community")}), mark: testMark, drop: map[string][]string{membersAttribute: {"a"}}}
		if err := k.update(t.Context(), r.session, o, w, []string{"visibility", membersAttribute}); err != nil {
			t.Fatal(err)
		}
		var asked []string
		for _, line := range r.asked {
			request, _, _ := strings.Cut(line, " [")
			asked = append(asked, request)
		}
		if !slices.Equal(asked, want) {
			t.Errorf("of an image that was %s Glance was asked for %q, want %q", was, asked, want)
		}
	}
}
