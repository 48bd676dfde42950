package cause

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// FuzzOf explains any pods and events. Whatever they say, the same causes come of the same pods in any order, each in one
// line, and no cause is much longer than what was said.
func FuzzOf(f *testing.F) {
	f.Add(`[{"metadata":{"name":"api-abc","generateName":"api-","namespace":"o"},"spec":{"nodeName":"n","containers":[{"name":"api","image":"i"}]},"status":{"phase":"Running",`+
		`"podIPs":[{"ip":"10.0.0.7"}],"containerStatuses":[{"name":"api","image":"i","restartCount":7,"state":{"waiting":{"reason":"CrashLoopBackOff"}},`+
		`"lastState":{"terminated":{"exitCode":1,"reason":"Error","message":"api-abc at 10.0.0.7:80 failed"}}}]}}]`, `[]`)
	f.Add(`[{"metadata":{"name":"b"},"spec":{"initContainers":[{"name":"init","image":"i","env":[{"name":"DEPENDENCY_SERVICE","value":"o:keystone-api,,:x"},`+
		`{"name":"DEPENDENCY_POD_JSON","value":"[{\"labels\":{\"a\":\"b\"},\"requireSameNode\":true}]"},{"name":"DEPENDENCY_JOBS_JSON","value":"{"}]}]},`+
		`"status":{"phase":"Pending","initContainerStatuses":[{"name":"init","state":{"running":{}}}]}}]`, `[]`)
	f.Add(`[{"metadata":{"name":"c","ownerReferences":[{"kind":"StatefulSet"}]},"spec":{"volumes":[{"persistentVolumeClaim":{"claimName":"x"}}]},`+
		`"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"persistentvolumeclaim \"x\" not found. preemption: none"}]}},`+
		`{"metadata":{"name":"d"},"status":{"phase":"Failed","message":"evicted"}},{"metadata":{"name":"","generateName":"long-"},"status":{"phase":"Failed","message":"evicted","podIPs":[{"ip":"("}]}}]`,
		`[{"reason":"FailedMount","message":"MountVolume failed","lastTimestamp":"2026-01-01T00:00:00Z","series":{"count":1}}]`)
	f.Fuzz(func(t *testing.T, podsText, eventsText string) {
		var pods []corev1.Pod
		var events []corev1.Event
		if json.Unmarshal([]byte(podsText), &pods) != nil || json.Unmarshal([]byte(eventsText), &events) != nil {
			return
		}
		explain := func(pods []corev1.Pod) []string {
			found := Of(Evidence{Pods: pods, Down: map[string]bool{"down": true}, Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
			var lines []string
			for i := range found {
				f := &found[i]
				if f.Pod == nil || f.Pods < 1 {
					t.Fatalf("a cause of no pod: %+v", f)
				}
				f.Waiting(map[Dependency]string{})
				f.Add(Told(f.Pod, events))
				lines = append(lines, f.Line())
			}
			return lines
		}
		lines := explain(pods)
		names := map[string]bool{}
		for i := range pods {
			names[pods[i].Name] = true
		}
		if turned := slices.Clone(pods); len(names) == len(pods) { // as in any cluster
			slices.Reverse(turned)
			if again := explain(turned); !slices.Equal(again, lines) {
				t.Errorf("in another order %q became %q", lines, again)
			}
		}
		said := len(podsText) + len(eventsText)
		for _, line := range append(lines, Refused(podsText), Told(nil, events)) {
			if len(line) > 3*said+1000 {
				t.Errorf("%d bytes became a cause of %d", said, len(line))
			}
			if strings.Contains(Clean(nil, line), "\n") {
				t.Errorf("a message has lines: %q", line)
			}
		}
	})
}
