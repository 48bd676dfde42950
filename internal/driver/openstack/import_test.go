package openstack_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/networking/v2/networks"
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

// TestImportByFilter takes over the one object that has what the filter says, in the project that the filter or the
// block names, and guesses between none.
func TestImportByFilter(t *testing.T) {
	network := func(id, name, project, description string) map[string]any {
		return map[string]any{"id": id, "name": name, "project_id": project, "description": description, "shared": id == "n2", "mtu": 1400}
	}
	listed := []any{
		network("n1", "office", "p1", ""), network("n2", "twice", "p1", ""), network("n3", "twice", "p1", ""), network("n4", "elsewhere", "p2", ""),
		network("n5", "marked", "p1", "[kupenstack:other]"), network("n6", "office", "p2", ""),
	}
	d := pretend(t, func(*http.Request) any { return map[string]any{"networks": listed} })
	unknown := cty.UnknownVal(cty.String)
	for _, test := range []struct {
		name            string
		filter, written values
		action          unit.Action
		id, reason      string
	}{
		{"one", values{"name": text("office")}, values{}, unit.ActionAdopt, "n1", "office (n1) is the object to import"},
		{"two", values{"name": text("twice")}, values{}, unit.ActionBlocked, "", "2 objects have name = twice in the project p1, and one is to be imported: twice (n2), twice (n3)"},
		{"one of two, by something else", values{"name": text("twice"), "shared": cty.True}, values{}, unit.ActionAdopt, "n2", "is the object to import"},
		{"none", values{"name": text("nowhere")}, values{}, unit.ActionBlocked, "", "there is no network to import with name = nowhere in the project p1"},
		{"none, and one of the block's own name", values{"name": text("nowhere")}, values{"name": text("office")}, unit.ActionBlocked, "", "there is no network to import"},
		{"in another project", values{"name": text("elsewhere"), "project": text("p2")}, values{}, unit.ActionAdopt, "n4", "is the object to import"},
		{"not in the block's project", values{"name": text("elsewhere")}, values{}, unit.ActionBlocked, "", "in the project p1"},
		{"in the block's project", values{"name": text("office")}, values{"project": text("p2")}, unit.ActionAdopt, "n6", "is the object to import"},
		{"somebody else's", values{"name": text("marked")}, values{}, unit.ActionBlocked, "n5", "bears a mark that is not of this block"},
		{"in a project that is not there yet", values{"name": text("office")}, values{"project": unknown}, unit.ActionDeferred, "", "its project is not known yet"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tg := target(t, "network", "web", test.written)
			tg.ImportBy = filterOf("network", test.filter)
			states, err := d.Observe(t.Context(), []unit.Target{tg})
			if err != nil {
				t.Fatal(err)
			}
			st := states[tg.Address]
			if diff := d.Compare(tg, wantedOf(tg), st); diff.Action != test.action || st.ID != test.id || !strings.Contains(diff.Reason, test.reason) || st.Owned {
				t.Errorf("got %+v of %+v", diff, st)
			}
		})
	}

	// Once the project is known, the object is looked for there, and not created.
	tg := target(t, "network", "web", values{"project": unknown})
	tg.ImportBy = filterOf("network", values{"name": text("office")})
	states, err := d.Observe(t.Context(), []unit.Target{tg})
	if err != nil {
		t.Fatal(err)
	}
	known := wantedOf(with(t, tg, values{"project": text("p1")}))
	diff := d.Compare(tg, known, states[tg.Address])
	if diff.Action != unit.ActionAdopt || !strings.Contains(diff.Reason, "now that its project is known") {
		t.Fatalf("the diff is %+v", diff)
	}
	st, err := d.Apply(t.Context(), tg, known, states[tg.Address])
	if err != nil || st.ID != "n1" || st.Owned {
		t.Errorf("got %+v, %v", st, err)
	}
	none := tg
	none.ImportBy = filterOf("network", values{"name": text("nowhere")})
	if _, err := d.Apply(t.Context(), none, known, states[tg.Address]); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "there is no network to import") {
		t.Errorf("got %v", err)
	}
}

