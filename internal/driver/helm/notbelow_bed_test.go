//go:build beds

package helm_test

import (
	"testing"
	"testing/fstest"

	"helm.sh/helm/v3/pkg/release"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A broker that runs by what the chart has gets no older version by the first one that somebody writes, and goes on as it is.
func TestAnOlderVersionIsHeldBack(t *testing.T) {
	b := newBed(t, brokerChart())
	write := func(version string) {
		b.change(func(r *unit.Release) { r.Values["version"], r.KeepsUp = version, []string{"broker"} })
	}
	b.settle()
	write("3.13")
	_, diff := b.observe()
	if diff.Action != unit.ActionBlocked {
		t.Fatalf("it is to be %s: %s", diff.Action, diff.Reason)
	}
	mustSay(t, diff.Reason, "StatefulSet", "runs 4.3 of broker", "an older version (3.13)")
	write("4.4")
	b.settle()
	if got := b.revisions(); got != "1 superseded, 2 deployed" {
		t.Errorf("there are %s", got)
	}
}

// The upgrade may have got far enough to convert what the broker keeps before it failed. Who knows better deletes what it left.
func TestAnOlderVersionThanWasTriedIsHeldBack(t *testing.T) {
	b := newBed(t, brokerChart())
	write := func(version string) {
		b.change(func(r *unit.Release) { r.Values["version"], r.KeepsUp = version, []string{"broker"} })
	}
	write("4.3.5")
	b.settle()
	write("4.4.1")
	b.settle()
	for version, status := range map[int]release.Status{1: release.StatusDeployed, 2: release.StatusFailed} {
		stored, err := b.store().Get("app", version)
		if err != nil {
			t.Fatal(err)
		}
		stored.Info.Status = status
		if err := b.store().Update(stored); err != nil {
			t.Fatal(err)
		}
	}
	b.restart()
	write("4.3.5")
	_, diff := b.observe()
	if diff.Action != unit.ActionBlocked {
		t.Fatalf("it is to be %s: %s", diff.Action, diff.Reason)
	}
	mustSay(t, diff.Reason, "to 4.4 of broker failed", "write 4.4, or a newer version", "the last one is sh.helm.release.v1.app.v2")

	if err := b.client.CoreV1().Secrets(b.namespace).Delete(t.Context(), "sh.helm.release.v1.app.v2", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	b.settle()
	broker, err := b.client.AppsV1().StatefulSets(b.namespace).Get(t.Context(), "broker", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if image := broker.Spec.Template.Spec.Containers[0].Image; image != "registry.example.org/broker:4.3.5" || b.revisions() != "1 deployed" {
		t.Errorf("it runs %s, revisions %s", image, b.revisions())
	}
}

// brokerChart has a program that keeps data, of a version that is a value.
func brokerChart() fstest.MapFS {
	return fstest.MapFS{
		"charts/app/Chart.yaml":  file("apiVersion: v2\nname: app\nversion: 1.2.3\n"),
		"charts/app/values.yaml": file("replicas: 2\ngreeting: hi\nbig: 1\nauth: {password: password}\nversion: 4.3.5\n"),
		"charts/app/templates/broker.yaml": file(`apiVersion: apps/v1
kind: StatefulSet
metadata: {name: broker}
spec:
  replicas: 0
  serviceName: broker
  selector: {matchLabels: {app: broker}}
  template:
    metadata: {labels: {app: broker}}
    spec: {containers: [{name: broker, image: "registry.example.org/broker:{{ .Values.version }}"}]}
`),
	}
}
