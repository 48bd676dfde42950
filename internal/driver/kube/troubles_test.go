package kube

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// table is an API server that takes on what is applied, but for what it refuses.
type table struct {
	c        *Cluster
	set      *objectSet
	troubles *troubles
	there    objects
	refuses  map[string]string // by name: "fixed" for a field that cannot change, else another failure
	mu       sync.Mutex
	asked    []unit.ObjectRef // what was applied
}

func newTable(t *testing.T) *table {
	t.Helper()
	b := &table{there: objects{}, refuses: map[string]string{}, troubles: newTroubles()}
	resource := func(name, kind string, namespaced bool) map[string]any {
		return map[string]any{"name": name, "kind": kind, "namespaced": namespaced}
	}
	lists := map[string][]any{
		"v1":                      {resource("configmaps", "ConfigMap", true), resource("namespaces", "Namespace", false)},
		"apiextensions.k8s.io/v1": {resource("customresourcedefinitions", "CustomResourceDefinition", false)},
		"test/v1":                 {resource("things", "Thing", true)},
		"batch/v1":                {resource("jobs", "Job", true)},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		group := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/apis/"), "/api/")
		if list, ok := lists[group]; ok {
			_ = json.NewEncoder(w).Encode(map[string]any{"kind": "APIResourceList", "groupVersion": group, "resources": list})
			return
		}
		var object map[string]any
		if err := json.NewDecoder(r.Body).Decode(&object); err != nil || r.Method != http.MethodPatch {
			w.WriteHeader(http.StatusNotFound)
			_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404})
			return
		}
		name := unit.RefOf(object).Name
		if r.URL.Query().Get("dryRun") == "" {
			b.mu.Lock()
			b.asked = append(b.asked, unit.RefOf(object))
			b.mu.Unlock()
		}
		switch why := b.refuses[name]; why {
		case "":
			live := &unstructured.Unstructured{Object: object}
			live.SetUID("1")
			live.SetResourceVersion("2")
			_ = json.NewEncoder(w).Encode(object)
		case "fixed":
			w.WriteHeader(http.StatusUnprocessableEntity)
			_ = json.NewEncoder(w).Encode(map[string]any{
				"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Invalid", "code": 422, "message": "no",
				"details": map[string]any{"causes": []any{map[string]any{"reason": "FieldValueInvalid", "message": "field is immutable", "field": "data"}}},
			})
		default:
			w.WriteHeader(http.StatusInternalServerError)
			_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 500, "message": why})
		}
	}))
	t.Cleanup(server.Close)
	var err error
	if b.c, err = New(Options{Access: NewAccess(&rest.Config{Host: server.URL}), Log: zerolog.Nop()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.c.Close)
	return b
}

// want is what the set consists of from now on.
func (b *table) want(t *testing.T, texts ...string) {
	t.Helper()
	spec := &unit.Objects{}
	for _, text := range texts {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		spec.Items = append(spec.Items, object)
	}
	b.set = newObjectSet(b.c, b.troubles, unit.Target{Address: addr.MustParseObject("objects.a")}, spec)
}

func (b *table) compare(t *testing.T) unit.Diff {
	t.Helper()
	state, err := b.set.state(t.Context(), b.there)
	if err != nil {
		t.Fatal(err)
	}
	return b.set.compare(state)
}

// apply takes a step, and returns what was sent for it. What is of one kind is sent at a time: it is by name.
func (b *table) apply(t *testing.T, mend bool) (asked []string, err error) {
	t.Helper()
	b.asked = nil
	b.set.target.Mend = mend
	err = b.set.apply(t.Context(), b.there)
	turn := 0
	for i, ref := range b.asked {
		if ref.Kind != b.asked[turn].Kind {
			turn = i
		}
		asked = append(asked, ref.Name)
		slices.Sort(asked[turn:])
	}
	for _, item := range b.set.items {
		if slices.Contains(asked, item.ref.Name) && b.refuses[item.ref.Name] == "" {
			live := item.object.DeepCopy()
			live.SetUID("1")
			b.there[item.ref] = live
		}
	}
	return asked, err
}

func (b *table) edit(name string) {
	for ref, live := range b.there {
		if ref.Name == name {
			_ = unstructured.SetNestedField(live.Object, "edited", "data", "k")
		}
	}
}

func paths(fields []unit.Field) string {
	var all []string
	for _, field := range fields {
		all = append(all, field.Path)
	}
	return strings.Join(all, ", ")
}

func mapOf(name, value string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: ns}, data: {k: %s}}", name, value)
}

