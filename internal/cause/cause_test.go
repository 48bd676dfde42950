package cause_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/cause"
)

const at = "2026-08-01T12:00:00Z"

func TestOf(t *testing.T) {
	const waiting = "{metadata: {namespace: openstack}, spec: {initContainers: [{name: init, env: [{name: DEPENDENCY_SERVICE, value: 'openstack:mariadb,ceph:rgw'}, {name: DEPENDENCY_DAEMONSET}, {name: X, value: z}]}]}, " +
		"status: {phase: Pending, initContainerStatuses: [{name: init, state: {running: {}}}], containerStatuses: [{name: api, state: {waiting: {reason: PodInitializing}}}]}}"
	const crashing = "{status: {phase: Running, containerStatuses: [{name: api, restartCount: 4, state: {waiting: {reason: CrashLoopBackOff, message: back-off of pod api-x}}, lastState: {terminated: {exitCode: 137, reason: OOMKilled}}}]}}"
	const again = "{status: {phase: Running, containerStatuses: [{name: api, restartCount: 4, state: {running: {startedAt: '2026-08-01T11:59:00Z'}}, lastState: {terminated: {exitCode: 137, reason: OOMKilled}}}]}}"
	const ready = "{status: {phase: Running, containerStatuses: [{name: api, ready: true, state: {running: {}}}], conditions: [{type: Ready, status: 'True'}]}}"
	tests := []struct {
		name string
		pods []string
		want []string
	}{
		{"ready", []string{ready}, nil},
		{"done", []string{"{status: {phase: Succeeded, containerStatuses: [{name: api, state: {terminated: {exitCode: 0}}}]}}"}, nil},
		{"on its way out", []string{"{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}, status: {phase: Running, containerStatuses: [{name: api, state: {running: {}}}]}}"}, nil},
		{
			"on its way out of a node that is down",
			[]string{"{metadata: {deletionTimestamp: '2026-01-01T00:00:00Z'}, spec: {nodeName: down}, status: {phase: Running}}"},
			[]string{"the pod cannot end: its node down is not ready"},
		},
		{"a node that is down", []string{"{spec: {nodeName: down}, " + ready[1:]}, []string{"its node down is not ready"}},
		{"dependencies", []string{waiting}, []string{"init container init waits for Service mariadb, Service ceph/rgw"}},
		{
			"what is stuck before what waits, however many do",
			[]string{waiting, waiting, crashing},
			[]string{"container api crashes (CrashLoopBackOff), restarts: 4: it ended with code 137 (OOMKilled)", "init container init waits for Service mariadb, Service ceph/rgw (2 pods)"},
		},
		{"crashes, and has just been started again", []string{crashing, again}, []string{"container api crashes (CrashLoopBackOff), restarts: 4: it ended with code 137 (OOMKilled) (2 pods)"}},
		{
			"runs for long since a crash",
			[]string{strings.Replace(again, "11:59", "11:09", 1)},
			[]string{"container api runs, but is not ready"},
		},
		{
			"many restarts",
			[]string{strings.Replace(crashing, "restartCount: 4", "restartCount: 87", 1)},
			[]string{"container api crashes (CrashLoopBackOff), restarts: more than 30: it ended with code 137 (OOMKilled)"},
		},
		{
			"its last words",
			[]string{"{status: {containerStatuses: [{name: api, state: {terminated: {exitCode: 1, reason: Error, message: \"no  such\\nfile\"}}}]}}"},
			[]string{"container api ended with code 1: no such file"},
		},
		{
			"its last words are its log",
			[]string{"{spec: {containers: [{name: api, terminationMessagePolicy: FallbackToLogsOnError}]}, status: {containerStatuses: [{name: api, state: {terminated: {exitCode: 1, message: secret}}}]}}"},
			[]string{"container api ended with code 1"},
		},
		{
			"an image, as two reasons take turns",
			[]string{
				"{status: {containerStatuses: [{name: api, image: 'x:9', state: {waiting: {reason: ImagePullBackOff, message: 'Back-off pulling image \"x:9\": ErrImagePull: x:9: not found'}}}]}}",
				"{status: {containerStatuses: [{name: api, image: 'x:9', state: {waiting: {reason: ErrImagePull, message: 'rpc error: code = NotFound desc = failed to resolve reference \"x:9\": x:9: not found'}}}]}}",
			},
			[]string{"container api waits: ImagePullBackOff x:9: the registry has no such image (2 pods)"},
		},
		{
			"a registry that wants credentials",
			[]string{"{status: {containerStatuses: [{name: api, image: 'x:9', state: {waiting: {reason: ErrImagePull, message: 'failed to authorize: 401 Unauthorized'}}}]}}"},
			[]string{"container api waits: ImagePullBackOff x:9: the registry does not let us in: it wants credentials, or others"},
		},
		{
			"no node",
			[]string{"{status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: '0/3 nodes are available: 3 Insufficient memory. preemption: 0/3 nodes are available: 3 No preemption victims found.'}]}}"},
			[]string{"Unschedulable: 0/3 nodes are available: 3 Insufficient memory"},
		},
		{
			"no node, as Kubernetes 1.34 says it",
			[]string{`{status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."}]}}`},
			[]string{"Unschedulable: 0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector"},
		},
		{
			"an init container that failed",
			[]string{"{spec: {initContainers: [{name: a}]}, status: {initContainerStatuses: [{name: a, state: {terminated: {exitCode: 1, message: no route}}}]}}"},
			[]string{"init container a ended with code 1: no route"},
		},
		{
			"an init container that crashes",
			[]string{"{spec: {initContainers: [{name: a}]}, status: {initContainerStatuses: [{name: a, restartCount: 2, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 2}}}]}}"},
			[]string{"init container a crashes (CrashLoopBackOff), restarts: 2: it ended with code 2"},
		},
		{
			"what a program says of its end, without logs",
			[]string{"{status: {phase: Running, containerStatuses: [{name: connect, restartCount: 2, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1, reason: Error, " +
				"message: \"eth1 of node worker-1.example.org is not connected to the physical network public: the default route is on eth1, and would be lost; take another device\\n\"}}}]}}"},
			[]string{"container connect crashes (CrashLoopBackOff), restarts: 2: it ended with code 1: eth1 of node worker-1.example.org is not connected to the physical network public: the default route is on eth1, and would be lost; take another device"},
		},
		{
			"the second init container",
			[]string{"{spec: {initContainers: [{name: a}, {name: b}]}, status: {initContainerStatuses: [{name: a, state: {terminated: {exitCode: 0}}}, {name: b, state: {running: {}}}]}}"},
			[]string{"init container b has not finished"},
		},
		{
			"a sidecar runs on",
			[]string{"{spec: {initContainers: [{name: a, restartPolicy: Always}]}, status: {initContainerStatuses: [{name: a, started: true, state: {running: {}}}], containerStatuses: [{name: api, state: {running: {}}}]}}"},
			[]string{"container api runs, but is not ready"},
		},
		{
			"a secret that is missing",
			[]string{"{status: {containerStatuses: [{name: api, state: {waiting: {reason: CreateContainerConfigError, message: \"couldn't find key pw in Secret openstack/x\"}}}]}}"},
			[]string{"container api waits: CreateContainerConfigError: couldn't find key pw in Secret openstack/x"},
		},
		{
			"names that change",
			[]string{"{metadata: {name: api-7d9-abcde, generateName: api-7d9-}, status: {containerStatuses: [{name: api, state: {waiting: {reason: RunContainerError, " +
				"message: 'task 0123456789abcdef0123456789abcdef of pod api-7d9-abcde with x@sha256:0123456789abcdef0123456789abcdef'}}}]}}"},
			[]string{"container api waits: RunContainerError: task … of pod api-7d9-* with x@sha256:0123456789abcdef0123456789abcdef"},
		},
		{"evicted", []string{"{status: {phase: Failed, reason: Evicted, message: disk pressure}}"}, []string{"a pod failed: Evicted: disk pressure"}},
		{
			"a job whose pods failed, and the next one waits",
			[]string{
				"{status: {phase: Failed, containerStatuses: [{name: sync, state: {terminated: {exitCode: 1, reason: Error}}}]}}",
				"{status: {phase: Failed, containerStatuses: [{name: sync, state: {terminated: {exitCode: 1, reason: Error}}}]}}",
				waiting,
			},
			[]string{"init container init waits for Service mariadb, Service ceph/rgw", "a pod failed: sync ended with code 1 (2 pods)"},
		},
		{
			"the worst container",
			[]string{"{status: {containerStatuses: [{name: a, state: {running: {}}}, {name: b, image: 'x:1', state: {waiting: {reason: ErrImageNeverPull}}}]}}"},
			[]string{"container b waits: ErrImageNeverPull x:1"},
		},
		{"no scheduler", []string{"{status: {phase: Pending}}"}, []string{"the scheduler default-scheduler has not looked at the pod yet"}},
		{
			"a scheduler that is not there",
			[]string{"{spec: {schedulerName: volcano}, status: {phase: Pending, conditions: [{type: Ready, status: 'False'}]}}"},
			[]string{"the scheduler volcano has not looked at the pod yet"},
		},
		{"a pod with a node", []string{"{status: {phase: Pending, conditions: [{type: PodScheduled, status: 'True'}]}}"}, nil},
		{"the kubelet has not begun", []string{"{spec: {nodeName: n}, status: {phase: Pending}}"}, []string{"the pod has a node, which has not begun it"}},
		{
			"readiness gates",
			[]string{"{status: {phase: Running, containerStatuses: [{name: a, ready: true}], conditions: [{type: Ready, status: 'False', reason: ReadinessGatesNotReady, message: 'the status of pod readiness gate \"x\" is not \"True\"'}]}}"},
			[]string{`all containers are ready, but not the pod: the status of pod readiness gate "x" is not "True"`},
		},
		{
			"a member",
			[]string{"{metadata: {name: db-1, ownerReferences: [{kind: StatefulSet}]}, status: {containerStatuses: [{name: a, state: {running: {}}}]}}"},
			[]string{"container a runs, but is not ready (pod db-1)"},
		},
		{
			"on one node",
			[]string{"{metadata: {name: x-abc, ownerReferences: [{kind: DaemonSet}]}, spec: {nodeName: n1}, status: {containerStatuses: [{name: a, state: {running: {}}}]}}"},
			[]string{"container a runs, but is not ready (pod x-abc on node n1)"},
		},
		{
			"of a Deployment",
			[]string{"{metadata: {name: x-7d9-abc, ownerReferences: [{kind: ReplicaSet}]}, status: {containerStatuses: [{name: a, state: {running: {}}}]}}"},
			[]string{"container a runs, but is not ready (pod x-7d9-abc)"},
		},
		{
			"several of a Deployment",
			[]string{
				"{metadata: {name: x-7d9-b, ownerReferences: [{kind: ReplicaSet}]}, status: {containerStatuses: [{name: a, state: {running: {}}}]}}",
				"{metadata: {name: x-7d9-a, ownerReferences: [{kind: ReplicaSet}]}, status: {containerStatuses: [{name: a, state: {running: {}}}]}}",
			},
			[]string{"container a runs, but is not ready (2 pods, such as x-7d9-a)"},
		},
		{
			"a pod by itself, which was named",
			[]string{"{metadata: {name: x}, status: {containerStatuses: [{name: a, state: {running: {}}}]}}"},
			[]string{"container a runs, but is not ready"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := lines(findings(t, test.pods...)); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestWhatElseToAsk(t *testing.T) {
	creating := findings(t, "{metadata: {name: b}, status: {containerStatuses: [{name: api, state: {waiting: {reason: ContainerCreating}}}]}}",
		"{metadata: {name: a}, status: {containerStatuses: [{name: api, state: {waiting: {reason: ContainerCreating}}}]}}",
		"{metadata: {name: c}, spec: {initContainers: [{name: init}]}, status: {initContainerStatuses: [{name: init, state: {running: {}}}]}}")
	last := &creating[1]
	if len(creating) != 2 || !last.Events || last.Pod.Name != "a" {
		t.Fatalf("got %+v", creating)
	}
	last.Add("no such secret")
	cause.Sort(creating)
	if got := lines(creating); got[0] != "container api is being created: no such secret (2 pods)" {
		t.Errorf("what is known to be stuck does not come first: %q", got)
	}
	unbound := findings(t, "{spec: {volumes: [{name: x, persistentVolumeClaim: {claimName: data}}, {name: y}]}, "+
		"status: {conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: 'pod has unbound immediate PersistentVolumeClaims.'}]}}")
	if !slices.Equal(unbound[0].Claims, []string{"data"}) {
		t.Errorf("claims %q", unbound[0].Claims)
	}
	crash := findings(t, "{status: {containerStatuses: [{name: api, restartCount: 1, state: {waiting: {reason: CrashLoopBackOff}}}]}}")
	if crash[0].Container != "api" || !crash[0].Previous {
		t.Errorf("the log of %+v", crash[0])
	}
}

func TestLogsInMessages(t *testing.T) {
	e := cause.Evidence{Logs: true, Pods: pods(t, "{spec: {containers: [{name: api, terminationMessagePolicy: FallbackToLogsOnError}]}, "+
		"status: {containerStatuses: [{name: api, state: {terminated: {exitCode: 1, message: from the log}}}]}}")}
	if got := cause.Of(e)[0].Text; got != "container api ended with code 1: from the log" {
		t.Errorf("got %q", got)
	}
}

func TestTold(t *testing.T) {
	pod := pods(t, "{metadata: {name: api-7d9-abcde, generateName: api-7d9-}, status: {podIPs: [{ip: 10.0.0.1}]}}")[0]
	events := func(texts ...string) []corev1.Event {
		var found []corev1.Event
		for _, text := range texts {
			var event corev1.Event
			parse(t, text, &event)
			found = append(found, event)
		}
		return found
	}
	tests := []struct {
		name   string
		events []corev1.Event
		want   string
	}{
		{"none", nil, ""},
		{"none that tells", events("{reason: Scheduled, message: it has a node}"), ""},
		{
			"the last one", events("{reason: FailedMount, message: new, lastTimestamp: '"+at+"'}", "{reason: FailedMount, message: old, lastTimestamp: '2026-08-01T11:00:00Z'}",
				"{reason: Pulled, message: newest, lastTimestamp: '2026-08-01T13:00:00Z'}"), "new",
		},
		{"one that goes on", events("{reason: FailedMount, message: new, eventTime: '2026-08-01T10:00:00.000000Z', series: {lastObservedTime: '2026-08-01T12:00:00.000000Z'}}",
			"{reason: Unhealthy, message: old, lastTimestamp: '2026-08-01T11:00:00Z'}"), "new"},
		{
			"what changes", events("{reason: Unhealthy, message: 'Readiness probe failed: Get \"http://10.0.0.1:80/\": dial tcp 10.0.0.1:80: not 10.0.0.11, of api-7d9-abcde'}"),
			`Readiness probe failed: Get "http://POD:80/": dial tcp POD:80: not 10.0.0.11, of api-7d9-*`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := cause.Told(&pod, test.events); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	for message, want := range map[string]string{
		"": "",
		`pods "api-7d9-abcde" is forbidden: exceeded quota: small`:                                           "its pods cannot be made: pods is forbidden: exceeded quota: small",
		`Error creating: pods "x-abcde" is forbidden: no account`:                                            "its pods cannot be made: pods is forbidden: no account",
		`create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: violates PodSecurity "x"`: `its pods cannot be made: pods is forbidden: violates PodSecurity "x"`,
	} {
		if got := cause.Refused(message); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestCoarse(t *testing.T) {
	for n, want := range map[int]string{1: "1", 5: "5", 6: "more than 5", 10: "more than 5", 11: "more than 10", 1000: "more than 300", 5000: "more than 1000"} {
		if got := cause.Coarse(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

func findings(t *testing.T, texts ...string) []cause.Finding {
	t.Helper()
	now, err := time.Parse(time.RFC3339, at)
	if err != nil {
		t.Fatal(err)
	}
	return cause.Of(cause.Evidence{Pods: pods(t, texts...), Down: map[string]bool{"down": true}, Now: now})
}

func lines(found []cause.Finding) []string {
	var lines []string
	for i := range found {
		lines = append(lines, found[i].Line())
	}
	return lines
}

func pods(t *testing.T, texts ...string) []corev1.Pod {
	t.Helper()
	pods := make([]corev1.Pod, len(texts))
	for i, text := range texts {
		parse(t, text, &pods[i])
	}
	return pods
}

func parse(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// TestCleanOfNamesThatWereNotMade: what is no name made from another one, or no address, is left as it stands.
func TestCleanOfNamesThatWereNotMade(t *testing.T) {
	for _, test := range []struct{ name, from, ip, want string }{
		{"api-abc", "api-", "10.0.0.7", "api-* at POD:80 failed"},
		{"", "api-", "", "api-abc at 10.0.0.7:80 failed"},
		{"a", "api-", "(", "api-abc at 10.0.0.7:80 failed"},
		{"api-", "api-", "10.0.0", "api-abc at 10.0.0.7:80 failed"},
	} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: test.name, GenerateName: test.from}, Status: corev1.PodStatus{PodIPs: []corev1.PodIP{{IP: test.ip}}}}
		if got := cause.Clean(pod, "api-abc at 10.0.0.7:80 failed"); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}
