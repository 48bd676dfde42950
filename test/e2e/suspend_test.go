//go:build beds

package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

const suspendable = `cloud "edge" {}

manifest "space" {
  objects = { apiVersion = "v1", kind = "Namespace", metadata = { name = "notes" } }
}

manifest "left" {
  objects    = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "left", namespace = "notes" }, data = { text = "as written" } }
  depends_on = [manifest.space]
}

manifest "right" {
  objects    = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "right", namespace = "notes" }, data = { text = "as written" } }
  depends_on = [manifest.space]
}
`

// TestSuspend has one of two things left alone by command: it drifts, which the report tells, and nobody repairs it,
// the next daemon included, until it is resumed.
func TestSuspend(t *testing.T) {
	t.Parallel()
	w := world.WithoutOpenStack(t)
	s := &story{World: w, all: t}
	w.Describe(t, "edge.hcl", suspendable)
	refused := w.Run(t, time.Minute, "suspend", "--all")
	if refused.Code != 1 || !strings.Contains(refused.Stderr, "nothing is installed in the namespace") {
		t.Errorf("before anything is installed: exit code %d, %s", refused.Code, refused.Stderr)
	}
	s.commit = s.Push(t, "Describe what the cluster has")
	daemon := w.StartDaemon(t, "first")
	w.AwaitVerdict(t, converges, "converged", s.commit)

	told := w.RunWith(t, []string{"KUPENSTACK_REPO="}, time.Minute, "suspend", "manifest.left", "--for", "1h", "--reason", "somebody measures")
	if told.Code != 0 || !strings.HasPrefix(told.Stdout, "manifest.left is suspended until 20") ||
		!strings.HasSuffix(told.Stdout, " by system:serviceaccount:kupenstack-system:kupenstack: somebody measures\n") {
		t.Fatalf("suspend: exit code %d, %q, %q", told.Code, told.Stdout, told.Stderr)
	}
	world.Await(t, reacts, func() (bool, string) { // nothing differs yet, and the report tells of it all the same
		page := w.Status(t, "README.md")
		return strings.Contains(page, "## Suspended") && strings.Contains(page, "somebody measures"), page
	})
	write := func(name, text string) {
		t.Helper()
		patch := fmt.Appendf(nil, `{"data":{"text":%q}}`, text)
		if _, err := w.Cluster.Client().CoreV1().ConfigMaps("notes").Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	text := func(name string) string {
		t.Helper()
		found, err := w.Cluster.Client().CoreV1().ConfigMaps("notes").Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		return found.Data["text"]
	}
	repairs := func(name string) {
		t.Helper()
		world.Await(t, reacts, func() (bool, string) { return text(name) == "as written", text(name) })
	}
	write("left", "edited")
	write("right", "edited")
	repairs("right")
	status := w.AwaitVerdict(t, reacts, "suspended", s.commit)
	if u := status.Unit("manifest.left"); u == nil || u.Phase != "suspended" || !strings.Contains(u.Reason, "somebody measures") {
		t.Errorf("the report says %+v", u)
	}
	if now := text("left"); now != "edited" {
		t.Errorf("what is suspended was changed to %q", now)
	}
	plan := w.Run(t, time.Minute, "plan")
	if plan.Code != 2 || !strings.Contains(plan.Stdout, "waits: suspended until") {
		t.Errorf("plan: exit code %d\n%s", plan.Code, plan.Stdout)
	}

	// It outlives the process, and a pass keeps to it as well.
	if err := daemon.Stop(t.Context(), 30*time.Second); err != nil {
		t.Fatal(err)
	}
	write("right", "edited")
	pass := w.Run(t, 2*time.Minute)
	if pass.Code != 4 || text("right") != "as written" || text("left") != "edited" {
		t.Errorf("pass: exit code %d, right %q, left %q\n%s%s", pass.Code, text("right"), text("left"), pass.Stdout, pass.Stderr)
	}
	w.StartDaemon(t, "second")
	write("right", "edited")
	repairs("right")
	if now := text("left"); now != "edited" {
		t.Errorf("after a restart what is suspended was changed to %q", now)
	}

	listed := w.Run(t, time.Minute, "suspend")
	if listed.Code != 0 || !strings.Contains(listed.Stdout, "manifest.left") {
		t.Errorf("suspend without arguments: exit code %d\n%s", listed.Code, listed.Stdout)
	}
	resumed := w.Run(t, time.Minute, "resume", "--all")
	if resumed.Code != 0 || resumed.Stdout != "manifest.left is not suspended by command any more\n" {
		t.Errorf("resume: exit code %d, %q, %q", resumed.Code, resumed.Stdout, resumed.Stderr)
	}
	repairs("left")
	w.AwaitVerdict(t, reacts, "converged", s.commit)
	if page := w.Status(t, "README.md"); strings.Contains(page, "## Suspended") {
		t.Error("the report still tells of a suspension")
	}
}