// An object that the server does not let change holds back none of the others, and is not tried with each of
// their changes. Another wish, or another object in its place, is a reason to.
func TestOneThatIsRefusedHoldsBackNoOther(t *testing.T) {
	b := newTable(t)
	b.want(t, mapOf("a", "one"), mapOf("b", "one"), mapOf("c", "one"))
	if asked, err := b.apply(t, false); err != nil || len(asked) != 3 {
		t.Fatalf("asked %q, %v", asked, err)
	}
	b.refuses["a"] = "fixed"
	b.want(t, mapOf("a", "two"), mapOf("b", "two"), mapOf("c", "two"))
	asked, err := b.apply(t, false)
	if !unit.IsBlocked(err) || !strings.Contains(err.Error(), "ConfigMap ns/a cannot be changed in place") || !slices.Equal(asked, []string{"a", "b", "c"}) {
		t.Fatalf("asked %q, %v", asked, err)
	}
	if diff := b.compare(t); diff.Action != unit.ActionBlocked || diff.Reason != err.Error() {
		t.Errorf("refused: %+v", diff)
	}
	b.edit("c")
	if diff := b.compare(t); diff.Action != unit.ActionUpdate || paths(diff.Fields) != "ConfigMap ns/c data.k" {
		t.Errorf("with drift: %+v", diff)
	}
	if asked, err := b.apply(t, false); err != nil || !slices.Equal(asked, []string{"c"}) {
		t.Errorf("with drift asked %q, %v", asked, err)
	}
	b.there[b.set.items[0].ref].SetUID("2")
	if diff := b.compare(t); diff.Action != unit.ActionUpdate {
		t.Errorf("another object: %+v", diff)
	}
	b.refuses["a"] = ""
	if asked, err := b.apply(t, false); err != nil || !slices.Equal(asked, []string{"a"}) {
		t.Errorf("another object asked %q, %v", asked, err)
	}
	if diff := b.compare(t); diff.Action != unit.ActionNone || len(b.troubles.byUnit) > 0 {
		t.Errorf("in the end: %+v", diff)
	}
}

// An object is written when it is to be otherwise, and not for the sake of another one.
func TestAChangeIsWrittenAlone(t *testing.T) {
	b := newTable(t)
	b.want(t, mapOf("a", "one"), mapOf("b", "one"), mapOf("c", "one"))
	if asked, err := b.apply(t, false); err != nil || len(asked) != 3 {
		t.Fatalf("asked %q, %v", asked, err)
	}
	first := b.set.digest
	b.want(t, mapOf("a", "one"), mapOf("b", "two"), mapOf("c", "one"))
	if diff := b.compare(t); diff.Action != unit.ActionUpdate || paths(diff.Fields) != "ConfigMap ns/b data.k" {
		t.Errorf("changed: %+v", diff)
	}
	if asked, err := b.apply(t, false); err != nil || !slices.Equal(asked, []string{"b"}) {
		t.Errorf("changed: asked %q, %v", asked, err)
	}
	b.want(t, mapOf("c", "one"), mapOf("b", "two"))
	if asked, err := b.apply(t, false); err != nil || len(asked) > 0 {
		t.Errorf("one less, in another order: asked %q, %v", asked, err)
	}
	if state, err := b.set.state(t.Context(), b.there); err != nil || state.Applied != b.set.digest || state.Applied == first {
		t.Errorf("it is as wanted: %+v, %v", state, err)
	}
	for ref := range b.there { // somebody takes the mark away, or an older one is there
		b.there[ref].SetAnnotations(map[string]string{AnnotationUnit: "objects.a", AnnotationApplied: first})
	}
	if diff := b.compare(t); diff.Action != unit.ActionUpdate || len(diff.Fields) > 0 {
		t.Errorf("with another mark: %+v", diff)
	}
	if asked, err := b.apply(t, false); err != nil || !slices.Equal(asked, []string{"b", "c"}) {
		t.Errorf("with another mark: asked %q, %v", asked, err)
	}
}

