package openstack_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// life is what becomes of an object of one kind on a real cloud, from its making to its end.
type life struct {
	kind string
	// needs makes what the object depends on and returns the attributes that name it; they are written
	// besides first. May be nil.
	needs func(t *testing.T, b *bench) values
	// first is what is written of the object. A kind that has a name gets one unless it is written here.
	first values
	// changed is written later, and changes the object in place; nil where nothing can be changed.
	changed values
	// replaced is written at last, and cannot be changed in place. The old object goes before the new one comes.
	replaced values
	// another makes what the new object depends on in place of what the old one did, and returns the attributes that
	// name it; they are written besides replaced. A kind without both is never replaced.
	another func(t *testing.T, b *bench) values
	// lists are the requests that a look at the object costs, all of them.
	lists []string
	// meddle changes the object as somebody else would, so that these attributes differ. Nil where nobody
	// can change anything.
	meddle  func(t *testing.T, id string)
	meddled []string
	// vanish deletes the object as somebody else would.
	vanish func(t *testing.T, id string)
	// unmarked says that the kind bears no mark, so that it is known by its name or key alone.
	unmarked bool
	// secret says that what no service tells of the object is kept in a Secret.
	secret bool
	// search are the names of attributes that a look-up finds the object by, besides its id.
	search []string
}

// walk leads an object through its whole life.
func (l life) walk(t *testing.T) {
	t.Helper()
	d := &drawer{secrets: map[unit.ObjectRef]*unit.Kept{}}
	b := newBench(t, func(o *openstack.Options) { o.Keeper = d })
	written := values{}
	if l.needs != nil {
		maps.Copy(written, l.needs(t, b))
	}
	maps.Copy(written, l.first)
	var tg unit.Target
	if label := unique("life"); l.secret {
		tg, _ = keptTarget(t, l.kind, label, written)
	} else {
		tg = target(t, l.kind, label, written)
	}
	st := b.converge(t, &tg)
	if st.ID == "" || !st.Owned || st.Outputs.GetAttr("id").AsString() != st.ID {
		t.Fatalf("it was made, but the state is %+v", st)
	}
	b.settled(t, tg, l.lists...)
	tg = l.change(t, b, tg)
	l.repair(t, b, tg)
	l.lose(t, b, tg)
	l.lookUp(t, b, tg)
	tg = l.revive(t, b, tg)
	tg = l.replace(t, b, tg)
	if err := b.destroy(t.Context(), t, tg); err != nil {
		t.Fatal(err)
	}
	if st := b.see(t, tg); !st.Gone() {
		t.Errorf("it is deleted, but the state is %+v", st)
	}
	if err := b.destroy(t.Context(), t, tg); err != nil {
		t.Errorf("it is gone, and deleting it once more says %v", err)
	}
	if len(d.secrets) > 0 {
		t.Errorf("it is gone, and left are the Secrets %v", slices.Collect(maps.Keys(d.secrets)))
	}
}

// change changes the object in place.
func (l life) change(t *testing.T, b *bench, tg unit.Target) unit.Target {
	t.Helper()
	if l.changed == nil {
		return tg
	}
	changed := with(t, tg, l.changed)
	_, diff := b.compare(t, changed)
	expectDiff(t, "a change in place", diff, unit.ActionUpdate, attributesOf(l.changed))
	b.converge(t, &changed)
	if changed.ID != tg.ID {
		t.Errorf("%s was changed in place, and is %s now", tg.ID, changed.ID)
	}
	b.settled(t, changed, l.lists...)
	return changed
}

// repair puts right what somebody else changed.
func (l life) repair(t *testing.T, b *bench, tg unit.Target) {
	t.Helper()
	if l.meddle == nil {
		return
	}
	l.meddle(t, tg.ID)
	_, diff := b.compare(t, tg)
	expectDiff(t, "a change by somebody else", diff, unit.ActionUpdate, l.meddled)
	b.converge(t, &tg)
	b.settled(t, tg, l.lists...)
}

