package helm

import (
	"errors"
	"slices"
	"strings"
	"testing"

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
