//go:build beds

package player

import (
	"bytes"
	"context"
	"maps"
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
	"k8s.io/apimachinery/pkg/watch"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
)

const namespace = "openstack"

// bed is a cluster without servers, played until the test ends.
type bed struct {
	t      *testing.T
	client *fake.Clientset
	player *player
	logs   string
}

func newBed(t *testing.T, objects ...runtime.Object) *bed {
	t.Helper()
	client := fake.NewClientset(objects...)
	custom := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		logsResource(): "LogsList",
		{Group: "example.org", Version: "v1", Resource: "workflows"}: "WorkflowList",
	})
	// What comes between a list and its watch is lost here, other than with a server.
	watched := make(chan schema.GroupVersionResource, 100)
	client.PrependWatchReactor("*", func(action clienttesting.Action) (bool, watch.Interface, error) {
		found, err := client.Tracker().Watch(action.GetResource(), action.GetNamespace())
		watched <- action.GetResource()
		return true, found, err
	})
	b := &bed{t: t, client: client, logs: t.TempDir()}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	b.player = newPlayer(ctx, client, custom, Options{LogDir: b.logs, FirstPause: 20 * time.Millisecond, LastPause: 100 * time.Millisecond})
	go func() { ended <- b.player.work(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	const kinds = 6 // that the player looks at from the start
	open := map[schema.GroupVersionResource]bool{}
	b.eventually("everything is watched", func(context.Context) bool {
		for len(watched) > 0 {
			open[<-watched] = true
		}
		return len(open) == kinds
	})
	return b
}

// seen waits until the player can see an object as it is now: each kind comes to it by another way, and a
// pod may come before the Secret that was changed for it.
func (b *bed) seen(object runtime.Object) {
	b.t.Helper()
	p := b.player
	b.eventually("the player sees it", func(context.Context) bool {
		switch wanted := object.(type) {
		case *corev1.Secret:
			found, err := p.secrets.Secrets(wanted.Namespace).Get(wanted.Name)
			return err == nil && maps.EqualFunc(found.Data, wanted.Data, bytes.Equal)
		case *batchv1.Job:
			found, err := p.jobs.Jobs(wanted.Namespace).Get(wanted.Name)
			return err == nil && found.Status.Succeeded == wanted.Status.Succeeded
		case *corev1.Service:
			_, err := p.services.Services(wanted.Namespace).Get(wanted.Name)
			return err == nil
		case *discoveryv1.EndpointSlice:
			_, err := p.slices.EndpointSlices(wanted.Namespace).Get(wanted.Name)
			return err == nil
		case *corev1.Pod:
			found, err := p.pods.Pods(wanted.Namespace).Get(wanted.Name)
			return err == nil && len(found.Status.Conditions) >= len(wanted.Status.Conditions)
		default:
			return true // it is asked for when it is needed
		}
	})
}

// eventually polls, because a fake API server tells nobody when the player has decided.
func (b *bed) eventually(what string, done func(context.Context) bool) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
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
		b.seen(object)
	}
}

func (b *bed) initialized(name string) {
	b.t.Helper()
	b.patch(name, `{"status":{"conditions":[{"type":"Initialized","status":"True"}]}}`)
}

func (b *bed) makeReady(name string) {
	b.t.Helper()
	b.patch(name, `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`)
}

// patch changes the status of a pod that the player may annotate at the same time.
func (b *bed) patch(name, text string) {
	b.t.Helper()
	pod, err := b.client.CoreV1().Pods(namespace).Patch(context.Background(), name, types.StrategicMergePatchType, []byte(text), metav1.PatchOptions{}, "status")
	if err != nil {
		b.t.Fatal(err)
	}
	b.seen(pod)
}

func (b *bed) set(secret *corev1.Secret) {
	b.t.Helper()
	if _, err := b.client.CoreV1().Secrets(namespace).Update(context.Background(), secret, metav1.UpdateOptions{}); err != nil {
		b.t.Fatal(err)
	}
	b.seen(secret)
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