// lose forgets all that is on record of the object, which is found again all the same.
func (l life) lose(t *testing.T, b *bench, tg unit.Target) {
	t.Helper()
	lost := tg
	lost.ID = ""
	if st, diff := b.compare(t, lost); st.ID != tg.ID || !st.Owned || diff.Action != unit.ActionNone {
		t.Errorf("nothing is on record: the diff is %+v, the state %+v", diff, st)
	}
	stranger := tg
	stranger.ID, stranger.Fresh, stranger.Mark = "", true, "kupenstack:another"
	st, diff := b.compare(t, stranger)
	switch {
	case l.unmarked && (diff.Action != unit.ActionAdopt || st.ID != tg.ID || st.Owned):
		t.Errorf("it bears no mark and could be anybody's, but the diff is %+v", diff)
	case !l.unmarked && (diff.Action != unit.ActionCreate || len(st.Marked) > 1):
		t.Errorf("it bears another mark than ours, but the diff is %+v", diff)
	}
	if l.unmarked {
		l.adopt(t, b, tg, stranger, st)
		return
	}
	stranger.ID = tg.ID
	if _, err := b.Delete(t.Context(), stranger, st); !unit.IsBlocked(err) || !strings.Contains(err.Error(), "our mark") {
		t.Errorf("what bears another mark than ours was deleted: %v", err)
	}
}

// adopt takes an object over that bears no mark: it is on record then, and nothing was made for that.
func (l life) adopt(t *testing.T, b *bench, tg, stranger unit.Target, st unit.State) {
	t.Helper()
	before := b.fleet.Counts()
	taken, err := b.Apply(t.Context(), stranger, wantedOf(stranger), st)
	counts := b.fleet.Counts().Since(before)
	writes := counts.Total(http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete) - counts.Of(http.MethodPost, "/v3/auth/tokens")
	if err != nil || taken.ID != tg.ID || !taken.Owned || writes != 0 {
		t.Errorf("it was adopted: %v, the state %+v, %d requests that write:\n%v", err, taken, writes, counts)
	}
	stranger.ID, stranger.Fresh = taken.ID, false
	if st, diff := b.compare(t, stranger); st.ID != tg.ID || !st.Owned || !st.Ready() || diff.Action != unit.ActionNone {
		t.Errorf("it is adopted, but the diff is %+v, the state %+v", diff, st)
	}
}

// lookUp finds the object from outside, by its id and by what else tells it apart.
func (l life) lookUp(t *testing.T, b *bench, tg unit.Target) {
	t.Helper()
	block := language().Resource(l.kind).DataBlock()
	criteria := []values{{"id": text(tg.ID)}}
	if len(l.search) > 0 {
		by := values{}
		for _, name := range l.search {
			by[name] = wantedOf(tg).GetAttr(name)
		}
		criteria = append(criteria, by)
	}
	for _, by := range criteria {
		want := map[string]cty.Value{}
		for name, inner := range block.DesiredType().AttributeTypes() {
			want[name] = cty.NullVal(inner)
		}
		for name, v := range by {
			if _, ok := want[name]; !ok {
				t.Fatalf("a look-up of %s has no attribute %s", l.kind, name)
			}
			want[name] = v
		}
		found := tg
		found.ID, found.Mark = "", ""
		found.Spec = &unit.Resource{Kind: l.kind, Lookup: true, Block: block, Desired: cty.ObjectVal(want)}
		if st, diff := b.compare(t, found); diff.Action != unit.ActionNone || st.ID != tg.ID {
			t.Errorf("it is looked up by %v, but the diff is %+v, the state %+v", attributesOf(by), diff, st)
		}
	}
}

