//go:build beds

package kube_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// nobody schedules these pods, so that their states are those that a test writes.
const unplayed = "schedulerName: nobody"

// make applies an object of the test's namespace and returns its name.
func (w *world) make(text string) unit.ObjectRef {
	w.t.Helper()
	live, err := w.cluster.Apply(w.ctx, kube.Manager, object(w.t, strings.Replace(text, "metadata: {", "metadata: {namespace: "+w.name+", ", 1)))
	w.must(err)
	return unit.RefOf(live.Object)
}

// deployment makes one of a single pod, and returns its name.
func (w *world) deployment(name, annotations, spec string) unit.ObjectRef {
	w.t.Helper()
	return w.make(fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: %s}\nspec: {replicas: 1, selector: {matchLabels: {app: %[1]s}}, "+
		"template: {metadata: {labels: {app: %[1]s}, annotations: {%s}}, spec: {%s}}}", name, annotations, spec))
}

// pod waits for the pod of an application.
func (w *world) pod(name string) *corev1.Pod {
	w.t.Helper()
	pods := w.bed.Client().CoreV1().Pods(w.name)
	for look := time.Tick(50 * time.Millisecond); ; {
		list, err := pods.List(w.ctx, metav1.ListOptions{LabelSelector: "app=" + name})
		w.must(err)
		if len(list.Items) > 0 {
			return &list.Items[0]
		}
		select {
		case <-look:
		case <-w.ctx.Done():
			w.t.Fatalf("%s has no pod", name)
		}
	}
}

// says writes the status of an application's pod.
func (w *world) says(name, status string) *corev1.Pod {
	w.t.Helper()
	pod := w.pod(name)
	text, err := yaml.YAMLToJSON([]byte("status: " + status))
	w.must(err)
	_, err = w.bed.Client().CoreV1().Pods(w.name).Patch(w.ctx, pod.Name, types.StrategicMergePatchType, text, metav1.PatchOptions{}, "status")
	w.must(err)
	return pod
}

// explained waits until that is the most telling cause: most of what is looked at nobody watches.
func (w *world) explained(ref unit.ObjectRef, want string) {
	w.t.Helper()
	var got []string
	limit := time.After(time.Minute)
	for look := time.Tick(100 * time.Millisecond); ; {
		if got = w.cluster.Explain(w.ctx, ref, nil).Causes; len(got) > 0 && strings.HasPrefix(got[0], want) {
			return
		}
		select {
		case <-look:
		case <-limit:
			w.t.Fatalf("%s: got\n%s\nwant\n%s", ref, strings.Join(got, "\n"), want)
		}
	}
}

func TestExplainWhatAnInitContainerWaitsFor(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	ref := w.deployment("api", "", unplayed+", initContainers: [{name: init, image: x, env: ["+
		"{name: DEPENDENCY_SERVICE, value: '"+w.name+":mariadb,"+w.name+":memcached'}, {name: DEPENDENCY_JOBS, value: 'db-sync,ks-user'}, "+
		"{name: DEPENDENCY_DAEMONSET, value: agent}, {name: DEPENDENCY_POD_JSON, value: '[{\"labels\":{\"app\":\"other\"}}]'}, "+
		"{name: DEPENDENCY_CUSTOM_RESOURCE, value: '[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"namespace\":\""+w.name+"\",\"name\":\"c\",\"fields\":[{\"key\":\"data.state\",\"value\":\"done\"}]}]'}]}], "+
		"containers: [{name: api, image: x}]")
	w.says("api", "{phase: Pending, initContainerStatuses: [{name: init, image: x, imageID: x, ready: false, restartCount: 0, state: {running: {}}}]}")
	w.make("apiVersion: v1\nkind: Service\nmetadata: {name: mariadb}\nspec: {ports: [{port: 80}]}")
	const job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: %s}\nspec: {template: {spec: {%s, restartPolicy: Never, containers: [{name: c, image: x}]}}}"
	w.make(fmt.Sprintf(job, "db-sync", unplayed))
	w.explained(ref, "init container init waits for Service mariadb (no ready endpoint), Service memcached (it is not there), Job db-sync (not complete), "+
		"Job ks-user (it is not there), DaemonSet agent (it is not there), pods app=other (no pod), ConfigMap c (it is not there)")

	// What it waits for comes, but for one thing.
	slice := "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: %[1]s, labels: {kubernetes.io/service-name: %[1]s}}\n" +
		"addressType: IPv4\nendpoints: [{addresses: [10.9.9.9], conditions: {ready: true}}]"
	w.make(fmt.Sprintf(slice, "mariadb"))
	w.make(fmt.Sprintf(slice, "memcached"))
	w.make(fmt.Sprintf(job, "ks-user", "serviceAccountName: default")) // is played, and completes
	w.make("apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent}\nspec: {selector: {matchLabels: {app: agent}}, " +
		"template: {metadata: {labels: {app: agent}}, spec: {nodeSelector: {no: node}, containers: [{name: c, image: x}]}}}")
	w.deployment("other", fmt.Sprintf("%q: %s", cluster.AnnotationBehave, cluster.BehaveNeverReady), "containers: [{name: c, image: x}]")
	w.make("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {state: canary-state}")
	w.explained(ref, "init container init waits for Job db-sync (not complete), DaemonSet agent (no pod on its node), pods app=other (no ready pod), ConfigMap c (its data.state is not done)")
}

