//go:build beds

package faultproxy_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// configMaps is the path under which ClassifyKubernetes counts them.
const configMaps = "/api/v1/namespaces/{namespace}/configmaps"

// throughProxy returns a client of the shared control plane that goes through a proxy, and a
// namespace of the test's own.
func throughProxy(t *testing.T) (*faultproxy.Proxy, kubernetes.Interface, string) {
	t.Helper()
	cluster := testbed.Cluster(t)
	transport, err := rest.TransportFor(cluster.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	proxy := faultproxy.Start(t, faultproxy.Options{
		Target: cluster.RESTConfig().Host, Transport: transport, TLS: true, Classify: faultproxy.ClassifyKubernetes,
		Ignore: func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/leases") },
	})
	// Without a rate limit of the client's own: it would delay what the tests count.
	client, err := kubernetes.NewForConfig(&rest.Config{Host: proxy.URL(), TLSClientConfig: rest.TLSClientConfig{CAData: proxy.CA()}, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	namespace, err := cluster.Client().CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "faultproxy-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := cluster.Client().CoreV1().Namespaces().Delete(ctx, namespace.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	return proxy, client, namespace.Name
}

func createConfigMap(ctx context.Context, client kubernetes.Interface, namespace, name string) error {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := client.CoreV1().ConfigMaps(namespace).Create(ctx, object, metav1.CreateOptions{})
	return err
}

func TestBedKubernetesRequestsAreCounted(t *testing.T) {
	proxy, client, namespace := throughProxy(t)
	maps := client.CoreV1().ConfigMaps(namespace)
	before := proxy.Counts()
	if err := createConfigMap(t.Context(), client, namespace, "one"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := maps.Get(t.Context(), "one", metav1.GetOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := maps.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	if err := createConfigMap(t.Context(), client, namespace, "two"); err != nil {
		t.Fatal(err)
	}
	for { // the control plane puts a config map of its own into every namespace
		event, ok := receive(t, w)
		object, isMap := event.Object.(*corev1.ConfigMap)
		if !ok || !isMap {
			t.Fatalf("got %+v", event)
		}
		if object.Name == "two" {
			break
		}
	}
	want := fmt.Sprintf(" create %[1]s 2\n get %[1]s/{name} 2\n list %[1]s 1\n watch %[1]s 1", configMaps)
	if got := proxy.Counts().Since(before).String(); got != want {
		t.Errorf("counts are\n%s\nwant\n%s", got, want)
	}
}

func TestBedInformerRecoversFromExpiry(t *testing.T) {
	proxy, client, namespace := throughProxy(t)
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ConfigMaps()
	added := make(chan string, 100)
	if _, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
		added <- object.(*corev1.ConfigMap).Name
	}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	factory.StartWithContext(ctx)
	defer factory.Shutdown()
	defer cancel()
	if !cache.WaitForCacheSync(ctx.Done(), informer.Informer().HasSynced) {
		t.Fatal("the informer does not sync")
	}
	waitFor := func(name string) {
		t.Helper()
		if err := createConfigMap(ctx, client, namespace, name); err != nil {
			t.Fatal(err)
		}
		for {
			select {
			case got := <-added:
				if got == name {
					return
				}
			case <-ctx.Done():
				t.Fatalf("the informer never saw %s; requests:\n%v", name, proxy.Requests())
			}
		}
	}
	waitFor("before")
	opened := proxy.Counts().Of("watch", configMaps)
	if expired := proxy.ExpireWatches(faultproxy.Match{Verb: "watch", Path: configMaps}); expired != 1 {
		t.Fatalf("%d watches expired, want one", expired)
	}
	waitFor("after-the-expiry")
	// A list may have told of it, and the watch that follows may be on its way yet.
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for ended := 0; proxy.Counts().Of("watch", configMaps) <= opened || ended != 1; {
		select {
		case <-look.C:
			ended += proxy.EndWatches(faultproxy.Match{Path: configMaps})
		case <-ctx.Done():
			t.Fatalf("%d watches before and %d after the expiry, of which %d ended", opened, proxy.Counts().Of("watch", configMaps), ended)
		}
		if ended > 1 {
			t.Fatalf("%d watches ended, want one", ended)
		}
	}
	waitFor("after-the-end")
}

func TestBedKubernetesAnswers(t *testing.T) {
	proxy, client, namespace := throughProxy(t)
	create := faultproxy.Match{Verb: "create", Path: configMaps}

	busy := proxy.Add(faultproxy.Rule{Match: create, Limit: 2, Action: faultproxy.AnswerKubernetes(429, metav1.StatusReasonTooManyRequests, "slow down", time.Second)})
	begin := time.Now()
	if err := createConfigMap(t.Context(), client, namespace, "retried"); err != nil {
		t.Errorf("client-go did not try again: %v", err)
	}
	if took := time.Since(begin); busy.Fired() != 2 || busy.Seen() != 3 || took < 2*time.Second {
		t.Errorf("refused %d of %d requests in %v", busy.Fired(), busy.Seen(), took)
	}
	busy.Remove()

	conflict := proxy.Add(faultproxy.Rule{Match: create, Action: faultproxy.AnswerKubernetes(409, metav1.StatusReasonConflict, "somebody was faster", 0)})
	if err := createConfigMap(t.Context(), client, namespace, "conflict"); !apierrors.IsConflict(err) {
		t.Errorf("got %v, want a conflict", err)
	}
	conflict.Remove()

	lost := proxy.Add(faultproxy.Rule{Match: create, Nth: 1, Action: faultproxy.ResetAfter()})
	err := createConfigMap(t.Context(), client, namespace, "lost")
	if err == nil || lost.Fired() != 1 {
		t.Errorf("the answer was lost %d times, and the client got %v", lost.Fired(), err)
	}
	if err := createConfigMap(t.Context(), client, namespace, "lost"); !apierrors.IsAlreadyExists(err) {
		t.Errorf("got %v, want that it exists already", err)
	}
}
