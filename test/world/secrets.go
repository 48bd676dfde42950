package world

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
