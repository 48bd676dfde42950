//go:build beds

package e2e_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	w.StartDaemon(t, "rare", "--interval", "1h", "--resync", "1h")
	w.AwaitVerdict(t, converges, "converged", commit)

	w.Describe(t, "edge.hcl", polledRarely+"\nlocals {\n  one = 1\n}\n")
	commit = w.Push(t, "Have something to be noticed")
	if asked := w.Run(t, time.Minute, "reconcile", "node.node-1"); asked.Code != 0 || asked.Stdout != "the daemon looks again\n" {
		t.Fatalf("reconcile: exit code %d, %q, %q", asked.Code, asked.Stdout, asked.Stderr)
	}
	w.AwaitVerdict(t, reacts, "converged", commit)

	w.Describe(t, "edge.hcl", polledRarely+"\nlocals {\n  two = 2\n}\n")
	commit = w.Push(t, "Have something else to be noticed")
	shown := dynamic.NewForConfigOrDie(w.Cluster.RESTConfig()).Resource(schema.GroupVersionResource{Group: "kupenstack.io", Version: "v1alpha1", Resource: "openstacknodes"})
	patch := []byte(`{"metadata":{"annotations":{"kupenstack.io/reconcile":"now"}}}`)
	if _, err := shown.Patch(t.Context(), "node-1", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	w.AwaitVerdict(t, reacts, "converged", commit)

	wrong := w.Run(t, time.Minute, "reconcile", "data.network.public")
	if wrong.Code != 64 || !strings.Contains(wrong.Stderr, "is only looked up") {
		t.Errorf("of a data block: exit code %d, %q", wrong.Code, wrong.Stderr)
	}
}
