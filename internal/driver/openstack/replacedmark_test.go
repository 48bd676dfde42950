package openstack

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestCopiedMarksOfTheReplaced: what was made from a thing in the project that it was in, as a backup that is restored, is not taken for
// it, and deleted, once it has gone for another one in another project.
func TestCopiedMarksOfTheReplaced(t *testing.T) {
	d := testDriver(t)
	want := wantValue("volume", map[string]cty.Value{"name": cty.StringVal("web"), "size": cty.NumberIntVal(1), "project": cty.StringVal("second")})
	for attempted, action := range map[bool]unit.Action{false: unit.ActionCreate, true: unit.ActionReplace} {
		o := d.kinds["volume"].(interface{ read(map[string]any) *object }).read(map[string]any{
			"id": "restored", "name": "web", "size": 1, "status": "available", "os-vol-tenant-attr:tenant_id": "first", "metadata": map[string]any{markKey: testMark},
		})
		target := testTarget(t, "volume", want)
		target.Locator = unit.Locator{Driver: unit.OpenStack, Kind: "volume", Project: "first"} // as on record of the one that has gone
		target.Again, target.Attempted = true, attempted
		m, _ := find(d.kinds["volume"], &session{project: "ours"}, target, want, indexed([]*object{o}))
		if diff := d.Compare(target, want, state(target, m)); diff.Action != action {
			t.Errorf("an attempt: %v; found %+v, and does %+v", attempted, m, diff)
		}
	}
}
