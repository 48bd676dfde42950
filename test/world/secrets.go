package world

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
)

// shortestSecret is how long a value is that nothing else has by chance: among what is generated there are names of users.
const shortestSecret = 12

// NoSecrets fails the test when a text holds a secret of this world: the password of the Git server, or what was generated
// for its clouds, Keystone's and the database's passwords above all.
func (w *World) NoSecrets(t testing.TB, what, text string) {
	t.Helper()
	if strings.Contains(text, Password) {
		t.Errorf("%s holds the password of the Git server", what)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute) // a test that ends looks at logs
	defer cancel()
	sets, err := w.Cluster.Client().CoreV1().Secrets(metav1.NamespaceAll).List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + compose.GeneratedSet})
	if err != nil {
		t.Errorf("look for what was generated: %v", err)
		return
	}
	for _, set := range sets.Items {
		for key, value := range set.Data {
			if len(value) >= shortestSecret && strings.Contains(text, string(value)) {
				t.Errorf("%s holds %s of %s", what, key, set.Name)
			}
		}
	}
}

// shownKinds are the kinds of what the daemon shows people in the cluster.
func shownKinds() []string {
	return []string{"openstacknodes", "openstackservices", "openstackcloudconfigurationprofiles", "openstackcontrolplanes"}
}

// ToldInCluster is what whoever may look at the cluster is told: all Events, whoever wrote them, and how things stand.
func (w *World) ToldInCluster(ctx context.Context) (string, error) {
	var all strings.Builder
	events, err := w.Cluster.Client().CoreV1().Events(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("look at the events: %w", err)
	}
	for i := range events.Items {
		e := &events.Items[i]
		fmt.Fprintf(&all, "%s of %s %s/%s: %s: %s %v\n", e.Type, e.InvolvedObject.Kind, e.InvolvedObject.Namespace, e.InvolvedObject.Name, e.Reason, e.Message, e.Annotations)
	}
	client, err := dynamic.NewForConfig(w.Cluster.RESTConfig())
	if err != nil {
		return "", err
	}
	for _, plural := range shownKinds() {
		list, err := client.Resource(schema.GroupVersionResource{Group: "kupenstack.io", Version: "v1alpha1", Resource: plural}).List(ctx, metav1.ListOptions{})
		if apierrors.IsNotFound(err) {
			continue // the cloud has none, and so nobody has defined them
		}
		if err != nil {
			return "", fmt.Errorf("look at the %s: %w", plural, err)
		}
		for i := range list.Items {
			fmt.Fprintf(&all, "%s %s: %v\n", list.Items[i].GetKind(), list.Items[i].GetName(), list.Items[i].Object)
		}
	}
	return all.String(), nil
}
