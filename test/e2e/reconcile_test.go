//go:build beds

package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

const polledRarely = `cloud "edge" {}

node "node-1" {
  roles = ["compute"]
}

manifest "space" {
  objects = { apiVersion = "v1", kind = "Namespace", metadata = { name = "notes" } }
}
`

// TestReconcile has a daemon that would look at the repository once an hour: it looks when it is asked to, by the
// command and by an annotation.
func TestReconcile(t *testing.T) {
	t.Parallel()
	w := world.WithoutOpenStack(t)
	w.Describe(t, "edge.hcl", polledRarely)
	commit := w.Push(t, "Describe what the cluster has")
	rare := w.StartDaemon(t, "rare", "--interval", "1h", "--resync", "1h")
	w.AwaitVerdict(t, converges, "converged", commit)

	w.Describe(t, "edge.hcl", polledRarely+"\nlocals {\n  one = 1\n}\n")
	commit = w.Push(t, "Have something to be noticed")
	if asked := w.Run(t, time.Minute, "reconcile", "node.node-1"); asked.Code != 0 || asked.Stdout != "the daemon looks again\n" {
		t.Fatalf("reconcile: exit code %d, %q, %q", asked.Code, asked.Stdout, asked.Stderr)
	}
	w.AwaitVerdict(t, reacts, "converged", commit)

	w.Describe(t, "edge.hcl", polledRarely+"\nlocals {\n  two = 2\n}\n")
	commit = w.Push(t, "Have something else to be noticed")
	asks := func(resource, name, value string) (noted func() (bool, string)) {
		t.Helper()
		shown := dynamic.NewForConfigOrDie(w.Cluster.RESTConfig()).Resource(schema.GroupVersionResource{Group: "kupenstack.io", Version: "v1alpha1", Resource: resource})
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"kupenstack.io/reconcile":%q}}}`, value)
		if _, err := shown.Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		return func() (bool, string) {
			object, err := shown.Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				return false, err.Error()
			}
			note, _, _ := unstructured.NestedString(object.Object, "status", "lastHandledReconcileAt")
			return note == value, fmt.Sprint(object.Object["status"])
		}
	}
	noted := asks("openstacknodes", "node-1", "now")
	w.AwaitVerdict(t, reacts, "converged", commit)
	world.Await(t, reacts, noted)

	// A later daemon does what was asked for while none ran, and that alone.
	if err := rare.Stop(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	noted = asks("openstackcontrolplanes", "edge", "later")
	later := w.StartDaemon(t, "later", "--interval", "1h", "--resync", "1h")
	world.Await(t, converges, noted)
	if log := later.LogTail(64 << 20); strings.Count(log, "as an annotation asks for") != 1 {
		t.Errorf("it was not asked once:\n%s", log)
	}

	wrong := w.Run(t, time.Minute, "reconcile", "data.network.public")
	if wrong.Code != 64 || !strings.Contains(wrong.Stderr, "is only looked up") {
		t.Errorf("of a data block: exit code %d, %q", wrong.Code, wrong.Stderr)
	}
}
