package openstack

import (
	"maps"
	"strings"
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
	written := wantValue("image", map[string]cty.Value{"name": cty.StringVal("debian"), "properties": cty.MapVal(map[string]cty.Value{"instance_uuid": cty.StringVal("s1")})})
	for name, c := range map[string]struct {
		kind string
		want cty.Value
		raw  map[string]any
		ours bool
	}{
		"one that was called otherwise":    {"image", image, map[string]any{"name": "debian 12", "owner": "ours", keySelf: "o1"}, true},
		"a golden one that was imported":   {"image", image, map[string]any{"name": "debian", "owner": "ours", "instance_uuid": "s1", keySelf: "o1"}, true},
		"an image of a volume of the name": {"image", image, map[string]any{"name": "debian", "owner": "ours", keySelf: "o0"}, false},
		"a tenant's with an id":            {"image", image, map[string]any{"name": "debian", "owner": "tenant", keySelf: "o1"}, false},
		"what the block writes":            {"image", written, map[string]any{"name": "debian", "owner": "ours", "instance_uuid": "s1"}, true},
		"a snapshot of what it writes":     {"image", written, map[string]any{"name": "debian", "owner": "ours", "instance_uuid": "s2"}, false},
		"what an attempt has left":         {"image", image, map[string]any{"name": "debian", "owner": "ours"}, true},
		"a snapshot of an instance":        {"image", image, map[string]any{"name": "backup of web", "owner": "tenant", "base_image_ref": "i1"}, false},
		"one that is called the same":      {"image", image, map[string]any{"name": "debian", "owner": "ours", "instance_uuid": "s1"}, false},
		"one of an instance with volumes":  {"image", image, map[string]any{"name": "debian", "owner": "ours", "block_device_mapping": "[]"}, false},
		"an image of a volume":             {"image", image, map[string]any{"name": "disk of web", "owner": "ours"}, false},
		"a tenant's copy":                  {"image", image, map[string]any{"name": "debian", "owner": "tenant"}, false},
		"a network":                        {"network", network, map[string]any{"name": "old name", "project_id": "ours"}, true},
		"a tenant's network":               {"network", network, map[string]any{"name": "web", "project_id": "tenant"}, false},
		"a network elsewhere":              {"network", placed, map[string]any{"name": "web", "project_id": "shop"}, true},
		"a network of others there":        {"network", placed, map[string]any{"name": "web", "project_id": "ours"}, false},
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
}

// TestMarksElsewhere: what was imported may be in another project than that of our user, and its block does not say so. Without a
// record nothing is made beside it, nor is it taken, as anybody may have copied the mark.
func TestMarksElsewhere(t *testing.T) {
	d := testDriver(t)
	for name, c := range map[string]struct {
		kind   string
		want   map[string]cty.Value
		raw    map[string]any
		known  bool
		action unit.Action
	}{
		"a network":                     {"network", nil, map[string]any{"project_id": "p2"}, false, unit.ActionBlocked},
		"an image":                      {"image", nil, map[string]any{"owner": "p2", keySelf: "o1"}, false, unit.ActionBlocked},
		"an image that has only got it": {"image", nil, map[string]any{"owner": "p2", keySelf: "o0"}, false, unit.ActionCreate},
		"where the block says where":    {"network", map[string]cty.Value{"project": cty.StringVal("p3")}, map[string]any{"project_id": "p2"}, false, unit.ActionCreate},
		"where it is on record":         {"network", nil, map[string]any{"project_id": "p2"}, true, unit.ActionCreate},
	} {
		t.Run(name, func(t *testing.T) {
			raw := maps.Clone(c.raw)
			raw["id"], raw["name"], raw["status"], raw[markKey], raw["description"] = "o1", "web", "active", testMark, "["+testMark+"]"
			o := d.kinds[c.kind].(interface{ read(map[string]any) *object }).read(raw)
			written := map[string]cty.Value{"name": cty.StringVal("web")}
			if c.kind == "image" {
				written["web_download"] = cty.StringVal("http://a")
			}
			maps.Copy(written, c.want)
			want := wantValue(c.kind, written)
			target := testTarget(t, c.kind, want)
			target.Fresh = !c.known
			m, _ := find(d.kinds[c.kind], &session{project: "ours"}, target, want, indexed([]*object{o}))
			diff := d.Compare(target, want, state(target, m))
			if diff.Action != c.action || diff.Action == unit.ActionBlocked && !strings.Contains(diff.Reason, "web (o1), which is in the project p2") {
				t.Errorf("found %+v, and does %+v", m, diff)
			}
		})
	}
}

// TestCopiedMarksOfTheUnwanted: nor is what has only got the mark deleted where a block was taken out before it was on record what it
// had made; and what the attempt has made is found, also in the project that was wanted then.
func TestCopiedMarksOfTheUnwanted(t *testing.T) {
	d := testDriver(t)
	for name, c := range map[string]struct {
		kind string
		raw  map[string]any
		ours bool
	}{
		"a snapshot of an instance": {"image", map[string]any{"owner": "first", "base_image_ref": "i1"}, false},
		"an image of a volume":      {"image", map[string]any{"owner": "first", keySelf: "o0"}, false},
		"one of an older program's": {"image", map[string]any{"owner": "first"}, false},
		"what an attempt has left":  {"image", map[string]any{"owner": "first", keySelf: "o1"}, true},
		"a tenant's copy":           {"image", map[string]any{"owner": "tenant", keySelf: "o1"}, false},
		"a network":                 {"network", map[string]any{"project_id": "first"}, true},
		"a tenant's network":        {"network", map[string]any{"project_id": "tenant"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			raw := maps.Clone(c.raw)
			raw["id"], raw["name"], raw["status"], raw[markKey], raw["description"] = "o1", "web", "active", testMark, "["+testMark+"]"
			o := d.kinds[c.kind].(interface{ read(map[string]any) *object }).read(raw)
			moved := wantValue(c.kind, map[string]cty.Value{"name": cty.StringVal("web"), "project": cty.StringVal("second")})
			for _, wanted := range []bool{true, false} {
				target := testTarget(t, c.kind, moved)
				target.Locator, target.Attempted = unit.Locator{Driver: unit.OpenStack, Kind: c.kind, Project: "first"}, true
				ours := c.ours
				if !wanted {
					target.Spec, moved = nil, cty.NilVal
				} else if c.kind == "image" && c.raw[keySelf] == nil && c.raw["base_image_ref"] == nil {
					ours = true // by its name
				}
				if m, _ := find(d.kinds[c.kind], &session{project: "ours"}, target, moved, indexed([]*object{o})); m.owned != ours {
					t.Errorf("wanted %v: found %+v", wanted, m)
				}
			}
		})
	}
}
