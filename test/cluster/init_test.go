//go:build beds

package cluster_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// The watch shows every state, however short it was.
func TestInitContainersRunBeforeTheOthers(t *testing.T) {
	t.Parallel()
	client := testbed.Cluster(t).Client()
	namespace := newNamespace(t, client)
	watch, err := client.CoreV1().Pods(namespace).Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=ordered"})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	pod := newPod("ordered", nil, "first", "second")
	sidecar := corev1.Container{Name: "sidecar", Image: "registry.example/sidecar:1", RestartPolicy: new(corev1.ContainerRestartPolicyAlways)}
	pod.Spec.InitContainers = append(pod.Spec.InitContainers, sidecar)
	pod.Spec.RestartPolicy = corev1.RestartPolicyNever
	createPod(t, client, namespace, pod)

	notReady := condition(corev1.PodReady, corev1.ConditionFalse)
	completed := inits(map[string]string{"first": "completed", "second": "completed", "sidecar": "running"})
	expected := []struct {
		state  string
		checks []podCheck
	}{
		{"initializing", []podCheck{
			phase(corev1.PodPending), condition(corev1.PodInitialized, corev1.ConditionFalse), notReady,
			inits(map[string]string{"first": "running", "second": "waiting", "sidecar": "waiting"}), waiting("PodInitializing"),
		}},
		{"initialized", []podCheck{
			phase(corev1.PodPending), condition(corev1.PodInitialized, corev1.ConditionTrue), notReady,
			completed, waiting("PodInitializing"),
		}},
		{"running", []podCheck{running, completed}},
		{"succeeded", []podCheck{succeeded(""), condition(corev1.PodInitialized, corev1.ConditionTrue), completed}},
	}
	var seen, want []string
	for _, e := range expected {
		want = append(want, e.state)
	}
	limit := time.After(patience)
	for !slices.Equal(seen, want) {
		select {
		case <-limit:
			t.Fatalf("seen only %v", seen)
		case event, open := <-watch.ResultChan():
			pod, ok := event.Object.(*corev1.Pod)
			if !open || !ok {
				t.Fatalf("the watch ended with %+v", event)
			}
			if pod.Status.StartTime == nil {
				continue // not yet scheduled, or not yet seen by its kubelet
			}
			next := expected[len(seen)]
			if err := verify(pod, next.checks...); err != nil {
				t.Fatalf("after %v not %s: %v", seen, next.state, err)
			}
			seen = append(seen, next.state)
		}
	}
}
