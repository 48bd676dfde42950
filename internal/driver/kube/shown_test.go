//go:build beds

package kube_test

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/await"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

// How a node stands is written beside what the configuration says of it, and neither undoes the other.
func testShownNodes(t *testing.T, bed *cluster.Cluster) {
	w := newWorld(t, bed)
	d, told := w.driver(nil)
	crd := `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: openstacknodes.kupenstack.io}
spec:
  group: kupenstack.io
  scope: Cluster
  names: {kind: OpenstackNode, plural: openstacknodes}
  versions:
  - {name: v1alpha1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`
	node := "apiVersion: kupenstack.io/v1alpha1\nkind: OpenstackNode\nmetadata: {name: one}\nspec: {disabled: false}\nstatus: "
	one, two := unit.ShownRef(unit.KindShownNode, "one"), unit.ShownRef(unit.KindShownNode, "two")
	shows := func(want map[string]string) {
		t.Helper()
		found, err := w.cluster.Shown(w.ctx, one, two)
		w.must(err)
		if shown := statuses(found); !maps.Equal(shown, want) {
			t.Errorf("shown is %q, want %q", shown, want)
		}
		await.Until(t, "all that is shown", func() bool { // what is new is there once the watch has seen it
			all, err := w.cluster.AllShown(w.ctx)
			w.must(err)
			maps.DeleteFunc(all, func(ref unit.ObjectRef, _ unit.Shown) bool { return ref != one && ref != two })
			return maps.Equal(statuses(all), want)
		})
	}
	shows(map[string]string{}) // a kind that is not known has no objects

	target := w.target("objects", objects(t, crd, node+"{desiredNodeConfiguration: {nova: {a: 1}}}"))
	w.converge(d, target, told)
	shows(map[string]string{"one": ""})
	w.must(w.cluster.Show(w.ctx, one, unit.Shown{Status: "Ready"}))
	shows(map[string]string{"one": "Ready"})
	if diff := w.compare(d, target); diff.Action != unit.ActionNone {
		t.Errorf("what is shown counts as drift: %+v", diff)
	}
	resource := w.admin.Resource(schema.GroupVersionResource{Group: "kupenstack.io", Version: "v1alpha1", Resource: "openstacknodes"})
	live, err := resource.Get(w.ctx, "one", metav1.GetOptions{})
	w.must(err)
	if got := fmt.Sprint(live.Object["status"]); got != "map[desiredNodeConfiguration:map[nova:map[a:1]] status:Ready]" {
		t.Errorf("the status is %s", got)
	}

	// Another configuration leaves it alone; one that says how the node stands has the last word.
	w.converge(d, w.target("objects", objects(t, crd, node+"{desiredNodeConfiguration: {nova: {a: 2}}}")), told)
	shows(map[string]string{"one": "Ready"})
	w.converge(d, w.target("objects", objects(t, crd, node+"{desiredNodeConfiguration: {}, status: Unmanaged}")), told)
	shows(map[string]string{"one": "Unmanaged"})

	// What was asked for by an annotation is noted beside that, and goes with the annotation.
	asks := func(value string, want kube.Asking) {
		t.Helper()
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"kupenstack.io/reconcile":%s}}}`, value)
		_, err := resource.Patch(w.ctx, "one", types.MergePatchType, patch, metav1.PatchOptions{})
		w.must(err)
		await.Until(t, "the annotation", func() bool {
			asked, err := w.cluster.AskedAt(w.ctx, one, two)
			w.must(err)
			return len(asked) == 1 && asked[one] == want
		})
		w.must(w.cluster.NoteAsked(w.ctx, one, want.Value))
		want.Noted = true
		if asked, err := w.cluster.AskedAt(w.ctx, one); err != nil || asked[one] != want {
			t.Errorf("%s is noted as %+v, %v", value, asked[one], err)
		}
	}
	asks(`"now"`, kube.Asking{Value: "now"})
	long := strings.Repeat("a", 1000)
	asks(strconv.Quote(long), kube.Asking{Value: long})
	w.must(w.cluster.Show(w.ctx, one, unit.Shown{Status: "Waiting"}))
	shows(map[string]string{"one": "Waiting"})
	asks(strconv.Quote(long), kube.Asking{Value: long, Noted: true})
	asks("null", kube.Asking{})
	live, err = resource.Get(w.ctx, "one", metav1.GetOptions{})
	w.must(err)
	if got := fmt.Sprint(live.Object["status"]); strings.Contains(got, "Handled") || !strings.Contains(got, "Waiting") {
		t.Errorf("the status is %s", got)
	}
	if err := w.cluster.NoteAsked(w.ctx, two, "now"); !errors.Is(err, unit.ErrNoPlace) {
		t.Errorf("it is noted at what is not there: %v", err)
	}

	if err := w.cluster.Show(w.ctx, two, unit.Shown{Status: "Ready"}); err == nil {
		t.Error("a node without an object is shown")
	}
	shows(map[string]string{"one": "Waiting"})
}

// statuses are those of things that are shown, by their names.
func statuses(of map[unit.ObjectRef]unit.Shown) map[string]string {
	found := map[string]string{}
	for ref, says := range of {
		found[ref.Name] = says.Status
	}
	return found
}
