//go:build beds

package kube_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

func TestObjectsAreMadeRepairedAndPruned(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	d, told := w.driver(nil)
	service := "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: " + w.name + "}\n" +
		"spec: {clusterIP: '', selector: {app: x}, ports: [{port: 80}]}"
	set := objects(t, configMap(w.name, "a", "{k: v}"), configMap(w.name, "b", "{k: v}"), service,
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: "+w.name+"}")
	target := w.target("objects", set)

	if diff := w.compare(d, target); diff.Action != unit.ActionCreate {
		t.Fatalf("before: %+v", diff)
	}
	state := w.converge(d, target, told)
	if !state.Ready() || !state.Owned || state.Applied != set.Digest() {
		t.Fatalf("after: %+v", state)
	}

	// An unchanged world costs nothing, whatever the server made of the Service.
	w.observe(d, target)
	offset := w.offset()
	for range 3 {
		if diff := w.compare(d, target); diff.Action != unit.ActionNone {
			t.Fatalf("unchanged: %+v", diff)
		}
	}
	if all, _ := w.requests(offset); len(all) > 0 {
		t.Errorf("requests for an unchanged world: %q", all)
	}

	// An edit is seen by the watch, and repaired.
	drain(told)
	w.edit("configmaps", "a", `{"data":{"k":"edited","other":"theirs"}}`)
	diff := w.drifts(told, d, target)
	if want := []unit.Field{{Path: "ConfigMap " + w.name + "/a data.k", Before: "edited", After: "v", By: filepath.Base(os.Args[0])}}; diff.Action != unit.ActionUpdate || !slices.Equal(diff.Fields, want) {
		t.Fatalf("drift: %+v", diff)
	}
	w.converge(d, target, told)
	live, err := w.resource("configmaps", w.name).Get(w.ctx, "a", metav1.GetOptions{})
	w.must(err)
	if data, _ := live.Object["data"].(map[string]any); data["k"] != "v" || data["other"] != "theirs" {
		t.Errorf("repaired: %v", data)
	}

	// So is a deletion, and the loss of our label.
	drain(told)
	w.must(w.resource("configmaps", w.name).Delete(w.ctx, "a", metav1.DeleteOptions{}))
	if diff := w.drifts(told, d, target); len(diff.Fields) != 1 || diff.Fields[0].After != "created" {
		t.Errorf("deleted: %+v", diff)
	}
	w.converge(d, target, told)
	drain(told)
	w.edit("configmaps", "b", `{"metadata":{"labels":{"`+kube.LabelManagedBy+`":null}}}`)
	if diff := w.drifts(told, d, target); len(diff.Fields) != 1 || !strings.Contains(diff.Fields[0].Path, kube.LabelManagedBy) {
		t.Errorf("label lost: %+v", diff)
	}
	w.converge(d, target, told)

	// What is not wanted any more goes when it bears our mark, and only then.
	recorded := set.Locator()
	theirs := object(t, configMap(w.name, "theirs", "{k: v}"))
	_, err = w.resource("configmaps", w.name).Create(w.ctx, theirs, metav1.CreateOptions{})
	w.must(err)
	recorded.Objects = append(recorded.Objects, unit.RefOf(theirs.Object))
	less := &unit.Objects{Items: []map[string]any{set.Items[0], set.Items[3]}}
	target = unit.Target{Address: target.Address, Spec: less, Locator: recorded}
	if diff := w.compare(d, target); diff.Action != unit.ActionUpdate || len(diff.Fields) != 2 {
		t.Errorf("prune: %+v", diff)
	}
	state = w.converge(d, target, told)
	if state.Applied != less.Digest() || w.exists("configmaps", "b") || w.exists("services", "s") || !w.exists("configmaps", "theirs") {
		t.Errorf("pruned: %+v", state)
	}
}