// revive makes the object again after somebody else deleted it.
func (l life) revive(t *testing.T, b *bench, tg unit.Target) unit.Target {
	t.Helper()
	l.vanish(t, tg.ID)
	if st, diff := b.compare(t, tg); !st.Gone() || diff.Action != unit.ActionCreate {
		t.Errorf("somebody deleted it, but the diff is %+v, the state %+v", diff, st)
	}
	tg.ID, tg.Fresh = "", true
	b.converge(t, &tg)
	b.settled(t, tg, l.lists...)
	return tg
}

// replace makes another object in place of the one that cannot be changed.
func (l life) replace(t *testing.T, b *bench, tg unit.Target) unit.Target {
	t.Helper()
	if !l.isReplaced() {
		return tg
	}
	written := values{}
	maps.Copy(written, l.replaced)
	if l.another != nil {
		maps.Copy(written, l.another(t, b))
	}
	next := with(t, tg, written)
	_, diff := b.compare(t, next)
	expectDiff(t, "what cannot be changed in place", diff, unit.ActionReplace, attributesOf(written))
	if diff.Cost == "" {
		t.Error("nobody says what a replacement costs")
	}
	if err := b.destroy(t.Context(), t, tg); err != nil {
		t.Fatal(err)
	}
	next.ID, next.Fresh = "", true
	b.converge(t, &next)
	b.settled(t, next, l.lists...)
	return next
}

// isReplaced tells whether the object is replaced at last.
func (l life) isReplaced() bool { return l.replaced != nil || l.another != nil }

// expectDiff checks what is to be done, and for which attributes.
func expectDiff(t *testing.T, what string, diff unit.Diff, action unit.Action, names []string) {
	t.Helper()
	var paths []string
	for _, f := range diff.Fields {
		paths = append(paths, f.Path)
	}
	slices.Sort(paths)
	slices.Sort(names)
	if diff.Action != action || !slices.Equal(paths, names) {
		t.Errorf("%s: the diff is %+v, want %s of %v", what, diff, action, names)
	}
}

func attributesOf(written values) []string {
	var names []string
	for name := range written {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// request sends one request as somebody else would, who knows nothing of us, and returns the answer.
func request(t testing.TB, service, method, path string, body any) map[string]any {
	t.Helper()
	answer, err := ask(t.Context(), t, service, method, path, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer
}

// ask is [request] for what may fail.
func ask(ctx context.Context, t testing.TB, service, method, path string, body any) (map[string]any, error) {
	t.Helper()
	cloud := sharedCloud(t)
	provider, err := cloud.Provider(ctx)
	if err != nil {
		return nil, err
	}
	var answer map[string]any
	options := &gophercloud.RequestOpts{JSONBody: body, OkCodes: []int{
		http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent,
	}}
	if method == http.MethodGet || method == http.MethodPost || method == http.MethodPatch {
		options.JSONResponse = &answer
	}
	response, err := provider.Request(ctx, method, strings.TrimSuffix(cloud.Endpoints[service], "/")+"/"+path, options)
	if err == nil && options.JSONResponse == nil {
		err = response.Body.Close()
	}
	return answer, err
}

// end deletes an object as somebody else would, and waits until it is gone.
func end(t testing.TB, service, path string) {
	t.Helper()
	request(t, service, http.MethodDelete, path, nil)
	for {
		if _, err := ask(t.Context(), t, service, http.MethodGet, path, nil); gophercloud.ResponseCodeIs(err, http.StatusNotFound) {
			return
		} else if err != nil {
			t.Fatalf("GET %s: %v", path, err)
		}
	}
}

// foreign makes an object as somebody else would, deletes it when the test ends, and returns its id.
func foreign(t *testing.T, service, path, key string, body map[string]any) string {
	t.Helper()
	made, _ := request(t, service, http.MethodPost, path, map[string]any{key: body})[key].(map[string]any)
	id, _ := made["id"].(string)
	if id == "" {
		t.Fatalf("%s has no id: %v", key, made)
	}
	afterwards(t, func(ctx context.Context) error {
		_, err := ask(ctx, t, service, http.MethodDelete, path+"/"+id, nil)
		return err
	})
	return id
}
