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

// managed is an object that its manifest says somebody else manages.
const managed = `
manifest "managed" {
  objects = {
    apiVersion = "v1"
    kind       = "ConfigMap"
    metadata   = { name = "managed", namespace = "notes", labels = { "app.kubernetes.io/managed-by" = "kustomize" } }
    data       = { text = "as written" }
  }
  depends_on = [manifest.space]
}
`

// TestDriftIsNoticedAtOnce edits objects in the cluster again and again: a daemon that would look by itself in an hour
// repairs them at once, and asks nothing about any other unit. That objects of other kinds are heard of as soon as these is for
// TestDriftOfAnyKindIsNoticedAtOnce of package kube.
func TestDriftIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	w := world.WithoutOpenStack(t)
	w.Describe(t, "edge.hcl", suspendable+managed)
	commit := w.Push(t, "Describe what the cluster has")
	w.StartDaemon(t, "prompt", "--interval", "1h", "--resync", "1h")
	w.AwaitVerdict(t, converges, "converged", commit)
	w.AwaitRest(t, reacts)
	awaitFirstLook(t, w)

	for _, name := range []string{"left", "managed"} {
		took := editedAgain(t, w, name)
		if len(took) != edits {
			t.Fatalf("of %d edits of %s there were %d repairs: %v", edits, name, len(took), took)
		}
		t.Logf("repairs of %s were sent after %v", name, took)
		// What a machine that is busy with other tests delays is one or the other; what the daemon itself would wait for, all.
		if took[0] > noticed {
			t.Errorf("the soonest repair of %s was sent after %v, want %v at most", name, took[0], noticed)
		}
	}
}

// awaitFirstLook waits until a daemon has looked for annotations by which something was asked for while none ran: it does so
// once, up to half a second after its first revision.
func awaitFirstLook(t *testing.T, w *world.World) {
	t.Helper()
	world.Await(t, reacts, func() (bool, string) {
		events, _, err := w.Cluster.Events(0)
		return slices.ContainsFunc(events, func(e cluster.Event) bool {
			return strings.HasPrefix(e.UserAgent, "kupenstackd/") && e.URI == "/apis/kupenstack.io/v1alpha1"
		}), fmt.Sprint("it has not looked for annotations: ", err)
	})
}

// editedAgain edits an object and waits until that is put back, again and again. It returns after what time the repairs
// were sent, the soonest first.
func editedAgain(t *testing.T, w *world.World, name string) []time.Duration {
	t.Helper()
	var took []time.Duration
	configs := w.Cluster.Client().CoreV1().ConfigMaps("notes")
	for i := range edits {
		since, err := w.Cluster.AuditOffset()
		if err != nil {
			t.Fatal(err)
		}
		patch := fmt.Appendf(nil, `{"data":{"text":"edited %d"}}`, i)
		if _, err := configs.Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: fmt.Sprint("somebody-", i)}); err != nil {
			t.Fatal(err)
		}
		edited := time.Now()
		world.Await(t, reacts, func() (bool, string) {
			now, err := configs.Get(t.Context(), name, metav1.GetOptions{})
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
			if e.Object.Namespace != "notes" || e.Object.Name != name {
				t.Errorf("for an edit of one object the daemon asked to %s %s", e.Verb, e.URI)
			} else if e.Verb == "patch" && !strings.Contains(e.URI, "dryRun=All") {
				took = append(took, e.Time.Sub(edited))
			}
		}
	}
	slices.Sort(took)
	return took
}

func isLeft(o cluster.ObjectRef) bool { return o.Namespace == "notes" && o.Name == "left" }
