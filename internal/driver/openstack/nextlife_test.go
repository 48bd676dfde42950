package openstack

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// nextLife is what becomes of an object of a kind that is to come, which is one block of the schema and one file beside this
// one: nothing else of the program knows of it.
type nextLife struct {
	block schema.Block
	kind  func(*schema.Block) kind
	// services are the addresses of the services by their types in the catalogue.
	services map[string]string
	// play has the cloud answer as the service does, and makes what others have in the project "own", or in "shop" where
	// nobody is shown what is elsewhere.
	play func(*nextCloud)

	first, changed map[string]cty.Value
	// replaced cannot be changed in place, refused never.
	replaced, refused map[string]cty.Value
	// idle are the requests of one look at a world in which nothing has changed.
	idle []string
	// meddle changes the object as somebody else would, so that these attributes differ.
	meddle  func(c *nextCloud, o *thing)
	meddled []string
	// secret are attributes that no service tells.
	secret []string
}

// nextTarget is the object in the project shop, of which nothing is known yet.
func (l nextLife) target(t *testing.T, block *schema.Block, written map[string]cty.Value) unit.Target {
	t.Helper()
	address, err := addr.NewObject(addr.Module{}, addr.Managed, block.Kind, "web", addr.Key{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]cty.Value{}
	for name, inner := range block.DesiredType().AttributeTypes() {
		all[name] = cty.NullVal(inner)
	}
	all["project"] = cty.StringVal("shop")
	maps.Copy(all, written)
	spec := &unit.Resource{Kind: block.Kind, Block: block, Desired: cty.ObjectVal(all)}
	return unit.Target{Address: address, Spec: spec, Locator: spec.Locator(), UID: "u", Mark: markPrefix + "ours", Fresh: true}
}

// written is the target with other attributes.
func writing(tg unit.Target, written map[string]cty.Value) unit.Target {
	spec := *tg.Spec.(*unit.Resource)
	all := spec.Desired.AsValueMap()
	maps.Copy(all, written)
	spec.Desired = cty.ObjectVal(all)
	tg.Spec = &spec
	return tg
}

// walker leads an object through its life.
type walker struct {
	*testing.T
	l nextLife
	c *nextCloud
	d *Driver
	k kind
}

func (w *walker) look(tg unit.Target, anew bool) (unit.State, unit.Diff) {
	w.Helper()
	tg.Anew = anew
	states, err := w.d.Observe(w.Context(), []unit.Target{tg})
	if err != nil {
		w.Fatalf("observe: %v", err)
	}
	st := states[tg.Address]
	return st, w.d.Compare(tg, desiredOf(tg), st)
}

// converge takes steps until nothing is left to do.
func (w *walker) converge(tg *unit.Target) {
	w.Helper()
	for range 30 {
		st, diff := w.look(*tg, true)
		if st.Owned && tg.ID == "" {
			tg.ID, tg.Fresh, tg.Locator.Project = st.ID, false, st.Project
		}
		switch {
		case diff.Action == unit.ActionNone && st.Ready():
			return
		case !diff.Action.Changes() || diff.Waits:
			continue
		}
		after, err := w.d.Apply(w.Context(), *tg, desiredOf(*tg), st)
		if err != nil && unit.RetryAfter(err) == 0 {
			w.Fatalf("%s: %v", diff.Action, err)
		}
		if after.Owned && tg.ID == "" {
			tg.ID, tg.Fresh, tg.Locator.Project = after.ID, false, after.Project
		}
	}
	st, diff := w.look(*tg, true)
	w.Fatalf("it does not come to rest: %+v, %+v", diff, st)
}

// settled asserts that a look costs no more requests than it has to, and tells of nothing to do.
func (w *walker) settled(tg unit.Target) {
	w.Helper()
	w.look(tg, true)
	w.c.requests()
	st, diff := w.look(tg, false)
	if diff.Action != unit.ActionNone || len(diff.Fields) > 0 || !st.Ready() || st.ID != tg.ID || !st.Owned {
		w.Errorf("it is as wanted, but the diff is %+v, the state %+v", diff, st)
	}
	if asked := w.c.requests(); !slices.Equal(asked, w.l.idle) {
		w.Errorf("one look asks %q, want %q", asked, w.l.idle)
	}
}

func (w *walker) expect(what string, diff unit.Diff, action unit.Action, names []string) {
	w.Helper()
	var paths []string
	for _, f := range diff.Fields {
		paths = append(paths, f.Path)
	}
	slices.Sort(paths)
	if names = slices.Sorted(slices.Values(names)); diff.Action != action || !slices.Equal(paths, names) {
		w.Errorf("%s: the diff is %+v, want %s of %v", what, diff, action, names)
	}
}

// destroy deletes it until it is gone.
func (w *walker) destroy(tg unit.Target) {
	w.Helper()
	st := unit.State{Existence: unit.Present}
	for range 30 {
		var err error
		if st, err = w.d.Delete(w.Context(), tg, st); err != nil && unit.IsBlocked(err) {
			w.Fatal(err)
		}
		if err == nil && st.Gone() {
			return
		}
	}
	w.Fatalf("it does not go: %+v", st)
}

// ours is what the cloud has of it.
func (w *walker) ours(tg unit.Target) *thing {
	w.Helper()
	for _, o := range w.c.within("shop") {
		if o.id == tg.ID {
			return o
		}
	}
	w.Fatalf("the cloud has no %q", tg.ID)
	return nil
}

func (l nextLife) walk(t *testing.T) {
	t.Helper()
	language := schema.New(l.block)
	block := language.Resource(l.block.Kind)
	k := l.kind(block)
	c := newNextCloud(t, l.services)
	l.play(c)
	w := &walker{T: t, l: l, c: c, d: c.driver(t, language, k), k: k}
	others := len(c.objects)

	tg := l.target(t, block, l.first)
	if st, diff := w.look(tg, false); !st.Gone() || diff.Action != unit.ActionCreate {
		t.Fatalf("there is none, but the diff is %+v, the state %+v", diff, st)
	}
	w.converge(&tg)
	if o := w.ours(tg); len(c.objects) != others+1 || o.project != "shop" {
		t.Fatalf("of %d objects, one has come, in %s: there are %d", others, o.project, len(c.objects))
	}
	w.settled(tg)

	if l.changed != nil {
		tg = writing(tg, l.changed)
		_, diff := w.look(tg, true)
		w.expect("a change in place", diff, unit.ActionUpdate, slices.Collect(maps.Keys(l.changed)))
		id := tg.ID
		w.converge(&tg)
		if tg.ID != id {
			t.Errorf("%s was changed in place, and is %s now", id, tg.ID)
		}
		w.settled(tg)
	}
	if l.refused != nil {
		_, diff := w.look(writing(tg, l.refused), true)
		w.expect("what is refused", diff, unit.ActionBlocked, slices.Collect(maps.Keys(l.refused)))
	}
	if l.meddle != nil {
		c.outside(func() { l.meddle(c, w.ours(tg)) })
		_, diff := w.look(tg, true)
		w.expect("a change by somebody else", diff, unit.ActionUpdate, l.meddled)
		w.converge(&tg)
		w.settled(tg)
	}
	w.lose(tg)
	c.outside(func() { c.drop(w.ours(tg)) })
	if st, diff := w.look(tg, true); !st.Gone() || diff.Action != unit.ActionCreate {
		t.Errorf("somebody deleted it, but the diff is %+v, the state %+v", diff, st)
	}
	tg.ID, tg.Fresh = "", true
	w.converge(&tg)
	tg = w.replace(tg)
	w.destroy(tg)
	if st, _ := w.look(tg, true); !st.Gone() || len(c.objects) != others {
		t.Errorf("it is deleted, but the state is %+v, and of %d others there are %d", st, others, len(c.objects))
	}
	w.destroy(tg)
}

// lose forgets all that is on record of it.
func (w *walker) lose(tg unit.Target) {
	w.Helper()
	lost := tg
	lost.ID = ""
	lost.Locator.Project = ""
	if st, diff := w.look(lost, true); st.ID != tg.ID || diff.Action != unit.ActionNone && (w.k.marks() || diff.Action != unit.ActionAdopt) {
		w.Errorf("nothing is on record: the diff is %+v, the state %+v", diff, st)
	}
	stranger := lost
	stranger.Fresh, stranger.Mark, stranger.UID = true, markPrefix+"another", "v"
	st, diff := w.look(stranger, true)
	if w.k.marks() {
		if diff.Action != unit.ActionCreate {
			w.Errorf("it bears another mark than ours, but the diff is %+v, the state %+v", diff, st)
		}
		stranger.ID = tg.ID
		if _, err := w.d.Delete(w.Context(), stranger, st); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "our mark") {
			w.Errorf("what bears another mark than ours was deleted: %v", err)
		}
		return
	}
	if diff.Action != unit.ActionAdopt || st.ID != tg.ID {
		w.Errorf("it bears no mark and could be anybody's, but the diff is %+v, the state %+v", diff, st)
	}
	before := len(w.c.objects)
	taken, err := w.d.Apply(w.Context(), stranger, desiredOf(stranger), st)
	if err != nil || taken.ID != tg.ID || !taken.Owned {
		w.Errorf("it was adopted: %v, %+v", err, taken)
	}
	if n := len(w.c.objects); n != before {
		w.Errorf("of %d objects there are %d once one was adopted", before, n)
	}
}