func TestExplainWhatPodsDoNotTell(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()

	mounts := w.deployment("mounts", "", unplayed+", containers: [{name: api, image: x}]")
	pod := w.says("mounts", "{phase: Pending, containerStatuses: [{name: api, image: x, imageID: x, ready: false, restartCount: 0, state: {waiting: {reason: ContainerCreating}}}]}")
	_, err := w.bed.Client().CoreV1().Events(w.name).Create(w.ctx, &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{GenerateName: "mounts-"},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: w.name, Name: pod.Name, UID: pod.UID},
		Reason:         "FailedMount", Type: "Warning", Message: `MountVolume.SetUp failed for volume "etc" : secret "keystone-etc" not found`, LastTimestamp: metav1.Now(),
	}, metav1.CreateOptions{})
	w.must(err)
	w.explained(mounts, `container api is being created: MountVolume.SetUp failed for volume "etc" : secret "keystone-etc" not found`)

	claim := w.make("apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {storageClassName: none, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}")
	claims := w.deployment("claims", "", "containers: [{name: api, image: x}], volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]")
	w.explained(claims, "Unschedulable: ")
	w.explained(claims, w.cluster.Explain(w.ctx, claims, nil).Causes[0]) // it stays the same
	if got := w.cluster.Explain(w.ctx, claims, nil).Causes[0]; !strings.Contains(got, "PersistentVolumeClaim data has no volume of class none") {
		t.Errorf("got %q", got)
	}

	w.explained(claim, `PersistentVolumeClaim data has no volume of class none (storageclass.storage.k8s.io "none" not found)`) // also while no pod waits for it

	front := w.make("apiVersion: v1\nkind: Service\nmetadata: {name: front}\nspec: {type: LoadBalancer, loadBalancerClass: example.org/none, ports: [{port: 80}]}")
	inside := w.make("apiVersion: v1\nkind: Service\nmetadata: {name: inside}\nspec: {ports: [{port: 80}]}")
	for _, ref := range []unit.ObjectRef{front, inside} {
		service, err := w.cluster.Confirm(w.ctx, ref)
		w.must(err)
		_, err = w.bed.Client().CoreV1().Events(w.name).Create(w.ctx, &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Name: ref.Name, Namespace: w.name},
			InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Service", Namespace: w.name, Name: ref.Name, UID: service.GetUID()},
			Type:           corev1.EventTypeWarning, Reason: "AllocationFailed", Message: `Failed to allocate IP: no available IPs`,
		}, metav1.CreateOptions{})
		w.must(err)
	}
	w.explained(front, "Failed to allocate IP: no available IPs")
	if got := w.cluster.Explain(w.ctx, inside, nil); len(got.Causes) > 0 { // it needs no address
		t.Errorf("got %q", got.Causes)
	}

	w.make("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: small}\nspec: {hard: {count/configmaps: '100', pods: '2'}}")
	w.refusesPods("exceeded quota: small")
	full := w.deployment("full", "", "containers: [{name: api, image: x}]")
	w.explained(full, "its pods cannot be made: pods is forbidden: exceeded quota: small")
	db := w.make("apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec: {replicas: 1, serviceName: db, selector: {matchLabels: {app: db}}, " +
		"template: {metadata: {labels: {app: db}}, spec: {containers: [{name: c, image: x}]}}}")
	w.explained(db, "its pods cannot be made: pods is forbidden: exceeded quota: small")

	// Objects of manifests are explained as those of releases are.
	d, _ := w.driver(nil)
	target := w.target("manifests", &unit.Objects{Items: []map[string]any{object(t, fmt.Sprintf(
		"apiVersion: batch/v1\nkind: Job\nmetadata: {name: late, namespace: %s}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}", w.name)).Object}})
	_, err = d.Apply(w.ctx, target, w.observe(d, target).Outputs, w.observe(d, target))
	w.must(err)
	for look := time.Tick(100 * time.Millisecond); ; {
		state := w.observe(d, target)
		if strings.Contains(state.Message, "; its pods cannot be made: ") && strings.Contains(strings.Join(state.Details, "\n"), "exceeded quota") {
			break
		}
		select {
		case <-look:
		case <-w.ctx.Done():
			t.Fatalf("got %q, %q", state.Message, state.Details)
		}
	}
}

