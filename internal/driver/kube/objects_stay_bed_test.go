//go:build beds

package kube_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// annotated is an object of a release as Helm marks it, or as our driver of releases marks a hook.
func annotated(kind, namespace, name, annotations, data string) string {
	return "apiVersion: v1\nkind: " + kind + "\nmetadata:\n  namespace: " + namespace + "\n  name: " + name +
		"\n  labels: {app.kubernetes.io/managed-by: Helm}\n  annotations: {" + annotations + "}\ndata: " + data
}

const (
	ofRelease = "meta.helm.sh/release-name: keystone, meta.helm.sh/release-namespace: openstack"
	ofHook    = "kupenstack.io/release: keystone"
	keeps     = "helm.sh/resource-policy: keep"
)

// release makes an object as somebody else than a manifest.
func (w *world) release(resource, text string) {
	w.t.Helper()
	_, err := w.resource(resource, w.name).Create(w.ctx, object(w.t, text), metav1.CreateOptions{FieldManager: "kupenstack-helm"})
	w.must(err)
}

func (w *world) live(resource, name string) *unstructured.Unstructured {
	w.t.Helper()
	live, err := w.resource(resource, w.name).Get(w.ctx, name, metav1.GetOptions{})
	w.must(err)
	return live
}

// gone deletes all of a unit.
func (w *world) gone(d *kube.Driver, target unit.Target) {
	w.t.Helper()
	target = unit.Target{Address: target.Address, Locator: target.Locator}
	for state := w.observe(d, target); !state.Gone(); {
		var err error
		state, err = d.Delete(w.ctx, target, state)
		w.must(err)
		w.must(w.ctx.Err())
	}
}

// A manifest neither writes what a release has, Keystone's keys least of all, nor deletes it when the block goes.
func TestManifestsLeaveReleasesAlone(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, _ := w.driver(nil)
	w.release("secrets", annotated("Secret", w.name, "keystone-fernet-keys", ofHook+", "+keeps, "{\"0\": b2xk}"))
	w.release("configmaps", annotated("ConfigMap", w.name, "keystone-bin", ofRelease, "{k: theirs}"))
	target := w.target("manifest", objects(t,
		"apiVersion: v1\nkind: Secret\nmetadata: {name: keystone-fernet-keys, namespace: "+w.name+"}\ndata: {\"0\": bmV3}",
		configMap(w.name, "keystone-bin", "{k: v}"), configMap(w.name, "notice", "{k: v}")))

	state, err := d.Apply(w.ctx, target, cty.NilVal, w.observe(d, target))
	w.must(err)
	diff := d.Compare(target, cty.NilVal, state)
	for _, want := range []string{
		"Secret " + w.name + "/keystone-fernet-keys belongs to the release keystone: ", "remove the annotation kupenstack.io/release from it",
		"ConfigMap " + w.name + "/keystone-bin belongs to the release keystone: ", "remove the annotation meta.helm.sh/release-name from it",
	} {
		if diff.Action != unit.ActionBlocked || !strings.Contains(diff.Reason, want) {
			t.Errorf("nothing of %q in %+v", want, diff)
		}
	}
	if data := w.live("secrets", "keystone-fernet-keys").Object["data"].(map[string]any); len(data) != 1 || data["0"] != "b2xk" {
		t.Errorf("keys: %v", data)
	}
	if data := w.live("configmaps", "keystone-bin").Object["data"].(map[string]any); data["k"] != "theirs" || !w.exists("configmaps", "notice") {
		t.Errorf("of the release: %v", data)
	}
	w.gone(d, target)
	if !w.exists("secrets", "keystone-fernet-keys") || !w.exists("configmaps", "keystone-bin") || w.exists("configmaps", "notice") {
		t.Error("the wrong ones are gone")
	}
}

// What we make beside our releases neither writes what one has, nor deletes it; a namespace of one is used, and stays.
func TestWhatWeMakeLeavesReleasesAsTheyAre(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	namespace := object(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+w.name+", labels: {app.kubernetes.io/managed-by: Helm}, annotations: {"+ofRelease+"}}")
	_, err := w.resource("namespaces", "").Create(w.ctx, namespace, metav1.CreateOptions{FieldManager: "helm"})
	w.must(err)
	d, told := w.driver(nil)
	route := func(name, class, annotations string) string {
		return "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: " + name + ", namespace: " + w.name + ", " + annotations + "}\n" +
			"spec: {ingressClassName: " + class + ", defaultBackend: {service: {name: s, port: {number: 80}}}}"
	}
	w.release("ingresses.networking.k8s.io", route("keystone", "theirs", "labels: {app.kubernetes.io/managed-by: Helm}, annotations: {"+ofRelease+"}"))
	w.release("secrets", annotated("Secret", w.name, "passwords", ofRelease, "{admin: b2xk}"))

	place := w.target("objects", objects(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+w.name+", labels: {pod-security.kubernetes.io/enforce: privileged}}"))
	w.converge(d, place, told)
	live, err := w.resource("namespaces", "").Get(w.ctx, w.name, metav1.GetOptions{})
	w.must(err)
	if labels := live.GetLabels(); labels["pod-security.kubernetes.io/enforce"] != "privileged" || labels[kube.LabelManagedBy] != "Helm" {
		t.Errorf("the namespace has the labels %v", labels)
	}
	if diff := w.compare(d, place); diff.Action != unit.ActionNone {
		t.Errorf("the namespace: %+v", diff)
	}

	routes := w.target("routes", objects(t, route("keystone", "ours", "labels: {}"), route("glance", "ours", "labels: {}")))
	generated := w.target("credentials", credentials(w.name))
	for _, target := range []unit.Target{routes, generated} {
		if diff := w.compare(d, target); diff.Action == unit.ActionAdopt || !strings.Contains(diff.Reason, " belongs to the release keystone: KupenStack makes one of that name itself") {
			t.Errorf("%s: %+v", target.Address, diff)
		}
		if state, err := d.Apply(w.ctx, target, cty.NilVal, w.observe(d, target)); err != nil && !unit.IsBlocked(err) || state.Installed {
			t.Errorf("%s: %+v, %v", target.Address, state, err)
		}
		if diff := w.compare(d, target); diff.Action != unit.ActionBlocked {
			t.Errorf("%s: %+v", target.Address, diff)
		}
	}
	w.gone(d, routes)
	w.gone(d, place)
	_, err = d.Delete(w.ctx, generated, w.observe(d, generated))
	w.must(err)
	if class, _, _ := unstructured.NestedString(w.live("ingresses.networking.k8s.io", "keystone").Object, "spec", "ingressClassName"); class != "theirs" {
		t.Errorf("the route is of %q", class)
	}
	if data := w.live("secrets", "passwords").Object["data"].(map[string]any); len(data) != 1 || data["admin"] != "b2xk" {
		t.Error("the Secret has other values")
	}
	if live, err = w.resource("namespaces", "").Get(w.ctx, w.name, metav1.GetOptions{}); err != nil || live.GetDeletionTimestamp() != nil || w.exists("ingresses.networking.k8s.io", "glance") {
		t.Errorf("the wrong ones are gone: %v", err)
	}
}

