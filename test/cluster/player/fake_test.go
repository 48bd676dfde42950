//go:build beds

package player

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

const namespace = "openstack"

// bed is a cluster without servers, played until the test ends.
type bed struct {
	t      *testing.T
	client *fake.Clientset
	logs   string
}

func newBed(t *testing.T, objects ...runtime.Object) *bed {
	t.Helper()
	client := fake.NewClientset(objects...)
	custom := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		logsResource(): "LogsList",
		{Group: "example.org", Version: "v1", Resource: "workflows"}: "WorkflowList",
	})
	b := &bed{t: t, client: client, logs: t.TempDir()}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	options := Options{LogDir: b.logs, FirstPause: 20 * time.Millisecond, LastPause: 100 * time.Millisecond}
	go func() { ended <- run(ctx, client, custom, options) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return b
}

// eventually polls, because a fake API server tells nobody when the player has decided.
func (b *bed) eventually(what string, done func(context.Context) bool) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done(ctx) {
		select {
		case <-ctx.Done():
			b.t.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}

func (b *bed) pod(ctx context.Context, name string) *corev1.Pod {
	b.t.Helper()
	pod, err := b.client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	return pod
}

// expect waits until the pod has an annotation.
func (b *bed) expect(pod, annotation, value string) {
	b.t.Helper()
	b.eventually(pod+" has "+annotation+"="+value, func(ctx context.Context) bool {
		return b.pod(ctx, pod).Annotations[annotation] == value
	})
}

// expectLog waits until the pod said something.
func (b *bed) expectLog(pod, text string) {
	b.t.Helper()
	b.eventually(pod+" says "+text, func(context.Context) bool {
		log, err := os.ReadFile(filepath.Join(b.logs, namespace+"."+pod+".played.log"))
		return err == nil && strings.Contains(string(log), text)
	})
}

func (b *bed) create(objects ...runtime.Object) {
	b.t.Helper()
	for _, object := range objects {
		if err := b.client.Tracker().Add(object); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bed) initialized(name string) {
	b.t.Helper()
	pod := b.pod(context.Background(), name)
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodInitialized, Status: corev1.ConditionTrue})
	b.update(pod)
}

func (b *bed) makeReady(name string) {
	b.t.Helper()
	pod := b.pod(context.Background(), name)
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
	b.update(pod)
}

func (b *bed) update(pod *corev1.Pod) {
	b.t.Helper()
	if _, err := b.client.CoreV1().Pods(namespace).Update(context.Background(), pod, metav1.UpdateOptions{}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) set(secret *corev1.Secret) {
	b.t.Helper()
	if _, err := b.client.CoreV1().Secrets(namespace).Update(context.Background(), secret, metav1.UpdateOptions{}); err != nil {
		b.t.Fatal(err)
	}
}

// pod returns a scheduled pod of an application.
func pod(name string, restart corev1.RestartPolicy, containers ...corev1.Container) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name), Labels: map[string]string{"application": name}},
		Spec:       corev1.PodSpec{NodeName: "node-1", RestartPolicy: restart, Containers: containers},
	}
}

func script(name string, env ...corev1.EnvVar) corev1.Container {
	return corev1.Container{Name: "main", Command: []string{"/tmp/" + name}, Env: env}
}

func plain(name, value string) corev1.EnvVar { return corev1.EnvVar{Name: name, Value: value} }

func fromSecret(name, secret string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: secret}, Key: name,
	}}}
}

func secret(name string, pairs ...string) *corev1.Secret {
	data := map[string][]byte{}
	for i := 0; i < len(pairs); i += 2 {
		data[pairs[i]] = []byte(pairs[i+1])
	}
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: data}
}

// reachable is a Service with a ready endpoint.
func reachable(name string, selector map[string]string) []runtime.Object {
	meta := metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: name}}
	ready := true
	return []runtime.Object{
		&corev1.Service{ObjectMeta: meta, Spec: corev1.ServiceSpec{Selector: selector}},
		&discoveryv1.EndpointSlice{ObjectMeta: meta, Endpoints: []discoveryv1.Endpoint{{Conditions: discoveryv1.EndpointConditions{Ready: &ready}}}},
	}
}

func job(name string, succeeded int32) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"job": name}},
		Status:     batchv1.JobStatus{Succeeded: succeeded},
	}
}

const (
	annotationInit = cluster.AnnotationInit
	annotationRun  = cluster.AnnotationRun
)

func (b *bed) logFiles() int {
	files, err := filepath.Glob(filepath.Join(b.logs, "*"))
	if err != nil {
		b.t.Fatal(err)
	}
	return len(files)
}