// A Job that Kubernetes deletes after its end is not made again for as long as nothing else is wanted of it.
func TestJobsThatGoByThemselves(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, told := w.driver(nil)
	const job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: NAMESPACE}\n" +
		"spec: {ttlSecondsAfterFinished: 0, template: {spec: {restartPolicy: Never, containers: [{name: c, image: TEXT}]}}}"
	set := objects(t, strings.NewReplacer("NAMESPACE", w.name, "TEXT", "one").Replace(job))
	target := w.target("objects", set)
	w.converge(d, target, told)
	target.Applied = set.Digest()
	drain(told)
	now := metav1.DeletePropagationBackground
	if err := w.resource("jobs.batch", w.name).Delete(w.ctx, "j", metav1.DeleteOptions{PropagationPolicy: &now}); err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	for w.exists("jobs.batch", "j") {
		w.must(w.ctx.Err())
	}
	var state unit.State
	for state = w.observe(d, target); !state.Ready(); state = w.observe(d, target) { // the watch may be behind
		w.must(w.ctx.Err())
	}
	if diff := d.Compare(target, cty.NilVal, state); diff.Action != unit.ActionNone || w.exists("jobs.batch", "j") {
		t.Errorf("once it is done: %+v, %+v", diff, state)
	}
	beside := w.target("objects", objects(t, strings.NewReplacer("NAMESPACE", w.name, "TEXT", "one").Replace(job), configMap(w.name, "c", "{k: v}")))
	beside.Applied = target.Applied
	if state := w.converge(d, beside, told); state.Applied != beside.Spec.Digest() || !w.exists("configmaps", "c") || w.exists("jobs.batch", "j") {
		t.Errorf("with something beside it: %+v", state)
	}
	another := w.target("objects", objects(t, strings.NewReplacer("NAMESPACE", w.name, "TEXT", "two").Replace(job)))
	another.Applied = target.Applied
	if diff := w.compare(d, another); diff.Action != unit.ActionCreate {
		t.Errorf("with another one: %+v", diff)
	}
}

// A set that gets another address and has less in the same commit loses what it had before.
func TestMovedObjectsArePruned(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, told := w.driver(nil)
	set := objects(t, configMap(w.name, "a", "{k: v}"), configMap(w.name, "b", "{k: v}"))
	before := w.target("objects", set)
	w.converge(d, before, told)

	less := &unit.Objects{Items: set.Items[:1]}
	after := w.target("papers", less)
	after.Locator, after.Origins = set.Locator(), []addr.Object{before.Address}
	w.observe(d, unit.Target{Address: before.Address, Locator: unit.Locator{Driver: unit.Kubernetes, Kind: unit.KindObjects}})
	if diff := w.compare(d, after); diff.Prunes != 1 {
		t.Errorf("before: %+v", diff)
	}
	if state := w.converge(d, after, told); !state.Ready() || w.exists("configmaps", "b") || !w.exists("configmaps", "a") {
		t.Errorf("after: %+v", state)
	}
}

func TestObjectsAreDeletedInReverse(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, told := w.driver(nil)
	target := w.target("objects", objects(t, configMap(w.name, "a", "{k: v}"), configMap(w.name, "b", "{k: v}")))
	w.converge(d, target, told)
	// b was taken over by another unit in the meantime.
	w.edit("configmaps", "b", `{"metadata":{"annotations":{"`+kube.AnnotationUnit+`":"objects.other"}}}`)
	w.hears(told, target.Address, func() bool {
		found, err := w.cluster.Get(w.ctx, unit.RefOf(target.Spec.(*unit.Objects).Items[1]))
		w.must(err)
		for _, live := range found {
			return live.GetAnnotations()[kube.AnnotationUnit] == "objects.other"
		}
		return false
	})
	gone := unit.Target{Address: target.Address, Locator: target.Locator}

	kept := gone
	kept.Locator.Keep = true
	state, err := d.Delete(w.ctx, kept, unit.State{})
	w.must(err)
	if !w.exists("configmaps", "a") || state.Existence != unit.Present {
		t.Errorf("what is to be kept: %+v", state)
	}
	for state = w.observe(d, gone); !state.Gone(); {
		state, err = d.Delete(w.ctx, gone, state)
		w.must(err)
	}
	if w.exists("configmaps", "a") || !w.exists("configmaps", "b") {
		t.Error("the wrong one is gone")
	}
}

func TestObjectsAdopt(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, told := w.driver(nil)
	_, err := w.resource("configmaps", w.name).Create(w.ctx, object(t, configMap(w.name, "a", "{k: old, other: theirs}")), metav1.CreateOptions{})
	w.must(err)
	target := w.target("objects", objects(t, configMap(w.name, "a", "{k: v}")))
	if diff := w.compare(d, target); diff.Action != unit.ActionAdopt || !strings.Contains(diff.Reason, "is there already") {
		t.Fatalf("got %+v", diff)
	}
	if state := w.converge(d, target, told); !state.Owned || !state.Ready() {
		t.Errorf("got %+v", state)
	}
}

