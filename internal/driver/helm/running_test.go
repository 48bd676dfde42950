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
	}}
	v := &view{namespace: "o", live: map[unit.ObjectRef]*unstructured.Unstructured{}}
	for name, desired := range map[string]int64{"nova-compute-default": 3, "nova-compute-slot-1": 2, "nova-compute-slot-2": 0, "nova-computer": 1} {
		set := daemonSet(name, "OnDelete", "1", "")
		set.Object["status"] = map[string]any{"desiredNumberScheduled": desired}
		v.live[refOf(set)] = set
	}
	on := (&Driver{api: api}).running(v)
	for name, want := range map[string][]string{"nova-compute": {"w1", "w2", "w3", "w4"}, "nova-computer": {"other"}, "neutron-ovs-agent": nil} {
		if got, err := on(t.Context(), name); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s works on %q, %v, want %q", name, got, err, want)
		}
	}
	api.refused = map[string]error{"pods": errors.New("forbidden")}
	if got, err := on(t.Context(), "nova-computer"); got != nil || err == nil || !strings.Contains(err.Error(), "look at the pods of nova-computer: forbidden") {
		t.Errorf("%q, %v", got, err)
	}
}