// replace makes another one in its place.
func (w *walker) replace(tg unit.Target) unit.Target {
	w.Helper()
	if w.l.replaced == nil {
		return tg
	}
	next := writing(tg, w.l.replaced)
	_, diff := w.look(next, true)
	if names := slices.DeleteFunc(slices.Collect(maps.Keys(w.l.replaced)), func(name string) bool { return slices.Contains(w.l.secret, name) }); len(names) > 0 {
		w.expect("what cannot be changed in place", diff, unit.ActionReplace, names)
		if diff.Cost == "" {
			w.Error("nobody says what a replacement costs")
		}
	}
	before := w.ours(tg)
	w.destroy(tg)
	next.ID, next.Fresh = "", true
	w.converge(&next)
	if w.ours(next) == before {
		w.Error("it is the old one")
	}
	w.settled(next)
	return next
}

// paged is n times a request.
func paged(request string, n int) []string { return slices.Repeat([]string{request}, n) }

// nextBlock is a block with what all of these have.
func nextBlock(kind, api string, attributes ...schema.Attribute) schema.Block {
	return schema.Block{
		Kind: kind, Class: schema.ClassResource, API: api, Doc: "To come.",
		Labels: []schema.Label{{Name: "name", Doc: "The name within the configuration.", Format: schema.FormatIdentifier, Example: "web"}},
		Attributes: append([]schema.Attribute{
			{Name: "name", Type: cty.String, FromLabel: true, Lookup: true, Change: schema.Replace, Doc: "The name."},
			{Name: "project", Type: cty.String, Change: schema.Replace, Lookup: true, Reference: &schema.Reference{Kind: "project", Output: "id"}, Doc: "The project that it is in."},
			{Name: "id", Type: cty.String, Presence: schema.Computed, Lookup: true, Doc: "The id."},
		}, attributes...),
	}
}

func justText(name, text string) map[string]cty.Value {
	return map[string]cty.Value{name: cty.StringVal(text)}
}

func somebodys(i int) string { return fmt.Sprintf("somebody's-%d", i) }
