//go:build beds

package kube_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// What a new version of a manifest takes away from an object is told before, as it is done then: not what others have put
// there, nor what they want as well, nor what Kubernetes has filled in.
func TestWhatAManifestTakesAwayIsTold(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	d, told := w.driver(nil)
	head := func(kind, name string) string {
		version := map[string]string{"Deployment": "apps/v1"}[kind]
		if version == "" {
			version = "v1"
		}
		return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata:\n  namespace: " + w.name + "\n  name: " + name + "\n"
	}
	deployment := head("Deployment", "d") + "spec:\n  replicas: 0\n  selector: {matchLabels: {app: x}}\n  template:\n    metadata: {labels: {app: x}}\n    spec:\n"
	before := objects(
		t,
		head("ConfigMap", "c")+"  labels: {team: a, tier: b}\ndata: {k: v, gone: old, shared: s}",
		head("Secret", "s")+"data: {k: dg==, gone: b2xk}",
		head("Secret", "clear")+"stringData: {k: v, gone: old}",
		deployment+"      priorityClassName: system-node-critical\n"+
			"      containers: [{name: api, image: x, command: [run], env: [{name: A, value: a}, {name: B, value: b}], ports: [{containerPort: 80}, {containerPort: 81}]}, {name: beside, image: beside}]",
	)
	after := objects(
		t,
		head("ConfigMap", "c")+"  labels: {team: a}\ndata: {k: v}",
		head("Secret", "s")+"data: {k: dg==}",
		head("Secret", "clear")+"stringData: {k: v}",
		deployment+"      containers: [{name: api, image: x, env: [{name: A, value: a}], ports: [{containerPort: 80}]}]",
	)
	target := w.target("manifest", before)
	w.converge(d, target, told)
	w.edit("configmaps", "c", `{"data":{"theirs":"t"}}`)
	_, err := w.resource("configmaps", w.name).Patch(w.ctx, "c", types.ApplyPatchType,
		[]byte(head("ConfigMap", "c")+"data: {shared: s}"), metav1.PatchOptions{FieldManager: "another"})
	w.must(err)
	_, err = w.resource("deployments.apps", w.name).Patch(w.ctx, "d", types.StrategicMergePatchType,
		[]byte(`{"spec":{"template":{"spec":{"containers":[{"name":"api","env":[{"name":"C","value":"c"}]}]}}}}`), metav1.PatchOptions{FieldManager: "mesh"})
	w.must(err)
	deployed := unit.RefOf(before.Items[3])
	w.hears(told, target.Address, func() bool { // else the watch may be behind
		there, err := w.cluster.Get(w.ctx, deployed)
		w.must(err)
		text, err := json.Marshal(there[deployed].Object["spec"])
		w.must(err)
		return strings.Contains(string(text), `{"name":"C","value":"c"}`) && there[deployed].GetAnnotations()["deployment.kubernetes.io/revision"] == "2" // and its controller has seen it
	})

	target = w.target("manifest", after)
	want := []string{
		"ConfigMap " + w.name + "/c data.gone: old",
		"ConfigMap " + w.name + "/c metadata.labels.tier: b",
		"Deployment " + w.name + `/d spec.template.spec.containers[api].command: ["run"]`,
		"Deployment " + w.name + `/d spec.template.spec.containers[api].env[B]: {"name":"B","value":"b"}`,
		"Deployment " + w.name + `/d spec.template.spec.containers[api].ports[81/TCP]: {"containerPort":81,"protocol":"TCP"}`,
		"Deployment " + w.name + `/d spec.template.spec.containers[beside]: {"image":"beside","name":"beside"}`,
		"Deployment " + w.name + "/d spec.template.spec.priorityClassName: system-node-critical",
		"Secret " + w.name + "/clear data.gone: (sensitive)",
		"Secret " + w.name + "/s data.gone: (sensitive)",
	}
	lines := func() []string {
		t.Helper()
		diff := w.compare(d, target)
		if diff.Action != unit.ActionUpdate {
			t.Errorf("the plan is %+v", diff)
		}
		var lines []string
		for _, f := range diff.Fields {
			if f.After != "" {
				t.Errorf("it says that %s becomes %q", f.Path, f.After)
			}
			lines = append(lines, f.Path+": "+f.Before)
		}
		slices.Sort(lines)
		return lines
	}
	if got := lines(); !slices.Equal(got, want) {
		t.Errorf("it takes away\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	offset := w.offset()
	for range 3 { // what is held back is looked at again and again
		lines()
	}
	all, _ := w.requests(offset)
	for _, request := range all {
		if !strings.Contains(request, "/pods?") { // why the Deployment is not ready is another question
			t.Errorf("a change that waits costs %s", request)
		}
	}

	w.converge(d, target, told)
	live, err := w.resource("configmaps", w.name).Get(w.ctx, "c", metav1.GetOptions{})
	w.must(err)
	if data, _ := live.Object["data"].(map[string]any); len(data) != 3 || data["shared"] != "s" || data["theirs"] != "t" {
		t.Errorf("the ConfigMap has %v", data)
	}
	for _, name := range []string{"s", "clear"} {
		live, err := w.resource("secrets", w.name).Get(w.ctx, name, metav1.GetOptions{})
		w.must(err)
		if data, _ := live.Object["data"].(map[string]any); len(data) != 1 {
			t.Errorf("the Secret %s has %v", name, data)
		}
	}
	if diff := w.compare(d, target); diff.Action != unit.ActionNone {
		t.Errorf("afterwards: %+v", diff)
	}
}
