package revision_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const (
	external = `cloud "lab" {
  openstack {
    cloud = "lab"
  }
}
`
	one    = external + "project \"one\" {}\n"
	two    = one + "project \"two\" {}\n"
	broken = one + "project \"two\" {\n  colour = \"red\"\n}\n"

	deployed = `cloud "lab" {
  release = "2026.1"
  charts {
    repository = "charts"
  }
  openstack {
    cloud = "lab"
  }
  service "mariadb" {}
  service "memcached" {
    enabled = false
  }
}
node "node-1" {
  roles = ["control-plane"]
}
`
)

var errDown = errors.New("the server is down")

// world is a directory as a source that can fail, and facts that can, too.
type world struct {
	*gitrepo.Source
	dir   string
	down  error
	cache bool

	nodes   []string
	unknown error // why the facts cannot be had
}

func newWorld(t *testing.T, hcl string) *world {
	t.Helper()
	w := &world{dir: t.TempDir(), nodes: []string{"node-1"}}
	if err := os.Mkdir(filepath.Join(w.dir, "charts"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.write(t, hcl)
	source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: w.dir})
	if err != nil {
		t.Fatal(err)
	}
	w.Source = source
	return w
}

func (w *world) write(t *testing.T, hcl string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, "main.hcl"), []byte(hcl), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (w *world) Head(ctx context.Context) (gitrepo.Revision, error) {
	if w.down != nil {
		return gitrepo.Revision{}, w.down
	}
	return w.Source.Head(ctx)
}

func (w *world) Cached(ctx context.Context) (*gitrepo.Tree, error) {
	if !w.cache {
		return nil, errors.New("nothing was ever fetched")
	}
	return w.Fetch(ctx, gitrepo.Revision{})
}

func (w *world) Keep(string) error { return nil }

func (w *world) Kept(context.Context) (*gitrepo.Tree, error) {
	return nil, errors.New("nothing was kept")
}

func (w *world) facts(context.Context) (compose.Facts, error) {
	return compose.Facts{Nodes: w.nodes}, w.unknown
}

func (w *world) tracker() *revision.Tracker {
	return revision.NewTracker(w, ".", w.facts, revision.Options{Language: schema.New()})
}

// poll polls, and fails the test unless there are units with these addresses; none for no revision.
func poll(t *testing.T, tracker *revision.Tracker, want ...string) *engine.Revision {
	t.Helper()
	got, err := tracker.Poll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, want...)
	return got
}

func expect(t *testing.T, got *engine.Revision, want ...string) {
	t.Helper()
	if addresses := units(got); !slices.Equal(addresses, want) {
		t.Fatalf("units %v, want %v", addresses, want)
	}
}

func units(r *engine.Revision) []string {
	var addresses []string
	if r != nil {
		for i := range r.Units {
			addresses = append(addresses, r.Units[i].Address.String())
		}
	}
	slices.Sort(addresses)
	return addresses
}

func TestPollFollowsTheSource(t *testing.T) {
	w := newWorld(t, one)
	tracker := w.tracker()
	if state := tracker.State(); !reflect.ValueOf(state).IsZero() {
		t.Errorf("before the first poll it knows %+v", state)
	}
	first := poll(t, tracker, "project.one")
	state := tracker.State()
	if state.Head != state.Applied || state.Applied.Hash != first.ID || state.Bad != nil || state.Model == nil || state.Model.Cloud.Name != "lab" {
		t.Errorf("state %+v", state)
	}
	poll(t, tracker) // nothing new

	w.write(t, two)
	second := poll(t, tracker, "project.one", "project.two")
	if second.ID == first.ID || tracker.State().Applied.Hash != second.ID {
		t.Errorf("the second revision has ID %s, the first %s", second.ID, first.ID)
	}
}

func TestBrokenRevisionKeepsTheLastGoodOne(t *testing.T) {
	w := newWorld(t, one)
	tracker := w.tracker()
	good := poll(t, tracker, "project.one")

	w.write(t, broken)
	poll(t, tracker)
	state := tracker.State()
	if state.Bad == nil || state.Applied.Hash != good.ID || state.Head.Hash == good.ID || state.Model == nil {
		t.Fatalf("state %+v", state)
	}
	if text := state.Bad.Text(false); !strings.Contains(text, "main.hcl:8") || !strings.Contains(text, `colour = "red"`) {
		t.Errorf("the findings do not show the place:\n%s", text)
	}
	poll(t, tracker) // it is not looked into again
	if again, err := tracker.Recompose(t.Context()); err != nil || again.ID != good.ID {
		t.Errorf("in force is %v, %v; want %s", again, err, good.ID)
	}

	w.write(t, two)
	poll(t, tracker, "project.one", "project.two")
	if state := tracker.State(); state.Bad != nil || state.Head != state.Applied {
		t.Errorf("after the mistake is mended: %+v", state)
	}
}

