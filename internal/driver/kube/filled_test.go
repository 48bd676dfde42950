//go:build beds

package kube_test

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// file returns the text that the Secret has.
func (w *world) file() string {
	w.t.Helper()
	text, _, err := w.cluster.Secret(w.ctx, w.name, "clouds", "clouds.yaml")
	w.must(err)
	return text.Reveal()
}

func (w *world) patchSecret(name string, patch map[string]any) {
	w.t.Helper()
	text, err := json.Marshal(patch)
	w.must(err)
	_, err = w.resource("secrets", w.name).Patch(w.ctx, name, types.MergePatchType, text, metav1.PatchOptions{FieldManager: "somebody"})
	w.must(err)
}

// The text follows the value, is put back when somebody edits or deletes it, and nothing tells the value.
func TestFilled(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, told := w.driver(releases{})
	spec := &unit.Filled{
		Namespace: w.name, Name: "clouds", Key: "clouds.yaml", Before: "password: ", After: "\nregion: x\n", Source: "passwords", SourceKey: "admin",
	}
	target := w.target("filled", spec)
	state := w.observe(d, target)
	if diff := d.Compare(target, cty.NilVal, state); diff.Action != unit.ActionCreate || !diff.Waits || !strings.Contains(diff.Reason, "passwords has no value admin") {
		t.Fatalf("without the value: %+v", diff)
	}
	if state, err := d.Apply(w.ctx, target, cty.NilVal, state); err != nil || !state.Gone() || w.exists("secrets", "clouds") {
		t.Fatalf("without the value: %+v, %v", state, err)
	}

	values := w.target("credentials", credentials(w.name))
	w.converge(d, values, told)
	want := func(value string) string { return `password: "` + value + `"` + "\nregion: x\n" }
	state = w.converge(d, target, told)
	password := w.passwords()["admin"]
	if !state.Ready() || w.file() != want(password) {
		t.Fatalf("%+v: it is not the text that is wanted", state)
	}

	for name, change := range map[string]func(){
		"edited":  func() { w.patchSecret("clouds", map[string]any{"stringData": map[string]any{"clouds.yaml": "mine"}}) },
		"deleted": func() { w.must(w.resource("secrets", w.name).Delete(w.ctx, "clouds", metav1.DeleteOptions{})) },
		"another value": func() {
			password = "quotes\" and: #"
			w.patchSecret("passwords", map[string]any{"stringData": map[string]any{"admin": password}})
		},
	} {
		drain(told)
		change()
		diff := w.drifts(told, d, target)
		if text, _ := json.Marshal(diff); strings.Contains(string(text), password) || len(diff.Fields) == 0 {
			t.Errorf("%s: the plan is %s", name, text)
		}
		w.converge(d, target, told)
		quoted, err := json.Marshal(password)
		w.must(err)
		if w.file() != "password: "+string(quoted)+"\nregion: x\n" {
			t.Errorf("%s: it is not the text that is wanted", name)
		}
	}

	// The value is gone: what was made from it stays, and nothing is done.
	drain(told)
	w.must(w.resource("secrets", w.name).Delete(w.ctx, "passwords", metav1.DeleteOptions{}))
	w.hears(told, target.Address, func() bool { return !w.observe(d, target).Ready() })
	if diff := w.compare(d, target); diff.Action != unit.ActionNone || !strings.Contains(diff.Reason, "no value admin") {
		t.Errorf("without the value: %+v", diff)
	}
	w.removed(d, target)
}

// removed deletes what a target names, once it is no longer wanted.
func (w *world) removed(d *kube.Driver, target unit.Target) {
	w.t.Helper()
	target.Spec = nil
	state := w.observe(d, target)
	if state.Existence != unit.Present || !state.Owned {
		w.t.Errorf("no longer wanted: %+v", state)
	}
	if _, err := d.Delete(w.ctx, target, state); err != nil || w.exists("secrets", "clouds") {
		w.t.Errorf("it is still there: %v", err)
	}
}
