//go:build beds

package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

const (
	// edits is how often something is edited.
	edits = 5
	// noticed is how long it may take until an edit is noticed, and its repair begun.
	noticed = 2 * time.Second
)

// TestDriftIsNoticedAtOnce edits an object in the cluster again and again: a daemon that would look by itself in an hour
// repairs it at once, and asks nothing about any other unit.
func TestDriftIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	w := world.WithoutOpenStack(t)
	w.Describe(t, "edge.hcl", suspendable)
	commit := w.Push(t, "Describe what the cluster has")
	w.StartDaemon(t, "prompt", "--interval", "1h", "--resync", "1h")
	w.AwaitVerdict(t, converges, "converged", commit)
	w.AwaitRest(t, reacts)

	var took []time.Duration
	configs := w.Cluster.Client().CoreV1().ConfigMaps("notes")
	for i := range edits {
		since, err := w.Cluster.AuditOffset()
		if err != nil {
			t.Fatal(err)
		}
		patch := fmt.Appendf(nil, `{"data":{"text":"edited %d"}}`, i)
		if _, err := configs.Patch(t.Context(), "left", types.MergePatchType, patch, metav1.PatchOptions{FieldManager: fmt.Sprint("somebody-", i)}); err != nil {
			t.Fatal(err)
		}
		edited := time.Now()
		world.Await(t, reacts, func() (bool, string) {
			now, err := configs.Get(t.Context(), "left", metav1.GetOptions{})
			return err == nil && now.Data["text"] == "as written", fmt.Sprint(now.Data, err)
		})
		events, _, err := w.Cluster.Events(since)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if !strings.HasPrefix(e.UserAgent, "kupenstackd/") || e.Object.Resource == "leases" || e.Verb == "watch" {
				continue
			}
			if !isLeft(e.Object) {
				t.Errorf("for an edit of one object the daemon asked to %s %s", e.Verb, e.URI)
			} else if e.Verb == "patch" && !strings.Contains(e.URI, "dryRun=All") {
				took = append(took, e.Time.Sub(edited))
			}
		}
	}
	slices.Sort(took)
	if len(took) != edits {
		t.Fatalf("of %d edits there were %d repairs: %v", edits, len(took), took)
	}
	t.Logf("repairs were sent after %v", took)
	// What a machine that is busy with other tests delays is one or the other; what the daemon itself would wait for, all.
	if took[0] > noticed {
		t.Errorf("the soonest repair was sent after %v, want %v at most", took[0], noticed)
	}
}

func isLeft(o cluster.ObjectRef) bool { return o.Namespace == "notes" && o.Name == "left" }