// The commit before the broken one comes back, as after a revert by force.
func TestRevertAfterABrokenRevision(t *testing.T) {
	w := newWorld(t, one)
	tracker := w.tracker()
	good := poll(t, tracker, "project.one")
	w.write(t, broken)
	poll(t, tracker)
	w.write(t, one)
	if again := poll(t, tracker, "project.one"); again.ID != good.ID || tracker.State().Bad != nil {
		t.Errorf("after the revert %s is in force, bad: %v", again.ID, tracker.State().Bad)
	}
}

func TestBrokenFromTheStart(t *testing.T) {
	w := newWorld(t, broken)
	tracker := w.tracker()
	poll(t, tracker)
	if state := tracker.State(); state.Bad == nil || state.Head.Hash == "" || state.Applied.Hash != "" || state.Model != nil {
		t.Errorf("state %+v", state)
	}
	if got, err := tracker.Recompose(t.Context()); got != nil || err != nil {
		t.Errorf("in force is %v, %v; want nothing", got, err)
	}
}

func TestUnreachable(t *testing.T) {
	for _, tc := range []struct {
		name   string
		cache  bool
		starts bool // once before the source fails
		want   []string
	}{
		{name: "with a cache", cache: true, want: []string{"project.one"}},
		{name: "without a cache"},
		{name: "after the start", cache: true, starts: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, one)
			tracker := w.tracker()
			if tc.starts {
				poll(t, tracker, "project.one")
			}
			w.down, w.cache = errDown, tc.cache
			got, err := tracker.Poll(t.Context())
			if !errors.Is(err, errDown) || !errors.Is(tracker.State().Unreachable, errDown) {
				t.Errorf("error %v, state %v; want both to say that it is down", err, tracker.State().Unreachable)
			}
			expect(t, got, tc.want...)
			// The cache is good for the start only.
			if got, err := tracker.Poll(t.Context()); !errors.Is(err, errDown) || tc.cache && got != nil {
				t.Errorf("the second time: %v, %v", got, err)
			}
			w.down = nil
			w.write(t, two)
			poll(t, tracker, "project.one", "project.two")
			if err := tracker.State().Unreachable; err != nil {
				t.Errorf("still unreachable: %v", err)
			}
		})
	}
}

func TestFactsAreAskedAgain(t *testing.T) {
	w := newWorld(t, one)
	tracker := w.tracker()
	w.unknown = errDown
	for range 2 {
		if got, err := tracker.Poll(t.Context()); !errors.Is(err, errDown) || got != nil {
			t.Errorf("without facts: %v, %v", got, err)
		}
	}
	if applied := tracker.State().Applied.Hash; applied != "" {
		t.Errorf("%s is in force, though nobody composed it", applied)
	}
	w.unknown = nil
	poll(t, tracker, "project.one")

	w.unknown = errDown
	if got, err := tracker.Recompose(t.Context()); !errors.Is(err, errDown) || got != nil {
		t.Errorf("composed again without facts: %v, %v", got, err)
	}
}

func TestRecomposeSeesOtherNodes(t *testing.T) {
	w := newWorld(t, deployed)
	tracker := w.tracker()
	first, err := tracker.Poll(t.Context())
	if err != nil || first == nil {
		t.Fatal(first, err)
	}
	w.nodes = []string{"node-1", "node-2"}
	second, err := tracker.Recompose(t.Context())
	if err != nil || second == nil {
		t.Fatal(second, err)
	}
	if second.ID != first.ID {
		t.Errorf("the ID is %s, was %s", second.ID, first.ID)
	}
	if mentions(first, "node-2") || !mentions(second, "node-2") {
		t.Errorf("node-2 is in the first: %v, in the second: %v; want false and true", mentions(first, "node-2"), mentions(second, "node-2"))
	}
}

