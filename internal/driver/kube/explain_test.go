package kube

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestExplainPods(t *testing.T) {
	const waiting = "{spec: {initContainers: [{name: init, env: [{name: DEPENDENCY_SERVICE, value: 'openstack:mariadb'}, {name: DEPENDENCY_DAEMONSET}, {name: X, value: z}]}]}, " +
		"status: {phase: Pending, initContainerStatuses: [{name: init, state: {running: {}}}], containerStatuses: [{name: api, state: {waiting: {reason: PodInitializing}}}]}}"
	const crashing = "{status: {phase: Running, containerStatuses: [{name: api, state: {waiting: {reason: CrashLoopBackOff, message: back-off of pod api-x}}, lastState: {terminated: {exitCode: 3}}}]}}"
	tests := []struct {
		name string
		pods []string
		want []string
	}{
		{"ready", []string{"{status: {phase: Running, containerStatuses: [{name: api, ready: true, state: {running: {}}}]}}"}, nil},
		{"done", []string{"{status: {phase: Succeeded, containerStatuses: [{name: api, state: {terminated: {exitCode: 0}}}]}}"}, nil},
		{"on its way out", []string{"{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}, status: {phase: Running, containerStatuses: [{name: api, state: {running: {}}}]}}"}, nil},
		{"dependencies", []string{waiting}, []string{"init container init waits for service openstack:mariadb"}},
		{
			"the most frequent cause first",
			[]string{waiting, crashing, crashing},
			[]string{"container api waits: CrashLoopBackOff, it ended with code 3 (2 pods)", "init container init waits for service openstack:mariadb"},
		},
		{
			"an image",
			[]string{"{status: {containerStatuses: [{name: api, image: 'x:9', state: {waiting: {reason: ImagePullBackOff, message: pod api-x}}}]}}"},
			[]string{"container api waits: ImagePullBackOff x:9"},
		},
		{
			"no node",
			[]string{"{status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: 0/3 nodes match}]}}"},
			[]string{"Unschedulable: 0/3 nodes match"},
		},
		{
			"an init container that failed",
			[]string{"{spec: {initContainers: [{name: a}]}, status: {initContainerStatuses: [{name: a, state: {terminated: {exitCode: 1, message: no route}}}]}}"},
			[]string{"init container a ended with code 1: no route"},
		},
		{
			"the second init container",
			[]string{"{spec: {initContainers: [{name: a}, {name: b}]}, status: {initContainerStatuses: [{name: a, state: {terminated: {exitCode: 0}}}, {name: b, state: {running: {}}}]}}"},
			[]string{"init container b has not finished"},
		},
		{"not ready", []string{"{status: {phase: Running, containerStatuses: [{name: api, state: {running: {}}}]}}"}, []string{"container api runs, but is not ready"}},
		{
			"a secret that is missing",
			[]string{"{status: {containerStatuses: [{name: api, state: {waiting: {reason: CreateContainerConfigError, message: secret x not found}}}]}}"},
			[]string{"container api waits: CreateContainerConfigError: secret x not found"},
		},
		{"evicted", []string{"{status: {phase: Failed, reason: Evicted, message: disk pressure}}"}, []string{"the pod failed: Evicted disk pressure"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := explainPods(podsOf(t, test.pods)); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestExplainIsBounded(t *testing.T) {
	var texts []string
	for i := range 30 {
		texts = append(texts, fmt.Sprintf("{status: {containerStatuses: [{name: c%02d, state: {running: {}}}]}}", i))
	}
	got := explainPods(podsOf(t, texts))
	if len(got) != maxLines || got[maxLines-1] != "and 21 more causes" {
		t.Errorf("got %q", got)
	}
}

func podsOf(t *testing.T, texts []string) []corev1.Pod {
	t.Helper()
	pods := make([]corev1.Pod, len(texts))
	for i, text := range texts {
		object := parse(t, "{apiVersion: v1, kind: Pod, "+text[1:])
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &pods[i]); err != nil {
			t.Fatal(err)
		}
	}
	return pods
}
