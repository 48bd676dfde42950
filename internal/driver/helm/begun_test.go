package helm

import (
	"encoding/json"
	"slices"
	"testing"

	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestHooksOfNoRevisionGo: a release that was killed or has failed before its first revision, and is not wanted any more, leaves
// no Job behind that runs on, and nothing of others goes with it.
func TestHooksOfNoRevisionGo(t *testing.T) {
	job, account, keys := simple("batch/v1", kindJob, "prepare", 1), simple("v1", "ServiceAccount", "prepare", 1), simple("v1", "Secret", "keys", 1)
	annotate(keys, annotationPolicy, policyKeep)
	theirs := simple("v1", "ConfigMap", "theirs", 1)
	var hooks []*release.Hook
	for _, object := range []*unstructured.Unstructured{job, account, keys, theirs} {
		object.SetAnnotations(map[string]string{annotationPolicy: object.GetAnnotations()[annotationPolicy]})
		text, err := json.Marshal(object.Object)
		if err != nil {
			t.Fatal(err)
		}
		hooks = append(hooks, &release.Hook{Name: object.GetName(), Kind: object.GetKind(), Manifest: string(text), Events: []release.HookEvent{release.HookPreInstall}})
	}
	c := newShelf()
	d := &Driver{
		cluster: c, api: &server{}, revisions: map[string]*revision{}, rendered: map[string]rendered{}, index: map[unit.ObjectRef]addr.Object{},
		indexed: map[addr.Object][]unit.ObjectRef{}, releases: map[string]addr.Object{},
	}
	wanted, err := d.hooksOf(hooks, release.HookPreInstall, "o", "keystone")
	if err != nil {
		t.Fatal(err)
	}
	run := func(name string) {
		t.Helper()
		c.objects, c.written = map[unit.ObjectRef]*unstructured.Unstructured{}, nil
		r := &hookRun{driver: d, namespace: "o", name: "keystone", event: release.HookPreInstall, hooks: wanted, progress: readProgress(nil, name)}
		for _, h := range wanted {
			if _, err := r.step(t.Context(), h); err != nil {
				t.Fatal(err)
			}
		}
		annotate(c.objects[refOf(theirs)], annotationRelease, "another")
	}
	target := unit.Target{Locator: unit.Locator{Namespace: "o", Name: "keystone"}}
	look := func() unit.State {
		t.Helper()
		v, err := d.lookNow(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		return d.state(t.Context(), v)
	}

	run("install.a")
	state := look()
	if state.Existence != unit.Present || state.Ready() || state.Message != "it came to no revision, and Job o/prepare of its hooks is left" || state.TooLate {
		t.Errorf("observed %+v", state)
	}
	c.written = nil
	for range 3 {
		if state, err = d.Delete(t.Context(), target, state); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"delete ConfigMap o/kupenstack-hooks.keystone", "delete Job o/prepare", "delete ServiceAccount o/prepare"}
	if slices.Sort(c.written); !state.Gone() || !slices.Equal(c.written, want) {
		t.Errorf("%+v, written %q, want %q", state, c.written, want)
	}
	if state = look(); !state.Gone() || len(c.objects) != 2 {
		t.Errorf("afterwards %+v, %v", state, c.objects)
	}

	run("install.a")
	target.Applied = "x" // somebody uninstalled it in between
	if state = look(); !state.TooLate {
		t.Errorf("there was a revision: %+v", state)
	}
	run("upgrade.a")
	if state = look(); !state.Gone() {
		t.Errorf("the hooks of an upgrade: %+v", state)
	}
}
