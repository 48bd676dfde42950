package openstack

import (
	"maps"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestImageThatGlanceConverts is not made anew for it, as Glance would convert that too.
func TestImageThatGlanceConverts(t *testing.T) {
	text := cty.StringVal
	d := testDriver(t)
	k := d.kinds["image"].(imageKind)
	wants := func(disk, container string) cty.Value {
		return wantValue("image", map[string]cty.Value{"web_download": text("http://a"), "disk_format": text(disk), "container_format": text(container)})
	}
	for _, test := range []struct {
		name            string
		disk, container string
		kept            any
		want            unit.Action
	}{
		{"as it was made", "qcow2", "ovf", "qcow2/ovf", unit.ActionNone},
		{"as Glance has it now", "raw", "bare", "qcow2/ovf", unit.ActionNone},
		{"as neither", "vmdk", "bare", "qcow2/ovf", unit.ActionReplace},
		{"a container as neither", "qcow2", "docker", "qcow2/ovf", unit.ActionReplace},
		{"what it was made as is not known", "qcow2", "bare", nil, unit.ActionReplace},
	} {
		raw := map[string]any{
			"id": "i1", "name": "web", "status": "active", "disk_format": "raw", "container_format": "bare",
			markKey: testMark, keySource: digestOf("http://a"),
		}
		if test.kept != nil {
			raw[keyFormat] = test.kept
		}
		o := k.read(raw)
		desired, m := wants(test.disk, test.container), match{object: o, owned: true}
		target := unit.Target{Address: addr.MustParseObject("image.web"), Mark: testMark}
		diff := due(k, &unit.Resource{Kind: "image", Block: k.schema}, target, desired, m)
		if diff.Action != test.want {
			t.Errorf("%s: %+v", test.name, diff)
		}
		if o.values.get("properties").LengthInt() != 0 {
			t.Errorf("%s: its properties are %#v", test.name, o.values.get("properties"))
		}
	}

	for source, keeps := range map[string]bool{"web_download": true, "source": false} {
		r := newRecorder(t)
		all := wants("qcow2", "ovf").AsValueMap()
		all["web_download"] = cty.NullVal(cty.String)
		all[source] = text("http://a")
		if _, err := k.create(t.Context(), r.session, wanted{value: cty.ObjectVal(all), mark: testMark, named: "web", project: "p1"}); err != nil {
			t.Fatal(err)
		}
		if asked := strings.Join(r.asked, "\n"); strings.Contains(asked, `"kupenstack_format":"qcow2/ovf"`) != keeps {
			t.Errorf("with %s Glance was asked for %s", source, asked)
		}
	}
}

// TestFormatsThatNobodyWrites are what the image has, and those that most images have where one is made.
func TestFormatsThatNobodyWrites(t *testing.T) {
	text := cty.StringVal
	d := testDriver(t)
	k := d.kinds["image"].(imageKind)
	raw := map[string]any{"id": "i1", "name": "web", "status": "active", "disk_format": "raw", "container_format": "ovf", keySource: digestOf("http://a")}
	target := unit.Target{Address: addr.MustParseObject("image.web"), Mark: testMark}
	r := &unit.Resource{Kind: "image", Block: k.schema}
	for _, test := range []struct {
		name, mark, imports string
		written             map[string]cty.Value
		want                unit.Action
	}{
		{"ours", testMark, "", nil, unit.ActionNone},
		{"ours, and written", testMark, "", map[string]cty.Value{"disk_format": text("qcow2")}, unit.ActionReplace},
		{"found by its name", "", "", nil, unit.ActionAdopt},
		{"imported", "", "i1", nil, unit.ActionAdopt},
	} {
		raw[markKey] = test.mark
		target.Import, target.Spec = test.imports, r
		desired := written(k.schema, map[string]cty.Value{"source": text("http://a")}, test.written)
		if diff := due(k, r, target, desired, match{object: k.read(raw), owned: test.mark != ""}); diff.Action != test.want {
			t.Errorf("%s: %+v", test.name, diff)
		}
	}

	made := newRecorder(t)
	w := wanted{value: written(k.schema, map[string]cty.Value{"source": text("http://a")}, nil), mark: testMark, named: "web", project: "p1"}
	if _, err := k.create(t.Context(), made.session, w); err != nil {
		t.Fatal(err)
	}
	if asked := strings.Join(made.asked, "\n"); !strings.Contains(asked, `"disk_format":"qcow2"`) || !strings.Contains(asked, `"container_format":"bare"`) {
		t.Errorf("sent %s", asked)
	}
}

// written is what a configuration with these attributes says, what the language adds included.
func written(block *schema.Block, some ...map[string]cty.Value) cty.Value {
	all := map[string]cty.Value{}
	for _, a := range block.Attributes {
		if a.HasDefault() {
			all[a.Name] = a.Default
		}
	}
	for _, values := range some {
		maps.Copy(all, values)
	}
	return wantValue(block.Kind, all)
}
