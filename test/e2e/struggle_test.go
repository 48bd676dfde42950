//go:build beds

package e2e_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// TestStruggleOverTheInstallation has somebody take away what the installation is known by each time that it is there: it is
// not written again without a pause, and that is told.
func TestStruggleOverTheInstallation(t *testing.T) {
	t.Parallel()
	const struggles, annotation = 20 * time.Second, "kupenstack.io/installation"
	w := world.WithoutOpenStack(t)
	w.Describe(t, "edge.hcl", "cloud \"edge\" {}\n\nmanifest \"space\" {\n  objects = { apiVersion = \"v1\", kind = \"Namespace\", metadata = { name = \"space\" } }\n}\n")
	commit := w.Push(t, "Describe a cloud")
	d := w.StartDaemon(t, "struggles")
	w.AwaitVerdict(t, converges, "converged", commit)

	client, err := kubernetes.NewForConfig(w.Cluster.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), struggles)
	defer cancel()
	var all sync.WaitGroup
	taken := 0
	all.Go(func() {
		namespaces := client.CoreV1().Namespaces()
		for ctx.Err() == nil { // a server ends watches
			seen, err := namespaces.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + world.System})
			if err != nil {
				return
			}
			for event := range seen.ResultChan() {
				if object, ok := event.Object.(metav1.Object); !ok || object.GetAnnotations()[annotation] == "" {
					continue
				}
				if _, err := namespaces.Patch(ctx, world.System, types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+annotation+`":null}}}`), metav1.PatchOptions{}); err == nil {
					taken++
				}
			}
		}
	})
	all.Wait()
	if taken < 3 || taken > 12 {
		t.Errorf("in %v it was taken away %d times", struggles, taken)
	}
	const told = "takes away the annotation " + annotation
	world.Await(t, reacts, func() (bool, string) {
		log := d.LogTail(64 << 10)
		return strings.Contains(w.Status(t, "status.json"), told), log
	})
}
