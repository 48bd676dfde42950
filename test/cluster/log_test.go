//go:build beds

package cluster_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

func TestContainerLogs(t *testing.T) {
	t.Parallel()
	bed := testbed.Cluster(t)
	client := bed.Client()
	namespace := newNamespace(t, client)
	// A crash-looping pod too: that is when people read logs.
	createPod(t, client, namespace, newPod("talker", map[string]string{cluster.AnnotationBehave: cluster.BehaveCrashLoop}))
	createPod(t, client, namespace, newPod("silent", nil, "wait"))
	waitPod(t, client, namespace, "talker", crashing(cluster.DefaultRestarts, ""))
	waitPod(t, client, namespace, "silent", running)

	logs := func(pod string, options *corev1.PodLogOptions) string {
		t.Helper()
		data, err := client.CoreV1().Pods(namespace).GetLogs(pod, options).Do(t.Context()).Raw()
		if err != nil {
			t.Fatalf("logs of %s: %v", pod, err)
		}
		return string(data)
	}
	for _, container := range []string{"", "main", "wait"} {
		if got := logs("silent", &corev1.PodLogOptions{Container: container}); strings.Count(got, "\n") != 1 {
			t.Errorf("container %q of a pod without a log of its own says %q, want one line", container, got)
		}
	}
	if err := bed.SetPodLog(t.Context(), namespace, "talker", "Access denied for user 'keystone'", "giving up"); err != nil {
		t.Fatal(err)
	}
	if got, want := logs("talker", &corev1.PodLogOptions{}), "Access denied for user 'keystone'\ngiving up\n"; got != want {
		t.Errorf("the log is %q, want %q", got, want)
	}
	if got, want := logs("talker", &corev1.PodLogOptions{TailLines: new(int64(1))}), "giving up\n"; got != want {
		t.Errorf("the last line is %q, want %q", got, want)
	}
	if err := bed.SetPodLog(t.Context(), namespace, "talker", "connected"); err != nil {
		t.Fatal(err)
	}
	if got, want := logs("talker", &corev1.PodLogOptions{}), "connected\n"; got != want {
		t.Errorf("the log is %q after a change, want %q", got, want)
	}
	if err := bed.SetPodLog(t.Context(), namespace, "talker"); err != nil {
		t.Fatal(err)
	}
	if got := logs("talker", &corev1.PodLogOptions{}); got != "" {
		t.Errorf("the log is %q, want nothing", got)
	}
}
