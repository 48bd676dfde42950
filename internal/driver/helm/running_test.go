package helm

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestNodesThatDaemonSetsWorkOn(t *testing.T) {
	works := func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	ends := func(p *corev1.Pod) {
		now := metav1.Now()
		p.DeletionTimestamp, p.Finalizers = &now, []string{"x/y"}
	}
	api := &server{pods: []*corev1.Pod{
		podOf("nova-compute-default", "w2", works), podOf("nova-compute-default", "w4", works), podOf("nova-compute-default", "starts"),
		podOf("nova-compute-slot-1", "w1", works), podOf("nova-compute-slot-1", "w3", works, ends), podOf("nova-compute-slot-2", "w5", works),
		podOf("nova-computer", "other", works), podOf("somebody's", "stray", works),
		podOf("ovn-controller", "w6", works), podOf("ovn-controller", "w7"),
	}}
	v := &view{namespace: "o", live: map[unit.ObjectRef]*unstructured.Unstructured{}}
	for name, desired := range map[string]int64{"nova-compute-default": 3, "nova-compute-slot-1": 2, "nova-compute-slot-2": 0, "nova-computer": 1} {
		set := daemonSet(name, "OnDelete", "1", "")
		set.Object["status"] = map[string]any{"desiredNumberScheduled": desired}
		v.live[refOf(set)] = set
	}
	other := daemonSet("ovn-controller", "OnDelete", "1", "")
	other.Object["status"] = map[string]any{"desiredNumberScheduled": int64(2)}
	on := (&Driver{api: api, cluster: newShelf(other)}).running(v)
	for _, test := range []struct {
		name   string
		beside bool
		want   []string
	}{
		{"nova-compute", false, []string{"w1", "w2", "w3", "w4"}},
		{"nova-computer", false, []string{"other"}},
		{"neutron-ovs-agent", false, nil},
		{"ovn-controller", true, []string{"w6"}},
		{"ovn-controller", false, nil},
		{"nova-compute", true, nil}, // none has exactly that name
	} {
		if got, err := on(t.Context(), unit.Program{DaemonSet: test.name, Beside: test.beside}); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s works on %q, %v, want %q", test.name, got, err, test.want)
		}
	}
	api.refused = map[string]error{"pods": errors.New("forbidden")}
	if got, err := on(t.Context(), unit.Program{DaemonSet: "nova-computer"}); got != nil || err == nil || !strings.Contains(err.Error(), "look at the pods of nova-computer: forbidden") {
		t.Errorf("%q, %v", got, err)
	}
}

// A node that Kubernetes has not got to yet counts by what it will make there.
func TestNodesThatDaemonSetsAreToWorkOn(t *testing.T) {
	node := func(name string, labels map[string]any, taints ...any) *unstructured.Unstructured {
		n := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": name, "labels": labels}}}
		if len(taints) > 0 {
			n.Object["spec"] = map[string]any{"taints": taints}
		}
		return n
	}
	taint := func(key, value, effect string) any {
		return map[string]any{"key": key, "value": value, "effect": effect}
	}
	compute := map[string]any{"compute": "enabled"}
	slot := map[string]any{"compute": "enabled", "profile": "big"}
	other, leaves := daemonSet("ovn-controller", "OnDelete", "1", ""), daemonSet("nova-compute-leaves", "OnDelete", "1", "In gone")
	leaves.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
	shelf := newShelf(
		other, node("fits", compute), node("slot", slot), node("none", nil), node("gone", map[string]any{"compute": "enabled", "profile": "gone"}),
		node("cordoned", compute, taint("node.kubernetes.io/unschedulable", "", "NoSchedule")),
		node("away", compute, taint("node.kubernetes.io/unreachable", "", "NoSchedule"), taint("node.kubernetes.io/unreachable", "", "NoExecute")),
		node("tainted", compute, taint("maintenance", "yes", "NoExecute")),
		node("suffered", compute, taint("rack", "7", "NoSchedule"), taint("maintenance", "yes", "PreferNoSchedule")),
		node("stranger", compute),
	)
	v := &view{namespace: "o", name: "nova", live: map[unit.ObjectRef]*unstructured.Unstructured{}}
	for _, set := range []*unstructured.Unstructured{
		daemonSet("nova-compute-default", "OnDelete", "1", "NotIn big,gone"), daemonSet("nova-compute-slot-1", "OnDelete", "1", "In big"),
		daemonSet("nova-computer", "OnDelete", "1", "In gone"), leaves,
	} {
		pod := set.Object["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
		pod["tolerations"] = []any{
			map[string]any{"key": "rack", "operator": "Equal", "value": "7"},
			map[string]any{"key": "node.kubernetes.io/unreachable", "operator": "Exists"},
		}
		v.live[refOf(set)] = set
	}
	d := &Driver{api: &server{}, cluster: shelf}
	hosts := []string{"away", "cordoned", "fits", "gone", "none", "slot", "suffered", "tainted", "unknown"}
	programs := []unit.Program{
		{DaemonSet: "nova-compute", Hosts: hosts},
		{DaemonSet: "nova-computer", Hosts: hosts},
		{DaemonSet: "ovn-controller", Beside: true, Hosts: hosts},
		{DaemonSet: "nothing", Beside: true, Hosts: hosts},
	}
	want := [][]string{{"away", "cordoned", "fits", "slot", "suffered"}, {"gone"}, {"cordoned", "fits", "gone", "slot"}, nil}
	got, err := d.expected(t.Context(), v, programs)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for i, program := range programs {
		if nodes, err := d.running(v)(t.Context(), program); err != nil || !slices.Equal(nodes, want[i]) {
			t.Errorf("%s: got %q, %v", program.DaemonSet, nodes, err)
		}
	}
}

func TestMoreNodesAreExpected(t *testing.T) {
	for _, test := range []struct {
		before, now [][]string
		want        bool
	}{
		{nil, nil, false},
		{nil, [][]string{nil, nil}, false},
		{[][]string{{"a"}, {"a", "b"}}, nil, false}, // which is for not known
		{[][]string{{"a"}, {"a", "b"}}, [][]string{{"a"}, {"b"}}, false},
		{[][]string{{"a"}, {"a"}}, [][]string{{"a"}, {"b"}}, true},
		{nil, [][]string{nil, {"b"}}, true},
	} {
		if got := grew(test.before, test.now); got != test.want {
			t.Errorf("from %q to %q: %v", test.before, test.now, got)
		}
	}
}
