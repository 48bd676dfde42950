//go:build beds

package helm_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

const daemonTemplate = `
{{- range $name := list "agent" "compute" }}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: {{ $name }}}
spec:
  selector: {matchLabels: {app: {{ $name }}}}
  updateStrategy: {type: OnDelete}
  template:
    metadata:
      labels: {app: {{ $name }}}
      annotations: {other: ""{{ with $.Values.behave }}, testbed.kupenstack.io/behave: {{ . }}{{ end }}}
    spec:
      containers:
      - {name: main, image: "example.org/{{ $name }}:{{ $.Values.version }}"}
{{- end }}
`

// daemonBed is a release of two DaemonSets whose pods Kubernetes leaves alone.
func daemonBed(t *testing.T) *bed {
	b := newBed(t, fstest.MapFS{
		"charts/app/Chart.yaml":             file("apiVersion: v2\nname: app\nversion: 1.0.0\n"),
		"charts/app/values.yaml":            file("version: 1\nbehave: ''\nkind: ClusterIP\nauth: {password: ''}\ngreeting: ''\nreplicas: 0\nbig: 0\n"),
		"charts/app/templates/daemons.yaml": file(daemonTemplate),
		"charts/app/templates/service.yaml": file("apiVersion: v1\nkind: Service\nmetadata: {name: app}\nspec: {type: {{ .Values.kind }}, ports: [{port: 80}]}\n"),
	})
	b.change(func(spec *unit.Release) { spec.OnDelete = true })
	return b
}

// A DaemonSet whose chart does not read that Kubernetes is to leave its pods alone has them left alone all the same, as
// Helm sends and stores it.
func TestDaemonsThatDoNotReadIt(t *testing.T) {
	b := daemonBed(t)
	b.tree["charts/app/templates/daemons.yaml"] = file(strings.ReplaceAll(daemonTemplate, "  updateStrategy: {type: OnDelete}\n", ""))
	b.restart()
	b.settle()
	for version := 1; version <= 2; version++ {
		b.change(func(spec *unit.Release) { spec.Values["version"] = int64(version) })
		b.settle()
		for _, name := range []string{"agent", "compute"} {
			set, err := b.client.AppsV1().DaemonSets(b.namespace).Get(t.Context(), name, metav1.GetOptions{})
			if err != nil || set.Spec.UpdateStrategy.Type != appsv1.OnDeleteDaemonSetStrategyType {
				t.Errorf("version %d: %s has the strategy %q, %v", version, name, set.Spec.UpdateStrategy.Type, err)
			}
		}
		if _, diff := b.observe(); diff.Action != unit.ActionNone {
			t.Errorf("version %d: at rest it is %+v", version, diff)
		}
	}
	if got := b.images(); len(got) != 2 {
		t.Errorf("the pods have the images %v", got)
	}
}

func (b *bed) pods(app string) []corev1.Pod {
	b.t.Helper()
	list, err := b.client.CoreV1().Pods(b.namespace).List(b.t.Context(), metav1.ListOptions{LabelSelector: "app=" + app})
	if err != nil {
		b.t.Fatal(err)
	}
	return list.Items
}

// disturbed are the nodes on which a pod of the release is missing or not ready, of all that it runs on.
func (b *bed) disturbed() (nodes []string) {
	b.t.Helper()
	working := map[string]int{}
	for _, app := range []string{"agent", "compute"} {
		for _, pod := range b.pods(app) {
			ready := slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
				return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
			})
			if working[pod.Spec.NodeName] += 0; ready && pod.DeletionTimestamp == nil {
				working[pod.Spec.NodeName]++
			}
		}
	}
	all, err := b.client.CoreV1().Nodes().List(b.t.Context(), metav1.ListOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, node := range all.Items {
		if working[node.Name] < 2 {
			nodes = append(nodes, node.Name)
		}
	}
	return nodes
}

// images are those of all pods of the release, by how many have them.
func (b *bed) images() map[string]int {
	b.t.Helper()
	found := map[string]int{}
	for _, app := range []string{"agent", "compute"} {
		for _, pod := range b.pods(app) {
			found[pod.Spec.Containers[0].Image]++
		}
	}
	return found
}

