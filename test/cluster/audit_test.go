//go:build beds

package cluster_test

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// Every request is in the log once, and as soon as its answer is there: nothing is polled.
func TestAuditLogHasEveryRequest(t *testing.T) {
	t.Parallel()
	bed := testbed.Cluster(t)
	namespace := newNamespace(t, bed.Client())
	agent := "audited-" + namespace
	config := bed.RESTConfig()
	config.UserAgent = agent
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	since, err := bed.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}

	maps := client.CoreV1().ConfigMaps(namespace)
	created, err := maps.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := maps.Get(t.Context(), "none", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Fatalf("got %v", err)
	}
	watch, err := maps.Watch(t.Context(), metav1.ListOptions{ResourceVersion: created.ResourceVersion})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := maps.List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	check := func(want ...string) {
		t.Helper()
		events, next, err := bed.Events(since)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range events {
			if e.UserAgent != agent {
				continue
			}
			got = append(got, fmt.Sprintf("%s %s/%s %d", e.Verb, e.Object.Resource, e.Object.Name, e.Code))
			if e.Object.Namespace != namespace || e.User != "admin" || e.ID == "" || e.Time.IsZero() || e.URI == "" {
				t.Errorf("incomplete event: %+v", e)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the log has\n%q, want\n%q", got, want)
		}
		since = next
	}
	check("create configmaps/a 201", "get configmaps/none 404", "watch configmaps/ 200", "list configmaps/ 200")

	// The end of a watch is no second request.
	watch.Stop()
	if err := maps.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	settled(t, bed.Client(), namespace)
	check("delete configmaps/a 200")
}
