package helm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/cause"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// shelf is a cluster in memory. It compares specifications as a whole.
type shelf struct {
	Cluster
	objects map[unit.ObjectRef]*unstructured.Unstructured
	written []string
	compare func(desired, live *unstructured.Unstructured) []unit.Field // nil for the whole
	ahead   time.Duration                                               // the clock of the cluster
}

func (c *shelf) Now() time.Time { return time.Now().Add(c.ahead) }

func newShelf(objects ...*unstructured.Unstructured) *shelf {
	c := &shelf{objects: map[unit.ObjectRef]*unstructured.Unstructured{}}
	for _, object := range objects {
		c.objects[refOf(object)] = object.DeepCopy()
	}
	return c
}

func (c *shelf) Get(_ context.Context, refs ...unit.ObjectRef) (map[unit.ObjectRef]*unstructured.Unstructured, error) {
	found := map[unit.ObjectRef]*unstructured.Unstructured{}
	for _, ref := range refs {
		if object := c.objects[ref]; object != nil {
			found[ref] = object.DeepCopy()
		}
	}
	return found, nil
}

func (c *shelf) Confirm(_ context.Context, ref unit.ObjectRef) (*unstructured.Unstructured, error) {
	if object := c.objects[ref]; object != nil {
		return object.DeepCopy(), nil
	}
	return nil, nil
}

func (c *shelf) Compare(desired, live *unstructured.Unstructured) []unit.Field {
	if c.compare != nil {
		return c.compare(desired, live)
	}
	if reflect.DeepEqual(desired.Object["spec"], live.Object["spec"]) {
		return nil
	}
	return []unit.Field{{Path: "spec"}}
}

func (c *shelf) Unchanged(context.Context, string, *unstructured.Unstructured, *unstructured.Unstructured) (bool, error) {
	return false, nil
}

func (c *shelf) Health(*unstructured.Unstructured) (unit.Health, string) {
	return unit.HealthProgressing, "it waits"
}

func (c *shelf) Explain(context.Context, unit.ObjectRef, func(string) string) cause.Explanation {
	return cause.Explanation{}
}

func (c *shelf) put(verb string, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	ref := refOf(object)
	c.objects[ref] = object.DeepCopy()
	if ref != progressRef("o", "keystone") {
		c.written = append(c.written, verb+" "+ref.String())
	}
	return object.DeepCopy(), nil
}

func (c *shelf) Apply(_ context.Context, _ string, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return c.put("apply", object)
}

func (c *shelf) Create(_ context.Context, _ string, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return c.put("create", object)
}

func (c *shelf) Delete(_ context.Context, ref unit.ObjectRef, _ types.UID) error {
	delete(c.objects, ref)
	c.written = append(c.written, "delete "+ref.String())
	return nil
}

// simple is an object of the release, with a specification that can be told from another one.
func simple(version, kind, name string, size int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": version, "kind": kind,
		"metadata": map[string]any{
			"name": name, "namespace": "o",
			"annotations": map[string]any{annotationReleaseName: "keystone", annotationReleaseNamespace: "o"},
		},
		"spec": map[string]any{"size": size},
	}}
}