// What failed is tried again when the engine says so. Until then the others are put back by themselves.
func TestOneThatFailsHoldsBackNoOther(t *testing.T) {
	b := newTable(t)
	b.want(t, mapOf("a", "one"), mapOf("b", "one"))
	if _, err := b.apply(t, false); err != nil {
		t.Fatal(err)
	}
	b.refuses["a"] = "no quorum"
	b.want(t, mapOf("a", "two"), mapOf("b", "two"))
	if asked, err := b.apply(t, false); err == nil || unit.IsBlocked(err) || !slices.Equal(asked, []string{"a", "b"}) {
		t.Fatalf("asked %q, %v", asked, err)
	}
	if diff := b.compare(t); diff.Action != unit.ActionUpdate || len(diff.Mends) > 0 {
		t.Errorf("failed: %+v", diff)
	}
	b.edit("b")
	if diff := b.compare(t); paths(diff.Fields) != "ConfigMap ns/a data.k, ConfigMap ns/b data.k" || paths(diff.Mends) != "ConfigMap ns/b data.k" {
		t.Errorf("with drift: %+v", diff)
	}
	if asked, err := b.apply(t, true); err != nil || !slices.Equal(asked, []string{"b"}) {
		t.Errorf("mending asked %q, %v", asked, err)
	}
	b.refuses["a"] = ""
	if asked, err := b.apply(t, false); err != nil || !slices.Equal(asked, []string{"a"}) {
		t.Errorf("in the end asked %q, %v", asked, err)
	}
}

// What needs a namespace or a definition of the same set waits for it, and only that.
func TestOnlyWhatNeedsItWaits(t *testing.T) {
	const (
		space = "{apiVersion: v1, kind: Namespace, metadata: {name: m}}"
		crd   = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.test}, spec: {group: test, names: {kind: Thing}}}"
		thing = "{apiVersion: test/v1, kind: Thing, metadata: {name: t, namespace: ns}}"
	)
	within := strings.Replace(mapOf("b", "one"), "namespace: ns", "namespace: m", 1)
	b := newTable(t)
	b.want(t, within, thing, crd, space, mapOf("a", "one"))
	b.refuses["m"] = "no quorum"
	// A definition is not usable before the server says so.
	asked, err := b.apply(t, false)
	if err == nil || !slices.Equal(asked, []string{"things.test", "m", "a"}) {
		t.Fatalf("asked %q, %v", asked, err)
	}
	b.refuses["m"] = ""
	if asked, err = b.apply(t, false); err != nil || !slices.Equal(asked, []string{"m", "b"}) {
		t.Fatalf("with the namespace asked %q, %v", asked, err)
	}
	diff := b.compare(t)
	if diff.Action != unit.ActionUpdate || !diff.Waits || paths(diff.Fields) != "Thing ns/t" || !strings.Contains(diff.Reason, "things.test cannot be used yet") {
		t.Errorf("waiting: %+v", diff)
	}
	b.edit("a")
	if diff := b.compare(t); diff.Waits || paths(diff.Fields) != "ConfigMap ns/a data.k, Thing ns/t" {
		t.Errorf("with drift: %+v", diff)
	}
	if asked, err = b.apply(t, false); err != nil || !slices.Equal(asked, []string{"a"}) {
		t.Errorf("with drift asked %q, %v", asked, err)
	}
	for ref, live := range b.there {
		if isDefinition(ref) {
			live.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Established", "status": "True"}}}
		}
	}
	if asked, err = b.apply(t, false); err != nil || !slices.Equal(asked, []string{"t"}) {
		t.Errorf("in the end asked %q, %v", asked, err)
	}
	if diff := b.compare(t); diff.Action != unit.ActionNone {
		t.Errorf("in the end: %+v", diff)
	}
}

// TestWhatStaysOfASet has no object deleted that is still wanted: in another version of its kind, or by another
// unit, nor one that holds what others have put into it.
func TestWhatStaysOfASet(t *testing.T) {
	b := newTable(t)
	const old = "apiVersion: test/v1beta1\nkind: Thing\nmetadata: {name: t, namespace: web}"
	var recorded []unit.ObjectRef
	for _, text := range []string{
		old, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: moved, namespace: web}", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: out, namespace: web}",
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: web}", "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: web}",
	} {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		live := marked(object, "objects.a", "")
		recorded = append(recorded, unit.RefOf(object))
		b.there[unit.RefOf(object)] = live
	}
	index := newIndex()
	index.want(unit.Target{Address: addr.MustParseObject("objects.b"), Spec: &unit.Objects{Items: []map[string]any{
		{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "moved", "namespace": "web"}},
	}}}, nil)
	spec := &unit.Objects{Items: []map[string]any{{"apiVersion": "test/v1", "kind": "Thing", "metadata": map[string]any{"name": "t", "namespace": "web"}}}}
	for _, wanted := range []*unit.Objects{spec, nil} {
		s := newObjectSet(b.c, b.troubles, unit.Target{Address: addr.MustParseObject("objects.a"), Locator: unit.Locator{Objects: recorded}}, wanted)
		s.index = index
		var names []string
		for _, ref := range s.prunable(b.there) {
			names = append(names, ref.Name)
		}
		want := []string{"out"}
		if wanted == nil {
			want = []string{"t", "out"}
		}
		if !slices.Equal(names, want) {
			t.Errorf("with a wish %v: %q go, want %q", wanted != nil, names, want)
		}
	}
	// A unit that was moved has what it had under its address before.
	for origin, want := range map[string]int{"objects.a": 1, "objects.x": 0} {
		s := newObjectSet(b.c, b.troubles, unit.Target{
			Address: addr.MustParseObject("objects.c"), Origins: []addr.Object{addr.MustParseObject(origin)}, Locator: unit.Locator{Objects: recorded},
		}, spec)
		s.index = index
		if refs := s.prunable(b.there); len(refs) != want {
			t.Errorf("moved from %s: %v go, want %d", origin, refs, want)
		}
		if diff := s.compare(unit.State{Existence: unit.Present, Observed: &seenObjects{there: b.there}}); diff.Prunes != want {
			t.Errorf("moved from %s: %+v", origin, diff)
		}
	}
	index.want(unit.Target{Address: addr.MustParseObject("objects.b")}, nil)
	if index.wantedByOther(addr.MustParseObject("objects.a"), recorded[1]) {
		t.Error("what is no longer wanted by the other one is")
	}
}

