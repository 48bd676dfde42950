//go:build beds

package kube_test

import (
	"fmt"
	"maps"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

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

	if err := w.cluster.Show(w.ctx, two, unit.Shown{Status: "Ready"}); err == nil {
		t.Error("a node without an object is shown")
	}
	shows(map[string]string{"one": "Unmanaged"})
}

// statuses are those of things that are shown, by their names.
func statuses(of map[unit.ObjectRef]unit.Shown) map[string]string {
	found := map[string]string{}
	for ref, says := range of {
		found[ref.Name] = says.Status
	}
	return found
}
