package openstack

import (
	"maps"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestCopiedMarks: where the id of what is ours is not on record, as while an image is replaced, nothing is taken for it that has
// only got its mark: what a tenant has made from an instance, to which Nova gives all properties of the image that it runs from, and
// what a tenant has marked themselves.
func TestCopiedMarks(t *testing.T) {
	d := testDriver(t)
	image := wantValue("image", map[string]cty.Value{"name": cty.StringVal("debian"), "disk_format": cty.StringVal("raw")})
	network := wantValue("network", map[string]cty.Value{"name": cty.StringVal("web")})
	placed := wantValue("network", map[string]cty.Value{"name": cty.StringVal("web"), "project": cty.StringVal("shop")})
	for name, c := range map[string]struct {
		kind string
		want cty.Value
		raw  map[string]any
		ours bool
	}{
		"what an attempt has left":        {"image", image, map[string]any{"name": "debian", "owner": "ours"}, true},
		"a snapshot of an instance":       {"image", image, map[string]any{"name": "backup of web", "owner": "tenant", "base_image_ref": "i1"}, false},
		"one that is called the same":     {"image", image, map[string]any{"name": "debian", "owner": "ours", "instance_uuid": "s1"}, false},
		"one of an instance with volumes": {"image", image, map[string]any{"name": "debian", "owner": "ours", "block_device_mapping": "[]"}, false},
		"an image of a volume":            {"image", image, map[string]any{"name": "disk of web", "owner": "ours"}, false},
		"a tenant's copy":                 {"image", image, map[string]any{"name": "debian", "owner": "tenant"}, false},
		"a network":                       {"network", network, map[string]any{"name": "old name", "project_id": "ours"}, true},
		"a tenant's network":              {"network", network, map[string]any{"name": "web", "project_id": "tenant"}, false},
		"a network elsewhere":             {"network", placed, map[string]any{"name": "web", "project_id": "shop"}, true},
		"a network of others there":       {"network", placed, map[string]any{"name": "web", "project_id": "ours"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			raw := maps.Clone(c.raw)
			raw["id"], raw["status"], raw[markKey], raw["description"] = "o1", "active", testMark, "["+testMark+"]"
			o := d.kinds[c.kind].(interface{ read(map[string]any) *object }).read(raw)
			if o.mark != testMark {
				t.Fatalf("it bears %q", o.mark)
			}
			target := testTarget(t, c.kind, c.want)
			target.Again = true
			m, _ := find(d.kinds[c.kind], &session{project: "ours"}, target, c.want, indexed([]*object{o}))
			st := state(target, m)
			if diff := d.Compare(target, c.want, st); m.owned != c.ours || !c.ours && diff.Action != unit.ActionCreate && diff.Action != unit.ActionBlocked {
				t.Errorf("found %+v, and does %+v", m, diff)
			}
		})
	}
	unwanted := testTarget(t, "image", image)
	unwanted.Spec, unwanted.Locator = nil, unit.Locator{Driver: unit.OpenStack, Kind: "image"}
	snapshot := d.kinds["image"].(imageKind).read(map[string]any{"id": "o1", "name": "debian", "owner": "tenant", "status": "active", markKey: testMark, "base_image_ref": "i1"})
	if m, _ := find(d.kinds["image"], &session{project: "ours"}, unwanted, cty.NilVal, indexed([]*object{snapshot})); m.object != nil {
		t.Errorf("of what is wanted no longer: %+v", m)
	}
}