// What was taken over from a release before that was refused goes on being written, and stays when it is taken out or
// the block goes; with it what somebody wants to be kept.
func TestManifestsDeleteNothingOfReleases(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, told := w.driver(nil)
	target := w.target("manifest", objects(t, configMap(w.name, "a", "{k: v}"), configMap(w.name, "b", "{k: v}"), configMap(w.name, "c", "{k: v}"), configMap(w.name, "d", "{k: v}")))
	mark := ", " + kube.AnnotationUnit + ": " + target.Address.String()
	w.release("configmaps", annotated("ConfigMap", w.name, "a", ofRelease+mark, "{k: theirs}"))
	w.release("configmaps", annotated("ConfigMap", w.name, "b", ofHook+mark, "{k: theirs}"))
	if state := w.converge(d, target, told); !state.Ready() || w.live("configmaps", "a").Object["data"].(map[string]any)["k"] != "v" {
		t.Errorf("taken over: %+v", state)
	}
	drain(told)
	_, err := w.resource("configmaps", w.name).Patch(w.ctx, "c", types.MergePatchType,
		[]byte(`{"metadata":{"annotations":{"helm.sh/resource-policy":"keep"}}}`), metav1.PatchOptions{})
	w.must(err)
	ref := unit.RefOf(target.Spec.(*unit.Objects).Items[2])
	w.hears(told, target.Address, func() bool {
		found, err := w.cluster.Get(w.ctx, ref)
		w.must(err)
		return found[ref].GetAnnotations()["helm.sh/resource-policy"] == "keep"
	})

	less := unit.Target{Address: target.Address, Locator: target.Locator, Spec: &unit.Objects{Items: target.Spec.(*unit.Objects).Items[3:]}}
	if diff := w.compare(d, less); diff.Prunes != 0 {
		t.Errorf("taken out: %+v", diff)
	}
	w.converge(d, less, told)
	w.gone(d, target)
	for name, want := range map[string]bool{"a": true, "b": true, "c": true, "d": false} {
		if w.exists("configmaps", name) != want {
			t.Errorf("%s is there: %v", name, !want)
		}
	}
}

// A manifest may write Helm's annotations itself, such as to hand its objects on to a chart later: they are its own.
func TestManifestsWithAnnotationsOfHelm(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, told := w.driver(nil)
	all := ofRelease + ", " + ofHook + ", " + keeps
	target := w.target("manifest", objects(t, annotated("ConfigMap", w.name, "a", all, "{k: v}"), annotated("ConfigMap", w.name, "b", all, "{k: v}")))
	if state := w.converge(d, target, told); !state.Ready() || !state.Owned {
		t.Fatalf("made: %+v", state)
	}
	drain(told)
	w.edit("configmaps", "a", `{"data":{"k":"edited"}}`)
	if diff := w.drifts(told, d, target); diff.Action != unit.ActionUpdate || len(diff.Fields) != 1 {
		t.Errorf("edited: %+v", diff)
	}
	w.converge(d, target, told)
	changed := w.target("manifest", objects(t, annotated("ConfigMap", w.name, "a", all, "{k: changed}")))
	changed.Locator = target.Locator
	if diff := w.compare(d, changed); diff.Action != unit.ActionUpdate || diff.Prunes != 1 {
		t.Errorf("changed: %+v", diff)
	}
	w.converge(d, changed, told)
	if w.live("configmaps", "a").Object["data"].(map[string]any)["k"] != "changed" || w.exists("configmaps", "b") {
		t.Error("the change was not made")
	}

	// Under another address it is a manifest's as before.
	moved := changed
	moved.Address = addr.MustParseObject("module.other.manifest." + w.name)
	if diff := w.compare(d, moved); diff.Action != unit.ActionAdopt || !strings.Contains(diff.Reason, "belonged to "+target.Address.String()) {
		t.Errorf("in another block: %+v", diff)
	}
	w.converge(d, moved, told)
	w.gone(d, moved)
	if w.exists("configmaps", "a") {
		t.Error("it was not deleted")
	}
}
