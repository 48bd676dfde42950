package helm

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// server is an API server in memory. It has no Secrets.
type server struct {
	API
	objects map[string][]metav1.PartialObjectMetadata // by the kind of resource
	pods    []*corev1.Pod
	refused map[string]error // lists, by the kind of resource
	lists   int
}

func (s *server) Metadata(_ context.Context, of schema.GroupVersionResource, namespace, selector string) ([]metav1.PartialObjectMetadata, error) {
	s.lists++
	if err := s.refused[of.Resource]; err != nil {
		return nil, err
	}
	wanted, err := labels.Parse(selector)
	if err != nil {
		return nil, err
	}
	var found []metav1.PartialObjectMetadata
	for _, object := range s.objects[of.Resource] {
		if object.Namespace == namespace && wanted.Matches(labels.Set(object.Labels)) {
			found = append(found, object)
		}
	}
	return found, nil
}

func (s *server) Secret(context.Context, string, string) (*corev1.Secret, error) { return nil, nil }

func (s *server) Pods(_ context.Context, namespace, selector string) ([]corev1.Pod, error) {
	if err := s.refused["pods"]; err != nil {
		return nil, err
	}
	wanted, err := labels.Parse(selector)
	if err != nil {
		return nil, err
	}
	var found []corev1.Pod
	for _, pod := range s.pods {
		if pod.Namespace == namespace && wanted.Matches(labels.Set(pod.Labels)) {
			found = append(found, *pod)
		}
	}
	return found, nil
}

func (s *server) EachPod(ctx context.Context, namespace, selector string, take func(*corev1.Pod) error) error {
	pods, err := s.Pods(ctx, namespace, selector)
	for i := range pods {
		if err == nil {
			err = take(&pods[i])
		}
	}
	return err
}

// slow is an API server that gives no access before the time is over.
type slow struct{ API }

func (slow) Getter(ctx context.Context, _ string) (Getter, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// A call into Helm ends with the deadline of who asked or after its own time, and some time after it is not wanted any
// more.
func TestCallsIntoHelmEnd(t *testing.T) {
	const slowly, stopped = "the call into Helm took too long: context deadline exceeded", "the call into Helm was stopped: context canceled"
	for _, test := range []struct {
		timeout, deadline, cancelled, want time.Duration
		says                               string
	}{
		{5 * time.Minute, time.Hour, 2 * time.Hour, 5 * time.Minute, slowly},
		{5 * time.Minute, time.Minute, 2 * time.Hour, time.Minute, slowly},
		{5 * time.Minute, time.Hour, time.Second, time.Second + lastWords, stopped},
		{time.Minute, time.Hour, 55 * time.Second, time.Minute, slowly},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &Driver{options: Options{Timeout: test.timeout}, api: slow{}}
			began := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), test.deadline)
			defer cancel()
			stop := time.AfterFunc(test.cancelled, cancel)
			defer stop.Stop()
			_, _, err := d.operation(ctx, "o", "app")
			if took := time.Since(began); took != test.want || err == nil || err.Error() != test.says {
				t.Errorf("%+v: it took %v, error %v", test, took, err)
			}
		})
	}
}

// watched is a cluster, without objects, and an API server that notes what the driver watches.
type watched struct {
	Cluster
	api     API
	timeout time.Duration
}

func (c *watched) API(timeout time.Duration) (API, error) {
	c.timeout = timeout
	return c.api, nil
}

func (c *watched) Subscribe(func(unit.ObjectRef)) func() { return func() {} }

// watching is an API server that can only be watched.
type watching struct {
	API
	of       schema.GroupVersionResource
	selector string
	changed  func(*metav1.PartialObjectMetadata)
	ended    bool
}

func (w *watching) Watch(of schema.GroupVersionResource, selector string, changed func(*metav1.PartialObjectMetadata)) Watch {
	w.of, w.selector, w.changed = of, selector, changed
	return w
}

func (w *watching) Begin(context.Context, string) {}

func (w *watching) Close() { w.ended = true }

// What somebody does to the record of a release wakes its unit: a deletion above all.
func TestRecordsOfReleasesAreWatched(t *testing.T) {
	var woken []addr.Object
	api := &watching{}
	cluster := &watched{api: api}
	d, err := New(cluster, Options{CacheDir: t.TempDir(), Notify: func(addresses ...addr.Object) { woken = append(woken, addresses...) }})
	if err != nil {
		t.Fatal(err)
	}
	if api.of != secrets() || api.selector != "owner=helm" || cluster.timeout != 5*time.Minute {
		t.Errorf("it watches %s with %q, and its calls take %v", api.of, api.selector, cluster.timeout)
	}
	record := func(release string) {
		api.changed(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Namespace: "o", Name: release + ".v1", Labels: map[string]string{"owner": "helm", "name": release},
		}})
	}
	keystone := addr.MustParseObject("service.keystone")
	d.remember(keystone, "o/keystone", nil)
	record("theirs")
	record("keystone")
	if len(woken) != 1 || woken[0] != keystone {
		t.Errorf("it woke %v", woken)
	}
	d.remember(keystone, "", nil) // it is gone
	record("keystone")
	if len(woken) != 1 {
		t.Error("who is gone was woken")
	}
	if d.Close(); !api.ended {
		t.Error("the watch goes on")
	}
}

func (s *server) ControllerRevisions(context.Context, string, string) ([]appsv1.ControllerRevision, error) {
	return nil, nil
}
