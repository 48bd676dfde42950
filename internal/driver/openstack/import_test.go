package openstack_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

func TestImport(t *testing.T) {
	const ours = "kupenstack:ours"
	network := func(id, description string) map[string]any {
		return map[string]any{"id": id, "name": "theirs", "project_id": "p1", "description": description, "mtu": 1400}
	}
	listed := []any{network("plain", ""), network("marked", "[kupenstack:other]"), network("mine", "["+ours+"]")}
	d := pretend(t, func(r *http.Request) any {
		switch r.PathValue("id") {
		case "":
			return map[string]any{"networks": listed}
		case "unlisted":
			return map[string]any{"network": network("unlisted", "")}
		default:
			return map[string]any{}
		}
	})
	for _, test := range []struct {
		name, id, mark string
		written        values
		action         unit.Action
		reason, fields string
		owned          bool
	}{
		{"nobody's", "plain", ours + "2", values{"mtu": cty.NumberIntVal(1500)}, unit.ActionAdopt, "is the object to import", "name mtu", false},
		{"one that lists do not show", "unlisted", ours + "2", values{"name": text("theirs")}, unit.ActionAdopt, "is the object to import", "", false},
		{"somebody else's", "marked", ours + "2", values{}, unit.ActionBlocked, "bears a mark that is not of this block", "", false},
		{"ours already", "mine", ours, values{"name": text("theirs")}, unit.ActionNone, "", "", true},
		{"ours under another id", "plain", ours, values{"name": text("theirs")}, unit.ActionNone, "", "", true},
		{"nothing", "nowhere", ours + "2", values{}, unit.ActionBlocked, "there is no network with the id nowhere to import", "", false},
		{"nothing, and one of that name", "nowhere", ours + "2", values{"name": text("theirs")}, unit.ActionBlocked, "there is no network with the id nowhere to import", "", false},
		{"what cannot be changed", "plain", ours + "2", values{"name": text("theirs"), "project": text("p2")}, unit.ActionBlocked, "write in the block what it has", "project", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			tg := target(t, "network", "web", test.written)
			tg.Import, tg.Mark = test.id, test.mark
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			st := states[tg.Address]
			diff := d.Compare(tg, wantedOf(tg), st)
			var fields []string
			for _, f := range diff.Fields {
				fields = append(fields, f.Path)
			}
			if diff.Action != test.action || !strings.Contains(diff.Reason, test.reason) || strings.Join(fields, " ") != test.fields || st.Owned != test.owned {
				t.Errorf("got %+v of %+v", diff, st)
			}
		})
	}
}

// What bears another mark is no candidate, but whoever knows what marks mean is told of it.
func TestObjectsOfOneNameWithOtherMarks(t *testing.T) {
	network := func(id, name, project, description string) map[string]any {
		return map[string]any{"id": id, "name": name, "project_id": project, "description": description}
	}
	d := pretend(t, func(*http.Request) any {
		return map[string]any{"networks": []any{
			network("n1", "web", "p1", "[kupenstack:first]"), network("n2", "web", "p2", "[kupenstack:elsewhere]"),
			network("n3", "other", "p1", "[kupenstack:other]"), network("n4", "web", "p1", "text [kupenstack:second]"),
		}}
	})
	tg := target(t, "network", "web", values{})
	tg.Mark = "kupenstack:ours"
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if err != nil {
		t.Fatal(err)
	}
	want := []unit.Marked{{Name: "web (n1)", Mark: "kupenstack:first"}, {Name: "web (n4)", Mark: "kupenstack:second"}}
	if st := states[tg.Address]; st.Existence != unit.Absent || !slices.Equal(st.Marked, want) {
		t.Errorf("got %+v", st)
	}
	tg.Marks = []string{"kupenstack:second"}
	if states, err = d.Observe(t.Context(), []unit.Target{tg}); err != nil {
		t.Fatal(err)
	}
	if st := states[tg.Address]; st.ID != "n4" || !st.Owned || len(st.Marked) > 0 {
		t.Errorf("got %+v", st)
	}
}

// An image has its mark as a property, and one with another mark is told of as objects of other kinds are.
func TestImagesOfOneNameWithOtherMarks(t *testing.T) {
	image := func(id, owner, mark string) map[string]any {
		return map[string]any{"id": id, "name": "disk", "owner": owner, "status": "active", "kupenstack_mark": mark}
	}
	d := pretend(t, func(*http.Request) any {
		return map[string]any{"images": []any{image("i1", "p1", "kupenstack:lost"), image("i2", "p2", "kupenstack:elsewhere")}}
	})
	tg := target(t, "image", "disk", values{})
	tg.Mark = "kupenstack:ours"
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if err != nil {
		t.Fatal(err)
	}
	want := []unit.Marked{{Name: "disk (i1)", Mark: "kupenstack:lost"}}
	if st := states[tg.Address]; st.Existence != unit.Absent || !slices.Equal(st.Marked, want) {
		t.Errorf("got %+v", st)
	}
}

func TestLookupNamesWhatMatches(t *testing.T) {
	for _, test := range []struct {
		count int
		want  string
	}{
		{0, `no network matches: name = many`},
		{2, `2 objects match name = many: many (n0), many (n1); write more attributes, or the id`},
		{10, `many (n9); write`},
		{12, `many (n7) and 2 more; write more attributes, or the id`},
	} {
		d := pretend(t, func(*http.Request) any {
			list := []any{}
			for i := range test.count {
				list = append(list, map[string]any{"id": fmt.Sprintf("n%d", i), "name": "many", "project_id": "p1"})
			}
			return map[string]any{"networks": list}
		})
		tg := target(t, "network", "many", values{})
		block := schema.New().Resource("network").DataBlock()
		want := map[string]cty.Value{}
		for name, typ := range block.DesiredType().AttributeTypes() {
			want[name] = cty.NullVal(typ)
		}
		want["name"] = text("many")
		tg.Spec = &unit.Resource{Kind: "network", Lookup: true, Block: block, Desired: cty.ObjectVal(want)}
		states, err := d.Observe(t.Context(), []unit.Target{tg})
		if err != nil {
			t.Fatal(err)
		}
		diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
		if diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, test.want) {
			t.Errorf("%d: got %s: %s", test.count, diff.Action, diff.Reason)
		}
		if _, err := d.Apply(t.Context(), tg, wantedOf(tg), unit.State{Existence: unit.Absent}); !unit.IsBlocked(err) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d: searching anew says %v", test.count, err)
		}
	}
}