func TestObjectsThatCannotChangeBlock(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, told := w.driver(nil)
	deployment := func(label string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: " + w.name + "}\nspec: {replicas: 0, selector: {matchLabels: {app: " + label +
			"}}, template: {metadata: {labels: {app: " + label + "}}, spec: {containers: [{name: c, image: x}]}}}"
	}
	w.converge(d, w.target("objects", objects(t, deployment("one"))), told)
	target := w.target("objects", objects(t, deployment("two")))
	_, err := d.Apply(w.ctx, target, cty.NilVal, w.observe(d, target))
	if !unit.IsBlocked(err) || !strings.Contains(err.Error(), "spec.selector") {
		t.Errorf("got %v", err)
	}
	if !w.exists("deployments.apps", "d") {
		t.Error("it was deleted")
	}
	_, err = w.cluster.Apply(w.ctx, kube.Manager, object(t, deployment("two")))
	var fixed *kube.ImmutableError
	if !errors.As(err, &fixed) || !slices.Contains(fixed.Fields, "spec.selector") {
		t.Errorf("got %v", err)
	}
	// A typo is no immutable field.
	_, err = w.cluster.Apply(w.ctx, kube.Manager, object(t, strings.Replace(deployment("one"), "name: c,", "name: C_,", 1)))
	if err == nil || errors.As(err, &fixed) && fixed == nil {
		t.Errorf("got %v", err)
	}
}

func testDefinitionThenObjectWithStatus(t *testing.T, bed *cluster.Cluster) {
	w := newWorld(t, bed)
	w.namespace()
	d, told := w.driver(nil)
	crd := `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.test.kupenstack.io}
spec:
  group: test.kupenstack.io
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - {name: v1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`
	thing := "apiVersion: test.kupenstack.io/v1\nkind: Thing\nmetadata: {name: t, namespace: " + w.name + "}\nspec: {a: 1}\nstatus: {roles: [compute]}"
	ref := unit.RefOf(object(t, thing).Object)

	// A kind that is not known has no objects: that is no error.
	found, err := w.cluster.Get(w.ctx, ref)
	w.must(err)
	if len(found) > 0 {
		t.Errorf("found %v", found)
	}
	target := w.target("objects", objects(t, thing, crd))
	if state := w.converge(d, target, told); !state.Ready() {
		t.Fatalf("got %+v", state)
	}
	live, err := w.resource("things.test.kupenstack.io", w.name).Get(w.ctx, "t", metav1.GetOptions{})
	w.must(err)
	if fmt.Sprint(live.Object["status"]) != "map[roles:[compute]]" {
		t.Errorf("status: %v", live.Object["status"])
	}

	drain(told)
	_, err = w.resource("things.test.kupenstack.io", w.name).Patch(w.ctx, "t", types.MergePatchType, []byte(`{"status":{"roles":["other"]}}`), metav1.PatchOptions{}, "status")
	w.must(err)
	if diff := w.drifts(told, d, target); len(diff.Fields) != 1 || !strings.HasSuffix(diff.Fields[0].Path, "status.roles[0]") {
		t.Errorf("status drift: %+v", diff)
	}
	w.converge(d, target, told)

	// The definition goes, and its objects with it: absent, not unknown.
	w.must(w.resource("customresourcedefinitions.apiextensions.k8s.io", "").Delete(w.ctx, "things.test.kupenstack.io", metav1.DeleteOptions{}))
	w.hears(told, target.Address, func() bool {
		found, err := w.cluster.Get(w.ctx, ref)
		return err == nil && len(found) == 0
	})
	if state := w.converge(d, target, told); !state.Ready() {
		t.Errorf("made anew: %+v", state)
	}
}

func (w *world) edit(resource, name, patch string) {
	w.t.Helper()
	_, err := w.resource(resource, w.name).Patch(w.ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	w.must(err)
}

func (w *world) exists(resource, name string) bool {
	w.t.Helper()
	_, err := w.resource(resource, w.name).Get(w.ctx, name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		w.must(err)
	}
	return err == nil
}

func (w *world) patchNode(patch string, subresources ...string) error {
	_, err := w.resource("nodes", "").Patch(w.ctx, "node-1", types.MergePatchType, []byte(patch), metav1.PatchOptions{}, subresources...)
	return err
}