// filterOf is what an import of a kind is searched by.
func filterOf(kind string, written values) cty.Value {
	all := map[string]cty.Value{}
	for name, of := range language().Resource(kind).Filter().Type.AttributeTypes() {
		if all[name] = cty.NullVal(of); written[name] != cty.NilVal {
			all[name] = written[name]
		}
	}
	return cty.ObjectVal(all)
}

// TestBedImportByFilter takes over objects that somebody else has made, by what they have.
func TestBedImportByFilter(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	name := unique("theirs")
	network := target(t, "network", name+"-n", values{"description": text("ours now")})
	network.ImportBy = filterOf("network", values{"name": text(name)})
	if _, diff := b.compare(t, network); diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, "there is no network to import with name = "+name) {
		t.Errorf("there is none: %+v", diff)
	}
	shared := true
	first := foreignNetwork(t, networks.CreateOpts{Name: name})
	second := foreignNetwork(t, networks.CreateOpts{Name: name, Shared: &shared})
	st, diff := b.compare(t, network)
	if diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, first) || !strings.Contains(diff.Reason, second) {
		t.Errorf("there are two: %+v", diff)
	}
	if _, err := b.Apply(t.Context(), network, wantedOf(network), st); !unit.IsBlocked(err) {
		t.Errorf("one of two is taken: %v", err)
	}
	network.ImportBy = filterOf("network", values{"name": text(name), "shared": cty.True})
	b.imports(t, network, second, "description name")

	domain := target(t, "domain", name, values{})
	b.converge(t, &domain)
	theirs := foreign(t, identity, "projects", "project", map[string]any{"name": name, "domain_id": domain.ID})
	project := target(t, "project", name, values{})
	project.ImportBy = filterOf("project", values{"name": text(name)})
	if _, diff := b.compare(t, project); diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, "in the domain") {
		t.Errorf("it is in another domain: %+v", diff)
	}
	project.ImportBy = filterOf("project", values{"name": text(name), "domain": text(domain.ID)})
	b.imports(t, project, theirs, "")

	flavor := smallFlavor(t)
	b.converge(t, &flavor)
	url, checksum := b.disk(t, 1<<20)
	image := target(t, "image", unique("image"), values{"source": text(url), "checksum": text(checksum), "disk_format": text("raw"), "container_format": text("bare")})
	b.converge(t, &image)
	foreignSubnet(t, second, "10.9.0.0/24")
	server := foreign(t, "compute", "servers", "server", map[string]any{
		"name": name, "flavorRef": flavor.ID, "imageRef": image.ID, "networks": []any{map[string]any{"uuid": second}},
	})
	instance := target(t, "instance", name, values{"flavor": text(flavor.ID), "image": text(image.ID)})
	instance.ImportBy = filterOf("instance", values{"name": text(name)})
	b.imports(t, instance, server, "")
}

// imports expects that the one object with an id is taken over, and what is changed of it then.
func (b *bench) imports(t *testing.T, tg unit.Target, id, changes string) {
	t.Helper()
	st, diff := b.compare(t, tg)
	var fields []string
	for _, f := range diff.Fields {
		fields = append(fields, f.Path)
	}
	slices.Sort(fields)
	if diff.Action != unit.ActionAdopt || st.ID != id || st.Owned || strings.Join(fields, " ") != changes {
		t.Fatalf("%s: the diff is %+v, the state %+v", tg.Address, diff, st)
	}
	tg.ID, tg.Imported, tg.Fresh, tg.ImportBy = id, true, false, cty.NilVal // which is on record before the mark is written
	if st = b.converge(t, &tg); st.ID != id || st.Mark != tg.Mark {
		t.Errorf("%s: the state is %+v", tg.Address, st)
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