// Pods that Kubernetes leaves alone are replaced by us: those of one node, and the next node's once they are
// ready, also by a process that was killed in between.
func TestDaemonsAreReplacedNodeByNode(t *testing.T) {
	b := daemonBed(t)
	var asked []map[string]time.Time
	down := ""
	b.options = func(o *helm.Options) {
		o.HostsDown = func(_ context.Context, release string, made map[string]time.Time) (string, error) {
			asked = append(asked, made)
			return down, nil
		}
	}
	b.restart()
	b.settle()
	nodes := len(b.pods("compute"))
	if nodes < 2 || b.disturbed() != nil {
		t.Fatalf("%d nodes, of which %q do not work", nodes, b.disturbed())
	}

	b.change(func(spec *unit.Release) { spec.Values["version"] = int64(2) })
	if _, diff := b.observe(); diff.Action != unit.ActionRestart || !strings.Contains(diff.Cost, "node by node") {
		t.Errorf("another image: %+v", diff)
	}
	state, _ := b.observe()
	if _, err := b.apply(state); err != nil { // the revision
		t.Fatal(err)
	}
	steps := 0
	b.until("replaced", func(state unit.State, diff unit.Diff) bool {
		if hit := b.disturbed(); len(hit) > 1 {
			t.Fatalf("the pods of %q are away at once", hit)
		}
		if diff.Action == unit.ActionNone {
			return state.Ready()
		}
		if !diff.Continues || diff.Action != unit.ActionRestart {
			t.Fatalf("in between: %+v", diff)
		}
		if !diff.Waits {
			steps++
			b.restart() // the process is killed
		}
		return false
	})
	want := map[string]int{"example.org/agent:2": nodes, "example.org/compute:2": nodes}
	if got := b.images(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("pods: %v, want %v", got, want)
	}
	if steps != nodes {
		t.Errorf("%d steps for %d nodes", steps, nodes)
	}
	if len(asked) == 0 || len(asked[len(asked)-1]) != nodes-1 {
		t.Errorf("OpenStack was asked about %v, at last not about all nodes before the last one", asked)
	}
	for node, at := range asked[len(asked)-1] {
		if time.Since(at) > time.Hour || !slices.ContainsFunc(b.pods("compute"), func(p corev1.Pod) bool {
			return p.Spec.NodeName == node && !p.CreationTimestamp.After(at)
		}) {
			t.Errorf("the pods on %s were made at %s, it was told", node, at)
		}
	}

	// A service of OpenStack that is down on a node which was replaced holds back the others.
	down = "compute on a node is down"
	b.change(func(spec *unit.Release) { spec.Values["version"] = int64(3) })
	b.until("held back", func(state unit.State, diff unit.Diff) bool {
		return diff.Waits && strings.Contains(diff.Reason, down) && state.Ready()
	})
	if got := b.images(); got["example.org/compute:3"] != 1 || got["example.org/compute:2"] != nodes-1 {
		t.Errorf("pods: %v", got)
	}
	down = ""
	b.settle()
	b.remove()
}

// What does not work on one node does not come to the next, and what mends it begins there.
func TestDaemonsThatDoNotComeUpStopTheRollout(t *testing.T) {
	b := daemonBed(t)
	b.settle()
	nodes := len(b.pods("compute"))
	b.change(func(spec *unit.Release) {
		spec.Values["version"], spec.Values["behave"] = int64(2), cluster.BehaveNeverReady
	})
	b.until("stopped", func(state unit.State, diff unit.Diff) bool {
		return diff.Waits && strings.Contains(diff.Reason, "is not ready") && strings.Contains(diff.Reason, fmt.Sprintf("%d are left", 2*nodes-2)) && !state.Ready()
	})
	first := b.disturbed()
	if len(first) != 1 {
		t.Fatalf("%q do not work", first)
	}
	b.restart()
	state, _ := b.observe()
	if _, err := b.apply(state); err != nil {
		t.Fatal(err)
	}
	if got := b.images(); got["example.org/compute:2"] != 1 {
		t.Errorf("pods: %v", got)
	}

	// Going back is another revision, which the pods of the other nodes have already: those stay.
	kept := map[string]bool{}
	for _, pod := range b.pods("compute") {
		kept[pod.Name] = pod.Spec.NodeName != first[0]
	}
	b.change(func(spec *unit.Release) { delete(spec.Values, "version"); delete(spec.Values, "behave") })
	b.settle()
	for _, pod := range b.pods("compute") {
		if before, ok := kept[pod.Name]; pod.Spec.NodeName != first[0] && (!ok || !before) {
			t.Errorf("the pod on %s was replaced for nothing", pod.Spec.NodeName)
		}
	}
	var set *appsv1.DaemonSet
	set, err := b.client.AppsV1().DaemonSets(b.namespace).Get(t.Context(), "compute", metav1.GetOptions{})
	if err != nil || set.Status.UpdatedNumberScheduled != int32(nodes) || time.Since(set.CreationTimestamp.Time) < 0 {
		t.Errorf("%+v, %v", set, err)
	}
}

// A release that has gone back has its own pods brought to all nodes all the same.
func TestDaemonsOfAReleaseThatWentBack(t *testing.T) {
	b := daemonBed(t)
	b.change(rollBack)
	b.settle()
	nodes := len(b.pods("compute"))
	b.change(func(spec *unit.Release) { spec.Values["version"] = int64(2) })
	b.until("begun", func(unit.State, unit.Diff) bool { return b.images()["example.org/compute:2"] == 1 })
	b.change(func(spec *unit.Release) { spec.Values["version"], spec.Values["kind"] = int64(3), "NoSuchKind" })
	b.until("back", func(state unit.State, diff unit.Diff) bool {
		return diff.Action == unit.ActionBlocked && state.Release == unit.ReleaseRolledBack && state.Ready()
	})
	want := map[string]int{"example.org/agent:2": nodes, "example.org/compute:2": nodes}
	if got := b.images(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("pods: %v, want %v", got, want)
	}
}
