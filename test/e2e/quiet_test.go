//go:build beds

package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// TestAnUnchangedCloudCostsNothing has a daemon look around again and again, at its installation as well, and nothing but
// leases and tokens is asked for. Its watches were begun a moment ago, and none of them is due to be begun anew.
func TestAnUnchangedCloudCostsNothing(t *testing.T) {
	t.Parallel()
	w := world.WithoutOpenStack(t)
	w.Describe(t, "edge.hcl", suspendable)
	commit := w.Push(t, "Describe what the cluster has")
	w.StartDaemon(t, "quiet", "--resync", "2s") // it looks at the repository each second
	w.AwaitVerdict(t, converges, "converged", commit)
	w.AwaitRest(t, reacts)
	awaitFirstLook(t, w)
	since, err := w.Cluster.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	// It looks at its installation by itself each five minutes, and as well when it is told of the namespace.
	edit := []byte(`{"metadata":{"labels":{"edited":"by-somebody"}}}`)
	if _, err := w.Cluster.Client().CoreV1().Namespaces().Patch(t.Context(), world.System, types.MergePatchType, edit, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	polled := w.Git.Requests()["cloud"].ListRefs
	world.Await(t, reacts, func() (bool, string) {
		now := w.Git.Requests()["cloud"].ListRefs
		return now >= polled+10, fmt.Sprint(now)
	})
	events, _, err := w.Cluster.Events(since)
	if err != nil {
		t.Fatal(err)
	}
	leases := 0
	for _, e := range events {
		switch {
		case !strings.HasPrefix(e.UserAgent, "kupenstackd/"), e.Object.Subresource == "token":
		case e.Object.Resource == "leases":
			leases++
		default:
			t.Errorf("the daemon asked to %s %s", e.Verb, e.URI)
		}
	}
	if leases == 0 {
		t.Error("the daemon did not even renew its lease")
	}
}
