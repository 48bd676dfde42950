//go:build beds

package helm_test

import (
	"maps"
	"testing"
	"testing/fstest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// remainderTemplate is for nodes in none of some slots, with a name that has a hash of them, as in OpenStack-Helm's charts.
const remainderTemplate = `
{{- $name := printf "compute-default-%s" (.Values.slots | toString | sha256sum | trunc 8) }}
apiVersion: v1
kind: Secret
metadata: {name: {{ $name }}}
data: {compute.conf: {{ .Values.greeting | b64enc | quote }}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: {{ $name }}}
spec:
  selector: {matchLabels: {app: compute}}
  updateStrategy: {type: OnDelete}
  template:
    metadata:
      labels: {app: compute}
      annotations: {configmap-etc-hash: {{ printf "%s %s" $name .Values.greeting | sha256sum }}}
    spec:
      affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kupenstack-slot, operator: NotIn, values: {{ .Values.slots | toJson }}}]}]}}}
      containers: [{name: main, image: example.org/compute:1}]
      volumes: [{name: etc, secret: {secretName: {{ $name }}}}]
`

func remainderBed(t *testing.T, keeps bool) *bed {
	b := newBed(t, fstest.MapFS{
		"charts/app/Chart.yaml":             file("apiVersion: v2\nname: app\nversion: 1.0.0\n"),
		"charts/app/values.yaml":            file("slots: []\ngreeting: ''\nversion: 1\nkind: ClusterIP\nauth: {password: ''}\nreplicas: 0\nbig: 0\n"),
		"charts/app/templates/daemons.yaml": file(remainderTemplate),
	})
	b.change(func(spec *unit.Release) { spec.OnDelete = true })
	b.keepNames(keeps)
	b.slots("1", "0")
	return b
}

func (b *bed) keepNames(keeps bool) {
	b.change(func(spec *unit.Release) {
		if spec.Remainders = nil; keeps {
			spec.Remainders = []unit.Remainder{{Name: "compute-default", Label: unit.SlotLabel}}
		}
	})
}

// slots brings the release to these, and returns its DaemonSets with their pods.
func (b *bed) slots(slots ...any) (sets map[string]types.UID, pods map[string]types.UID) {
	b.t.Helper()
	b.change(func(spec *unit.Release) { spec.Values["slots"] = slots })
	b.settle()
	list, err := b.client.AppsV1().DaemonSets(b.namespace).List(b.t.Context(), metav1.ListOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	sets, pods = map[string]types.UID{}, map[string]types.UID{}
	for i := range list.Items {
		sets[list.Items[i].Name] = list.Items[i].UID
	}
	for _, pod := range b.pods("compute") {
		pods[pod.Spec.NodeName] = pod.UID
	}
	if _, diff := b.observe(); diff.Action != unit.ActionNone {
		b.t.Errorf("at rest with %v it is %+v", slots, diff)
	}
	if len(sets) != 1 || len(pods) == 0 {
		b.t.Errorf("with %v there are %v with %v", slots, sets, pods)
	}
	return sets, pods
}

// A further slot leaves the DaemonSet for nodes of no slot and its pods alone.
func TestNamesThatStay(t *testing.T) {
	b := remainderBed(t, true)
	sets, pods := b.slots("1", "0")
	if _, there := sets["compute-default"]; !there {
		t.Errorf("there are %v", sets)
	}
	if more, same := b.slots("2", "1", "0"); !maps.Equal(more, sets) || !maps.Equal(same, pods) {
		t.Errorf("of %v with %v come %v with %v", sets, pods, more, same)
	}
}

// A release that was installed before names were kept keeps the one that it has: nothing happens to it before there is a
// further slot, and then its pods are replaced node by node, once.
func TestNamesOfBeforeThatStay(t *testing.T) {
	b := remainderBed(t, false)
	sets, pods := b.slots("1", "0")
	b.keepNames(true)
	if same, running := b.slots("1", "0"); !maps.Equal(same, sets) || !maps.Equal(running, pods) {
		t.Errorf("of %v with %v come %v with %v", sets, pods, same, running)
	}
	more, replaced := b.slots("2", "1", "0")
	if !maps.Equal(more, sets) || len(replaced) != len(pods) {
		t.Errorf("of %v with %v come %v with %v", sets, pods, more, replaced)
	}
	if most, same := b.slots("3", "2", "1", "0"); !maps.Equal(most, sets) || !maps.Equal(same, replaced) {
		t.Errorf("of %v with %v come %v with %v", more, replaced, most, same)
	}
}

// A release of before whose history was lost is installed over what is there, and not beside it.
func TestNamesWithoutAHistory(t *testing.T) {
	b := remainderBed(t, false)
	sets, pods := b.slots("1", "0")
	if err := b.client.CoreV1().Secrets(b.namespace).DeleteCollection(b.t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "owner=helm"}); err != nil {
		t.Fatal(err)
	}
	b.keepNames(true)
	if same, running := b.slots("1", "0"); !maps.Equal(same, sets) || !maps.Equal(running, pods) {
		t.Errorf("of %v with %v come %v with %v", sets, pods, same, running)
	}
}