// TestJobsThatAreDone: what Kubernetes deletes by itself after its end is not made again while nothing else is wanted.
func TestJobsThatAreDone(t *testing.T) {
	const job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: web}\nspec: {TTLtemplate: {}}"
	passing, lasting := strings.Replace(job, "TTL", "ttlSecondsAfterFinished: 0, ", 1), strings.Replace(job, "TTL", "", 1)
	const beside = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: web}"
	for name, test := range map[string]struct {
		before, then []string
		action       unit.Action
		makes        []string
	}{
		"done":                    {[]string{passing}, []string{passing}, unit.ActionNone, nil},
		"done, beside others":     {[]string{passing, beside}, []string{passing, beside}, unit.ActionNone, nil},
		"without a time to live":  {[]string{lasting}, []string{lasting}, unit.ActionCreate, []string{"j"}},
		"another in the same set": {[]string{passing, beside}, []string{passing, strings.Replace(beside, "{name: c", "{labels: {a: b}, name: c", 1)}, unit.ActionUpdate, []string{"c"}},
		"it is put in":            {[]string{beside}, []string{passing, beside}, unit.ActionUpdate, []string{"j"}},
		"another one":             {[]string{passing}, []string{strings.Replace(passing, "template", "backoffLimit: 1, template", 1)}, unit.ActionCreate, []string{"j"}},
		"it has a limit now":      {[]string{lasting}, []string{passing}, unit.ActionCreate, []string{"j"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTable(t)
			b.want(t, test.before...)
			if asked, err := b.apply(t, false); err != nil || len(asked) != len(test.before) {
				t.Fatalf("at first: asked for %q, %v", asked, err)
			}
			applied := b.set.digest
			for _, item := range b.set.items {
				if item.ref.Kind == "Job" {
					delete(b.there, item.ref)
				}
			}
			b.want(t, test.then...)
			b.set.target.Applied = applied
			if diff := b.compare(t); diff.Action != test.action {
				t.Errorf("got %+v, want %s", diff, test.action)
			}
			if test.action == unit.ActionNone {
				state, err := b.set.state(t.Context(), b.there)
				if err != nil || !state.Ready() || !state.Owned || state.Applied != b.set.digest {
					t.Errorf("got %+v, %v", state, err)
				}
			}
			if asked, err := b.apply(t, false); err != nil || !slices.Equal(asked, test.makes) {
				t.Errorf("asked for %q, %v, want %q", asked, err, test.makes)
			}
			b.want(t, test.then...) // nothing on record: it may never have run
			if asked, err := b.apply(t, false); len(b.there) != len(test.then) || err != nil {
				t.Errorf("without a record: asked for %q, %v", asked, err)
			}
		})
	}
}

// TestASetWithoutObjects is there at once, and gone at once.
func TestASetWithoutObjects(t *testing.T) {
	b := newTable(t)
	b.want(t)
	if diff := b.compare(t); diff.Action != unit.ActionNone {
		t.Errorf("got %+v", diff)
	}
	if state, err := b.set.state(t.Context(), b.there); err != nil || !state.Ready() || !state.Owned || state.Applied != b.set.digest {
		t.Errorf("got %+v, %v", state, err)
	}
	gone := newObjectSet(b.c, b.troubles, unit.Target{Address: addr.MustParseObject("objects.a")}, nil)
	if state, err := gone.state(t.Context(), b.there); err != nil || !state.Gone() {
		t.Errorf("deleted: %+v, %v", state, err)
	}
}
