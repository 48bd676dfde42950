//go:build beds

package helm_test

import (
	"testing"
	"testing/fstest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// mislaidChart has keys as Keystone's: a hook makes them once, they stay, and pods mount them. Others are mounted by none, or
// only where they are there.
func mislaidChart() fstest.MapFS {
	hook := func(name string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata:\n  name: " + name + "\n  annotations: {helm.sh/hook: pre-install, helm.sh/hook-delete-policy: hook-failed, helm.sh/resource-policy: keep}\n"
	}
	return fstest.MapFS{
		"charts/app/Chart.yaml":              file("apiVersion: v2\nname: app\nversion: 1.2.3\n"),
		"charts/app/values.yaml":             file("replicas: 2\ngreeting: hi\nbig: 1\nauth: {password: password}\n"),
		"charts/app/templates/keys.yaml":     file(hook("app-keys")),
		"charts/app/templates/optional.yaml": file(hook("app-optional")),
		"charts/app/templates/idle.yaml":     file(hook("app-idle")),
		"charts/app/templates/deployment.yaml": file(`apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec:
  selector: {matchLabels: {app: app}}
  template:
    metadata: {labels: {app: app}}
    spec:
      containers: [{name: app, image: registry.example.org/app, volumeMounts: [{name: keys, mountPath: /keys}]}]
      volumes: [{name: keys, secret: {secretName: app-keys}}, {name: optional, secret: {secretName: app-optional, optional: true}}]
`),
	}
}

// Keys that somebody deleted are told at once, and not when the next pod hangs; and that they are back, too.
func TestKeysThatAreGoneAreTold(t *testing.T) {
	b := newBed(t, mislaidChart())
	b.settle()
	secrets := b.client.CoreV1().Secrets(b.namespace)
	remove := func(name string) {
		t.Helper()
		if err := secrets.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	remove("app-optional")
	remove("app-idle")
	if state, diff := b.observe(); !state.Ready() || diff.Action != unit.ActionNone {
		t.Errorf("without what no pod needs it is %s, %q, %+v", state.Health, state.Message, diff)
	}
	remove("app-keys")
	state := b.until("told", func(state unit.State, _ unit.Diff) bool { return state.Health == unit.HealthFailed })
	mustSay(t, state.Message, "app-keys is gone", "restore it from a backup")
	if _, err := secrets.Create(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "app-keys"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if state, _ := b.observe(); !state.Ready() {
		t.Errorf("once they are back it is %s, %q", state.Health, state.Message)
	}
}