// installed looks at a release with a hook after its installation, on whatever the shelf has.
func installed(t *testing.T, c *shelf, objects ...*unstructured.Unstructured) (*Driver, *view) {
	t.Helper()
	d := &Driver{api: &server{}, rendered: map[string]rendered{}, cluster: c}
	labels := map[string]string{labelSpec: "1", labelRun: "install.run"}
	job := simple("batch/v1", kindJob, "domain-manage", 1)
	v := &view{
		masker: redact.NewMasker(), namespace: "o", name: "keystone", base: 1,
		want:   &wanted{spec: &unit.Release{Namespace: "o", Name: "keystone"}, labels: map[string]string{labelSpec: "1"}},
		newest: &revision{stored: stored{version: 1, status: release.StatusDeployed, labels: labels}, objects: objects, inForce: inForce(objects)},
	}
	v.target.Spec = v.want.spec
	v.newest.after = []hook{{event: release.HookPostInstall, policies: []release.HookDeletePolicy{release.HookBeforeHookCreation}, object: job, ref: refOf(job)}}
	if err := d.inspect(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	return d, v
}

// change wants another configuration, whose revision has a hook before it.
func (c *shelf) change(t *testing.T, objects ...*unstructured.Unstructured) (*Driver, *view) {
	t.Helper()
	d, v := installed(t, c, objects...)
	v.want.labels[labelSpec] = "2"
	text, err := json.Marshal(simple("batch/v1", kindJob, "prepare", 1).Object)
	if err != nil {
		t.Fatal(err)
	}
	d.rendered["o/keystone"] = rendered{
		key:   hashOf(fmt.Sprint(2, false), "2", "", ""),
		hooks: []*release.Hook{{Name: "prepare", Kind: kindJob, Manifest: string(text), Events: []release.HookEvent{release.HookPreUpgrade}}},
	}
	if err := errors.Join(d.hooksBefore(t.Context(), v), d.inspect(t.Context(), v)); err != nil {
		t.Fatal(err)
	}
	return d, v
}

func (c *shelf) act(t *testing.T, objects ...*unstructured.Unstructured) unit.Diff {
	t.Helper()
	c.written = nil
	d, v := installed(t, c, objects...)
	if err := d.step(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	return v.diff()
}

// While a hook waits, objects are repaired all the same: it may wait for what was deleted.
func TestDriftIsRepairedWhileAHookWaits(t *testing.T) {
	api, config := simple("apps/v1", "Deployment", "api", 1), simple("v1", "Service", "api", 1)
	edited := simple("v1", "Service", "api", 7)
	c := newShelf(api, config)

	diff := c.act(t, api, config)
	if !diff.Continues || !slices.Equal(c.written, []string{"create Job o/domain-manage"}) {
		t.Fatalf("the hook begins: %+v, %q", diff, c.written)
	}
	if _, v := installed(t, c, api, config); v.diff().Action != unit.ActionNone {
		t.Fatalf("the hook waits: %+v", v.diff())
	}

	delete(c.objects, refOf(api))
	c.objects[refOf(config)] = edited
	diff = c.act(t, api, config)
	if diff.Action != unit.ActionUpdate || diff.Reason != "drift" || len(diff.Fields) != 2 || len(diff.Mends) != 2 || diff.Continues {
		t.Errorf("drift: %+v", diff)
	}
	if !slices.Equal(c.written, []string{"apply Deployment o/api", "apply Service o/api"}) {
		t.Errorf("drift: %q", c.written)
	}
	if _, v := installed(t, c, api, config); v.diff().Action != unit.ActionNone || v.hooks.done {
		t.Errorf("afterwards: %+v", v.diff())
	}

	// The end of the hook is noticed first, and hides no drift for long.
	job := c.objects[unit.ObjectRef{APIVersion: "batch/v1", Kind: kindJob, Namespace: "o", Name: "domain-manage"}]
	job.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Complete", "status": "True"}}}
	delete(c.objects, refOf(api))
	if diff = c.act(t, api, config); !diff.Continues || len(diff.Mends) != 1 || len(c.written) > 0 {
		t.Errorf("the hook has ended: %+v, %q", diff, c.written)
	}
	c.act(t, api, config)
	if _, v := installed(t, c, api, config); v.diff().Action != unit.ActionNone || !v.hooks.done {
		t.Errorf("at the end: %+v, hooks %+v", v.diff(), v.hooks)
	}
}

// What earlier revisions left goes while a hook waits, and hides nothing while it is on its way out.
func TestLeftoversGoWhileAHookWaits(t *testing.T) {
	api, old := simple("apps/v1", "Deployment", "api", 1), simple("v1", "Service", "old", 1)
	c := newShelf(api, old)
	c.act(t, api) // the hook begins
	d, v := installed(t, c, api)
	v.newest.previous = []unit.ObjectRef{refOf(old)}
	if err := d.inspect(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	c.written = nil
	if diff := v.diff(); diff.Action != unit.ActionUpdate || !strings.Contains(diff.Reason, "left") {
		t.Errorf("left over: %+v", diff)
	}
	if err := d.step(t.Context(), v); err != nil || !slices.Equal(c.written, []string{"delete Service o/old"}) {
		t.Errorf("left over: %q, %v", c.written, err)
	}

	going := old.DeepCopy()
	now := metav1.Now()
	going.SetDeletionTimestamp(&now)
	c.objects[refOf(old)] = going
	_, v = installed(t, c, api)
	v.live[refOf(old)], v.leftovers = going, []unit.ObjectRef{refOf(old)}
	if diff := v.diff(); diff.Action != unit.ActionNone {
		t.Errorf("on its way out: %+v", diff)
	}
	v.drift = []drift{{desired: api, missing: true}}
	if diff := v.diff(); diff.Reason != "drift" {
		t.Errorf("on its way out, with drift: %+v", diff)
	}
}

// Before an upgrade the same holds: its hooks may wait for what was changed of the revision before it. While
// they run nothing else is to be done, and nobody takes that for a step without effect.
func TestWhatIsInForceComesBackWhileAnUpgradeWaits(t *testing.T) {
	api, config := simple("apps/v1", "Deployment", "api", 1), simple("v1", "Service", "api", 1)
	manual := simple("batch/v1", kindJob, "once", 1)
	c := newShelf(simple("v1", "Service", "api", 7))
	d, v := c.change(t, api, config, manual)
	if diff := v.diff(); diff.Waits || diff.Continues || diff.Action != unit.ActionUpdate || len(diff.Mends) != 2 {
		t.Errorf("before: %+v", diff)
	}
	if err := d.step(t.Context(), v); err != nil || !slices.Equal(c.written, []string{"create Job o/prepare"}) {
		t.Fatalf("wrote %q, %v", c.written, err)
	}
	d, v = c.change(t, api, config, manual)
	if diff := v.diff(); !diff.Waits || !diff.Continues || diff.Action != unit.ActionUpdate || len(diff.Mends) != 2 ||
		!strings.Contains(diff.Reason, "hook Job o/prepare: it waits") {
		t.Errorf("while it runs: %+v", diff)
	}
	if prepare := (unit.ObjectRef{APIVersion: "batch/v1", Kind: kindJob, Namespace: "o", Name: "prepare"}); !slices.Contains(v.refs(), prepare) {
		t.Errorf("its end wakes nobody: %v", v.refs())
	}
	if err := d.repair(t.Context(), v, v.mendable()); err != nil || !slices.Equal(c.written, []string{"create Job o/prepare", "apply Deployment o/api", "apply Service o/api"}) {
		t.Errorf("wrote %q, %v", c.written, err)
	}
	job := c.objects[unit.ObjectRef{APIVersion: "batch/v1", Kind: kindJob, Namespace: "o", Name: "prepare"}]
	job.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Failed", "status": "True", "message": "no disk"}}}
	if _, v = c.change(t, api, config, manual); v.diff().Waits || !v.diff().Continues || !strings.Contains(v.diff().Reason, "no disk") || len(v.diff().Mends) != 0 {
		t.Errorf("when it has failed: %+v", v.diff())
	}
}

// A hook that failed rests; what somebody changes meanwhile is put back by itself.
func TestWhatIsChangedComesBackWhileAHookRests(t *testing.T) {
	api, config := simple("apps/v1", "Deployment", "api", 1), simple("v1", "Service", "api", 1)
	c := newShelf(api, config)
	c.act(t, api, config)
	job := c.objects[unit.ObjectRef{APIVersion: "batch/v1", Kind: kindJob, Namespace: "o", Name: "domain-manage"}]
	job.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Failed", "status": "True", "message": "no disk"}}}
	d, v := installed(t, c, api, config)
	if err := d.step(t.Context(), v); unit.RetryAfter(err) == 0 {
		t.Fatalf("the hook has failed: %v", err)
	}
	delete(c.objects, refOf(api))
	c.objects[refOf(config)] = simple("v1", "Service", "api", 7)
	d, v = installed(t, c, api, config)
	diff := v.diff()
	if diff.Action != unit.ActionUpdate || !strings.Contains(diff.Reason, "no disk") || len(diff.Fields) != 0 || len(diff.Mends) != 2 {
		t.Errorf("with drift: %+v", diff)
	}
	c.written = nil
	if err := d.repair(t.Context(), v, v.mendable()); err != nil || !slices.Equal(c.written, []string{"apply Deployment o/api", "apply Service o/api"}) {
		t.Errorf("wrote %q, %v", c.written, err)
	}
	v.newest.labels[labelMark], v.target.Mark = "another", "mine"
	if diff := v.diff(); len(diff.Mends) > 0 {
		t.Errorf("somebody else's release: %+v", diff)
	}
}

// Without its chart nobody can tell what a release should become. What it is stays whole. A DaemonSet of which
// nobody can tell whether that ends pods of it is left alone.
func TestWhatIsDeployedComesBackWithoutTheChart(t *testing.T) {
	api, config, daemons := simple("apps/v1", "Deployment", "api", 1), simple("v1", "Service", "api", 1), simple("apps/v1", kindDaemonSet, "agent", 1)
	for name, mends := range map[string]int{"the same": 2, "another": 2} {
		t.Run(name, func(t *testing.T) {
			c := newShelf(simple("v1", "Service", "api", 7), simple("apps/v1", kindDaemonSet, "agent", 7))
			d, v := installed(t, c, api, config, daemons)
			v.want, v.stops, v.unseen = nil, nil, "download chart keystone: no route"
			if name == "the same" {
				v.newest.labels[labelSpec] = short(v.target.Spec.Digest())
			}
			if err := d.inspect(t.Context(), v); err != nil {
				t.Fatal(err)
			}
			if diff := v.diff(); diff.Action != unit.ActionUnknown || diff.Reason != v.unseen || len(diff.Mends) != mends {
				t.Errorf("%+v", diff)
			}
			state := d.state(t.Context(), v)
			if state.Existence != unit.Present || !state.Installed || len(state.Unseen) != 1 || state.Message != v.unseen {
				t.Errorf("%+v", state)
			}
			if err := d.repair(t.Context(), v, v.mendable()); err != nil || len(c.written) != mends || c.written[0] != "apply Deployment o/api" {
				t.Errorf("wrote %q, %v", c.written, err)
			}
			if err := d.step(t.Context(), v); err == nil || len(c.written) != mends {
				t.Errorf("a step wrote %q, %v", c.written, err)
			}
		})
	}
}

// What was deployed is kept whole while what is wanted instead cannot be had.
func TestWhatIsInForceComesBackWhileTheNextRevisionIsHeldBack(t *testing.T) {
	api, config := simple("apps/v1", "Deployment", "api", 1), simple("v1", "Service", "api", 1)
	for _, test := range []struct {
		name   string
		hold   func(*view)
		action unit.Action
	}{
		{"blocked", func(v *view) { v.blocked, v.want = "Secret o/theirs may not be read", nil }, unit.ActionBlocked},
		{"blocked by its chart", func(v *view) { v.blocked = "the chart cannot be rendered" }, unit.ActionBlocked},
		{"deferred", func(v *view) { v.deferred, v.want = "Secret o/passwords has no key yet", nil }, unit.ActionDeferred},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newShelf(simple("v1", "Service", "api", 7))
			look := func() (*Driver, *view) {
				d, v := installed(t, c, api, config)
				v.drift = nil
				test.hold(v)
				if err := d.inspect(t.Context(), v); err != nil {
					t.Fatal(err)
				}
				return d, v
			}
			d, v := look()
			diff := v.diff()
			if diff.Action != test.action || len(diff.Mends) != 2 || diff.Reason != v.blocked+v.deferred {
				t.Errorf("changed: %+v", diff)
			}
			if err := d.repair(t.Context(), v, v.mendable()); err != nil || !slices.Equal(c.written, []string{"apply Deployment o/api", "apply Service o/api"}) {
				t.Errorf("wrote %q, %v", c.written, err)
			}
			d, v = look()
			if diff := v.diff(); diff.Action != test.action || len(diff.Mends) > 0 {
				t.Errorf("afterwards: %+v", diff)
			}
			if err := d.step(t.Context(), v); err == nil || len(c.written) != 2 {
				t.Errorf("afterwards: wrote %q, %v", c.written, err)
			}
			v.target.Mark, v.newest.labels[labelMark] = "mine", "another"
			delete(c.objects, refOf(api))
			if err := d.inspect(t.Context(), v); err != nil || len(v.diff().Mends) > 0 {
				t.Errorf("somebody else's release: %+v, %v", v.diff(), err)
			}
		})
	}
}
