//go:build beds

package kube_test

import (
	"fmt"
	"testing"

	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// TestNamespacesOfProjects: a namespace of somebody else's is waited for, says which project it has, is put right when it
// says something else, and keeps all but our annotations. What is being deleted is left alone.
func TestNamespacesOfProjects(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	d, told := w.driver(nil)
	target := w.target("system", &unit.ProjectNamespace{Namespace: w.name, Project: w.address("project")})
	wants := func(id string) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{unit.AnnotationProject: cty.StringVal("shop"), unit.AnnotationProjectID: cty.StringVal(id)})
	}
	compare := func(id string) unit.Diff { return d.Compare(target, wants(id), w.observe(d, target)) }
	says := func() map[string]string {
		live, err := w.resource("namespaces", "").Get(w.ctx, w.name, metav1.GetOptions{})
		w.must(err)
		return live.GetAnnotations()
	}
	patch := func(text string) {
		_, err := w.resource("namespaces", "").Patch(w.ctx, w.name, types.MergePatchType, []byte(text), metav1.PatchOptions{})
		w.must(err)
	}

	if diff := compare("42"); diff.Action != unit.ActionCreate || !diff.Waits {
		t.Fatalf("without the namespace: %+v", diff)
	}
	if state, err := d.Apply(w.ctx, target, wants("42"), unit.State{}); err != nil || !state.Gone() {
		t.Fatalf("without the namespace: %+v, %v", state, err)
	}
	drain(told)
	w.namespace()
	w.hears(told, target.Address, func() bool { return !compare("42").Waits })
	patch(`{"metadata":{"annotations":{"theirs":"x"}}}`)
	state, err := d.Apply(w.ctx, target, wants("42"), unit.State{})
	if err != nil || !state.Ready() || !state.Owned || says()[unit.AnnotationProject] != "shop" || says()[unit.AnnotationProjectID] != "42" {
		t.Fatalf("%+v, %v, %v", state, err, says())
	}
	offset := w.offset()
	if diff := compare("42"); diff.Action != unit.ActionNone {
		t.Errorf("as it is wanted: %+v", diff)
	}
	if all, _ := w.requests(offset); len(all) > 0 {
		t.Errorf("requests for an unchanged namespace: %q", all)
	}

	drain(told)
	patch(fmt.Sprintf(`{"metadata":{"annotations":{%q:"41"}}}`, unit.AnnotationProjectID))
	w.hears(told, target.Address, func() bool { return compare("42").Action == unit.ActionUpdate })
	if _, err = d.Apply(w.ctx, target, wants("42"), unit.State{}); err != nil || says()[unit.AnnotationProjectID] != "42" {
		t.Errorf("it was not put right: %v, %v", err, says())
	}

	gone := unit.Target{Address: target.Address, Locator: target.Locator}
	if state, err = d.Delete(w.ctx, gone, unit.State{}); err != nil || !state.Gone() || says()[unit.AnnotationProjectID] != "" || says()["theirs"] != "x" {
		t.Errorf("taken away: %+v, %v, %v", state, err, says())
	}
	patch(fmt.Sprintf(`{"metadata":{"annotations":{%q:"7"},"finalizers":["example.org/holds"]}}`, unit.AnnotationProjectID))
	w.hears(told, target.Address, func() bool { return w.observe(d, target).Existence == unit.Present })
	if state, err = d.Delete(w.ctx, gone, unit.State{}); err != nil || !state.Gone() || says()[unit.AnnotationProjectID] != "7" {
		t.Errorf("what somebody else wrote: %+v, %v, %v", state, err, says())
	}

	w.must(w.resource("namespaces", "").Delete(w.ctx, w.name, metav1.DeleteOptions{}))
	w.hears(told, target.Address, func() bool { return compare("42").Waits })
	offset = w.offset()
	for _, act := range []func() (unit.State, error){
		func() (unit.State, error) { return d.Apply(w.ctx, target, wants("42"), unit.State{}) },
		func() (unit.State, error) { return d.Delete(w.ctx, gone, unit.State{}) },
	} {
		if state, err := act(); err != nil || !state.Gone() {
			t.Errorf("while it is being deleted: %+v, %v", state, err)
		}
	}
	if _, writes := w.requests(offset); len(writes) > 0 {
		t.Errorf("written while it was being deleted: %q", writes)
	}
	patch(`{"metadata":{"finalizers":null}}`)
}
