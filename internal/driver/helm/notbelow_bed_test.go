//go:build beds

package helm_test

import (
	"testing"
	"testing/fstest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A broker that runs by what the chart has gets no older version by the first one that somebody writes, and goes on as it is.
func TestAnOlderVersionIsHeldBack(t *testing.T) {
	b := newBed(t, fstest.MapFS{
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
	})
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