// What containers say is shown where it is wanted, and then without the secrets that are known.
func TestExplainWithLogs(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	const known, theirs = "canary-of-the-cluster", "canary-of-the-release"
	ref := w.deployment("talker", fmt.Sprintf("%q: %s", cluster.AnnotationBehave, cluster.BehaveCrashLoop), "containers: [{name: api, image: x}]")
	pod := w.pod("talker")
	w.must(w.bed.SetPodLog(w.ctx, w.name, pod.Name, "the first line", "connect with "+known, "refused "+theirs, "-----BEGIN KEY-----", "canary-of-two", "lines-----"))
	masker := redact.NewMasker()
	masker.Add(redact.NewSecret(known), redact.NewSecret("-----BEGIN KEY-----\ncanary-of-two\nlines-----"))
	hide := func(text string) string { return strings.ReplaceAll(text, theirs, redact.Mask) }
	for lines, want := range map[int]string{
		0: "",
		2: "log of container api, its last lines:\n| refused (sensitive)\n| (sensitive)",
		9: "log of container api, its last lines:\n| the first line\n| connect with (sensitive)\n| refused (sensitive)\n| (sensitive)",
	} {
		c, err := kube.New(kube.Options{Access: kube.NewAccess(w.bed.RESTConfig()), SystemNamespace: w.name + "-system", Masker: masker, LogLines: lines, Log: zerolog.Nop()})
		w.must(err)
		c.Start(w.ctx)
		w.explained(ref, "container api crashes (CrashLoopBackOff)")
		got := c.Explain(w.ctx, ref, hide)
		if text := strings.Join(got.Log, "\n"); text != want {
			t.Errorf("%d lines: got %q, want %q", lines, text, want)
		}
		again := []string{"another line"}
		w.must(w.bed.SetPodLog(w.ctx, w.name, pod.Name, append(again, "the first line", "connect with "+known, "refused "+theirs, "-----BEGIN KEY-----", "canary-of-two", "lines-----")...))
		if text := strings.Join(c.Explain(w.ctx, ref, hide).Log, "\n"); text != want {
			t.Errorf("%d lines: changed at once to %q", lines, text)
		}
		w.must(w.bed.SetPodLog(w.ctx, w.name, pod.Name, "the first line", "connect with "+known, "refused "+theirs, "-----BEGIN KEY-----", "canary-of-two", "lines-----"))
		c.Close()
	}
}

// refusesPods waits until no pod can be made in the namespace any more, for this reason: what admits pods learns of a quota
// a moment after it was made, and lets through what comes before.
func (w *world) refusesPods(reason string) {
	w.t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "try-"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "x"}}}}
	for look := time.Tick(100 * time.Millisecond); ; {
		_, err := w.bed.Client().CoreV1().Pods(w.name).Create(w.ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err != nil && strings.Contains(err.Error(), reason) {
			return
		}
		select {
		case <-look:
		case <-w.ctx.Done():
			w.t.Fatalf("pods are not refused with %q: %v", reason, err)
		}
	}
}

// What cannot be asked is told, and is no verdict.
func TestExplainWithoutAnswers(t *testing.T) {
	w := newWorld(t, testbed.Cluster(t))
	w.namespace()
	ref := w.deployment("api", "", unplayed+", containers: [{name: api, image: x}]")
	config := w.bed.RESTConfig()
	config.Impersonate.UserName = "somebody-without-rights"
	c, err := kube.New(kube.Options{Access: kube.NewAccess(config), SystemNamespace: w.name + "-system", Log: zerolog.Nop()})
	w.must(err)
	c.Start(w.ctx)
	defer c.Close()
	got := c.Explain(w.ctx, ref, nil).Causes
	if len(got) != 1 || !strings.HasPrefix(got[0], "why cannot be found out: ") || !strings.Contains(got[0], "somebody-without-rights") {
		t.Errorf("got %q", got)
	}
}