// TestWarnings: what a commit is warned of is known while it is in force, also when the facts are others by then.
func TestWarnings(t *testing.T) {
	even := strings.Replace(deployed, `service "mariadb" {}`, `service "mariadb" { replicas = 2 }`, 1)
	w := newWorld(t, even)
	tracker := w.tracker()
	warned := func(when string, want bool) {
		t.Helper()
		got := tracker.State().Warnings
		if got.HasErrors() || want != slices.ContainsFunc(got, func(d diag.Diagnostic) bool { return strings.Contains(d.Summary, "majority") }) {
			t.Errorf("%s: %v", when, got)
		}
	}
	warned("before the first", false)
	if found, err := tracker.Poll(t.Context()); found == nil || err != nil {
		t.Fatal(found, err)
	}
	warned("in force", true)
	w.write(t, `cloud "lab" {`)
	poll(t, tracker)
	warned("beside one with mistakes", true)
	if found, err := tracker.Recompose(t.Context()); found == nil || err != nil {
		t.Fatal(found, err)
	}
	warned("composed again", true)
	w.write(t, deployed)
	if found, err := tracker.Poll(t.Context()); found == nil || err != nil {
		t.Fatal(found, err)
	}
	warned("mended", false)
}

func TestLoadSaysWhatIsDeployed(t *testing.T) {
	tree := fstest.MapFS{"clouds/lab/main.hcl": {Data: []byte(deployed)}, "charts/mariadb/Chart.yaml": {}}
	loaded, found := revision.Load("abc", tree, "clouds/lab", revision.Options{Language: schema.New()})
	if loaded == nil {
		t.Fatal(found.Text(false))
	}
	got, diags := loaded.Compose(compose.Facts{Nodes: []string{"node-1"}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if got.ID != "abc" || got.Deployment.Cloud != "lab" || got.Deployment.Release != "2026.1" {
		t.Errorf("ID %s, deployment %+v", got.ID, got.Deployment)
	}
	memcached := addr.MustParseObject("service.memcached")
	if len(got.Removed) != 1 || !got.Removed[memcached] {
		t.Errorf("removed are %v, want %s", got.Removed, memcached)
	}
	if at := got.Ranges[""]; at.File != "clouds/lab/main.hcl" || at.Start.Line != 1 {
		t.Errorf("the cloud is said to be at %v", at)
	}
	outside, _ := revision.Load("abc", fstest.MapFS{"main.hcl": {Data: []byte(one)}}, ".", revision.Options{Language: schema.New()})
	if got, _ := outside.Compose(compose.Facts{}); got.Deployment.Cloud != "" {
		t.Errorf("an OpenStack of somebody else is said to be deployed by us: %+v", got.Deployment)
	}
}

func TestExplain(t *testing.T) {
	loaded, found := revision.Load("1", fstest.MapFS{"main.hcl": {Data: []byte(deployed)}, "charts/mariadb/Chart.yaml": {}}, ".", revision.Options{Language: schema.New()})
	if loaded == nil {
		t.Fatal(found.Text(false))
	}
	answers, err := loaded.Explain("service.memcached", "")
	if err != nil || len(answers) != 1 {
		t.Fatalf("%v, %v", answers, err)
	}
	if v := answers[0].Values[0]; v.Path != "enabled" || v.Effective.Value != false || v.Set.Range.Start.Line != 11 {
		t.Errorf("%+v, want enabled from line 11", v)
	}
	if _, err := loaded.Explain("service.memcache", ""); err == nil || !strings.Contains(err.Error(), "service.memcached") {
		t.Errorf("a misspelt address: %v", err)
	}
}

func TestLoadWithoutAnything(t *testing.T) {
	loaded, found := revision.Load("abc", fstest.MapFS{}, ".", revision.Options{Language: schema.New()})
	if loaded != nil || !found.Diagnostics.HasErrors() {
		t.Errorf("an empty tree is taken for a configuration: %v", found.Diagnostics)
	}
}

// mentions tells whether an object that a revision wants in the cluster has a name in it.
func mentions(r *engine.Revision, name string) bool {
	for i := range r.Units {
		if set, ok := r.Units[i].Spec.(*unit.Objects); ok && strings.Contains(fmt.Sprint(set.Items), name) {
			return true
		}
	}
	return false
}

// A revision that is not admitted must not decide how the world is reached.
func TestInForceIsWhatWasAdmitted(t *testing.T) {
	w := newWorld(t, one)
	tracker := w.tracker()
	if tracker.InForce() != nil {
		t.Error("something is in force before the first poll")
	}
	first := poll(t, tracker, "project.one")
	if tracker.InForce() != tracker.State().Model {
		t.Error("before anything was admitted, the newest model is not the one in force")
	}
	if err := tracker.Keep(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	admitted := tracker.State().Model
	w.write(t, two)
	second := poll(t, tracker, "project.one", "project.two")
	if tracker.InForce() != admitted {
		t.Error("a revision that was not admitted is in force")
	}
	if err := tracker.Keep(t.Context(), second.ID); err != nil {
		t.Fatal(err)
	}
	if tracker.InForce() == admitted || tracker.InForce() != tracker.State().Model {
		t.Error("the admitted revision is not in force")
	}
}
