package openstack

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func paths(fields []unit.Field) string {
	var all []string
	for _, f := range fields {
		all = append(all, f.Path)
	}
	return strings.Join(all, " ")
}

// TestIgnoredChanges: an object is created with all that is written, and once it is complete, or was
// there before us, differences of what is ignored count no more.
func TestIgnoredChanges(t *testing.T) {
	d := testDriver(t)
	want := wantValue("network", map[string]cty.Value{
		"name": cty.StringVal("web"), "description": cty.StringVal("Front"), "mtu": cty.NumberIntVal(9000), "project": cty.StringVal("p2"),
		"tags": cty.SetVal([]cty.Value{cty.StringVal("a")}),
	})
	raw := map[string]any{"id": "n1", "name": "web", "description": "Back [" + testMark + "]", "mtu": "1500", "tags": []any{}, "project_id": "p1"}
	for _, test := range []struct {
		name   string
		ignore []string
		change func(*unit.Target, *match)
		action unit.Action
		fields string
	}{
		{"nothing ignored", nil, func(t *unit.Target, _ *match) { t.Complete = true }, unit.ActionReplace, "project description mtu tags"},
		{"some", []string{"project", "tags"}, func(t *unit.Target, _ *match) { t.Complete = true }, unit.ActionUpdate, "description mtu"},
		{"all that differs", []string{"project", "tags", "description", "mtu"}, func(t *unit.Target, _ *match) { t.Complete = true }, unit.ActionNone, ""},
		{"its creation is not over", []string{"project", "tags", "description"}, func(*unit.Target, *match) {}, unit.ActionReplace, "project description mtu tags"},
		{"imported", []string{"project", "mtu"}, func(t *unit.Target, _ *match) { t.Imported = true }, unit.ActionUpdate, "description tags"},
		{"to be adopted", []string{"project", "mtu"}, func(t *unit.Target, m *match) { t.Fresh, m.owned, m.object.mark = true, false, "" }, unit.ActionAdopt, "description tags"},
		{"found by its mark alone", []string{"project", "mtu"}, func(t *unit.Target, _ *match) { t.Fresh = true }, unit.ActionUpdate, "description tags"},
	} {
		t.Run(test.name, func(t *testing.T) {
			target := testTarget(t, "network", want)
			target.Spec.(*unit.Resource).Ignore = test.ignore
			m := match{object: d.kinds["network"].(interface{ read(map[string]any) *object }).read(raw), owned: true}
			test.change(&target, &m)
			diff := d.Compare(target, want, state(target, m))
			if diff.Action != test.action || paths(diff.Fields) != test.fields {
				t.Errorf("got %s of %s, want %s of %s", diff.Action, paths(diff.Fields), test.action, test.fields)
			}
			created := d.Compare(target, want, unit.State{Existence: unit.Absent})
			if created.Action != unit.ActionCreate || paths(created.Fields) != "name project description mtu tags" {
				t.Errorf("created with %s", paths(created.Fields))
			}
		})
	}
}

// TestUnknownIsShownAsSuch: what a new object is made of and nobody knows yet is not left out.
func TestUnknownIsShownAsSuch(t *testing.T) {
	d := testDriver(t)
	want := wantValue("instance", map[string]cty.Value{
		"name": cty.StringVal("web"), "image": cty.UnknownVal(cty.String),
		"networks": cty.ListVal([]cty.Value{cty.StringVal("n1"), cty.UnknownVal(cty.String)}),
	})
	diff := d.Compare(testTarget(t, "instance", want), want, unit.State{Existence: unit.Absent})
	got := map[string]string{}
	for _, f := range diff.Fields {
		got[f.Path] = f.After
	}
	if len(got) != 3 || got["image"] != "(known after apply)" || got["networks"] != `["n1","(known after apply)"]` {
		t.Errorf("got %q", got)
	}
}

// TestMarksOfSuccessors: while nothing is on record, an object is found by any of the marks that it
// may have come to bear, and once it is on record only by its own.
func TestMarksOfSuccessors(t *testing.T) {
	d := testDriver(t)
	want := wantValue("network", map[string]cty.Value{"name": cty.StringVal("web")})
	k := d.kinds["network"]
	read := func(id, mark string) *object {
		return k.(interface{ read(map[string]any) *object }).read(map[string]any{"id": id, "name": "web", "description": "[" + mark + "]"})
	}
	const second = "kupenstack:second.0123456789"
	lost := testTarget(t, "network", want)
	lost.Fresh, lost.Marks = true, []string{second}
	m, done := find(k, nil, lost, want, indexed([]*object{read("n1", "kupenstack:other.0123"), read("n2", second)}))
	if !done || m.object == nil || m.object.id != "n2" || !m.owned {
		t.Fatalf("got %+v", m)
	}
	st := state(lost, m)
	if diff := d.Compare(lost, want, st); diff.Action != unit.ActionNone || st.Mark != second || !st.Owned {
		t.Errorf("got %+v of %+v", diff, st)
	}
	if m, _ := find(k, nil, lost, want, indexed([]*object{read("n1", testMark), read("n2", second)})); m.object != nil || len(m.candidates) != 2 {
		t.Errorf("of two: %+v", m)
	}
	known := testTarget(t, "network", want)
	known.Spec = &unit.Resource{Kind: "network", Block: schema.New().Resource("network"), Desired: wantValue("network", map[string]cty.Value{"name": cty.StringVal("else")})}
	if m, _ := find(k, &session{}, known, known.Spec.(*unit.Resource).Desired, indexed([]*object{read("n2", second)})); m.object != nil {
		t.Errorf("on record as another one: %+v", m)
	}
}
