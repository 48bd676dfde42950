//go:build beds

package helm_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestRepairsWhatCannotBeApplied: a chart has two names for a port, and a variable twice, which Kubernetes takes and no apply
// does. What somebody changes there is put back all the same, and what others have beside it stays as long as both can be.
func TestRepairsWhatCannotBeApplied(t *testing.T) {
	b := newBed(t, fstest.MapFS{
		"charts/app/Chart.yaml": file("apiVersion: v2\nname: app\nversion: 1.0.0\n"),
		"charts/app/templates/app.yaml": file(`apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec:
  replicas: 1
  selector: {matchLabels: {app: app}}
  template:
    metadata: {labels: {app: app}}
    spec:
      containers:
        - name: app
          image: registry.example.org/app:1
          env: [{name: A, value: "1"}, {name: B, value: "2"}, {name: A, value: "3"}]
          ports: [{containerPort: 80, name: http}, {containerPort: 80, name: metrics}]
          resources: {limits: {cpu: "0.5"}}
`),
	})
	b.change(func(r *unit.Release) { r.Values, r.Secrets = map[string]any{}, nil })
	b.settle()
	deployments := b.client.AppsV1().Deployments(b.namespace)
	differs := func(_ unit.State, diff unit.Diff) bool { return diff.Action != unit.ActionNone }
	wantBack := func(what, change, others string) {
		t.Helper()
		b.until("seen to be "+what, differs)
		b.settle()
		app, err := deployments.Get(t.Context(), "app", metav1.GetOptions{})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		c := app.Spec.Template.Spec.Containers[0]
		got := fmt.Sprintf("%d %s %s", *app.Spec.Replicas, c.Image, change)
		if beside := fmt.Sprint(len(app.Spec.Template.Spec.Containers), len(app.Spec.Template.Spec.Volumes), c.ReadinessProbe != nil); beside != others {
			t.Errorf("%s: of what others have beside it there is %s, want %s", what, beside, others)
		}
		for _, v := range c.Env {
			got += " " + v.Name + "=" + v.Value
		}
		for _, p := range c.Ports {
			got += " " + p.Name
		}
		if want := "1 registry.example.org/app:1 " + change + " A=1 B=2 A=3 http metrics"; got != want {
			t.Errorf("%s: it is %s, want %s", what, got, want)
		}
		if app.Labels["theirs"] != change {
			t.Errorf("%s: the label of others is %q", what, app.Labels["theirs"])
		}
	}
	const beside = `{"spec": {"template": {"spec": {"volumes": [{"name": "v", "emptyDir": {}}], "containers": [{"name": "side", "image": "registry.example.org/side:1"}, {"name": "app", "readinessProbe": {"exec": {"command": ["true"]}}}]}}}}`
	if _, err := deployments.Patch(t.Context(), "app", types.StrategicMergePatchType, []byte(beside), metav1.PatchOptions{FieldManager: "somebody"}); err != nil {
		t.Fatal(err)
	}
	if _, diff := b.observe(); diff.Action != unit.ActionNone {
		t.Errorf("what others have beside it is %+v", diff)
	}
	for _, c := range []struct{ what, patch, others string }{
		{"scaled", `{"metadata": {"labels": {"theirs": "stays"}}, "spec": {"replicas": 3}}`, "2 1 true"},
		{"edited", `{"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "registry.example.org/other:1"}]}}}}`, "2 1 true"},
		// a variable that cannot have both values
		{"told otherwise", `{"spec": {"template": {"spec": {"containers": [{"name": "app", "env": [{"name": "B", "value": null, "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]}]}}}}`, "1 1 false"},
	} {
		if _, err := deployments.Patch(t.Context(), "app", types.StrategicMergePatchType, []byte(c.patch), metav1.PatchOptions{FieldManager: "somebody"}); err != nil {
			t.Fatal(err)
		}
		wantBack(c.what, "stays", c.others)
	}
	if err := deployments.Delete(t.Context(), "app", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	wantBack("deleted", "", "1 0 false")
	if got := b.revisions(); got != "1 deployed" {
		t.Errorf("the revisions are %s", got)
	}
}
