//go:build beds

package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// TestVerify has a daemon that takes signed commits alone. One that is not signed is not applied, and the report says
// so; one with a signature is, when all that led to it has one. A daemon that begins without Git repairs what the last
// good commit has, though a newer one was fetched.
func TestVerify(t *testing.T) {
	t.Parallel()
	w := world.WithoutOpenStack(t)
	key := gitserver.NewKey(t)
	list := filepath.Join(t.TempDir(), "signers")
	if err := os.WriteFile(list, []byte("ada "+key.AuthorizedKey()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--verify", list, "--verify-history", "--cache-dir", t.TempDir(), "--resync", "5s"}
	push := func(text string, options ...gitserver.CommitOption) string {
		t.Helper()
		w.Describe(t, "edge.hcl", strings.ReplaceAll(suspendable, "as written", text))
		return w.Repository.Commit(t, w.Files.Content(), "Change the text", options...)
	}
	configs := w.Cluster.Client().CoreV1().ConfigMaps("notes")
	has := func(text string) {
		t.Helper()
		if left, err := configs.Get(t.Context(), "left", metav1.GetOptions{}); err != nil || left.Data["text"] != text {
			t.Errorf("the object has %q, %v; want %q", left.Data["text"], err, text)
		}
	}
	says := func(parts ...string) {
		t.Helper()
		report := w.Status(t, "status.json")
		for _, part := range append(parts, "revision.untrusted") {
			if !strings.Contains(report, part) {
				t.Errorf("%q is not in\n%s", part, report)
			}
		}
	}

	first := push("signed", gitserver.SignedBy(key))
	daemon := w.StartDaemon(t, "first", args...)
	w.AwaitVerdict(t, converges, "converged", first)
	stranger := push("from a stranger")
	w.AwaitVerdict(t, converges, "invalid", first)
	says(stranger, "is not signed")
	hidden := push("from a stranger below a signature", gitserver.SignedBy(key))
	world.Await(t, converges, func() (bool, string) {
		report := w.Status(t, "status.json")
		return strings.Contains(report, hidden), report
	})
	says("comes after " + stranger)
	has("signed")

	w.Repository.ForcePush(t, "refs/heads/main", first)
	second := push("signed, too", gitserver.SignedBy(key))
	w.AwaitVerdict(t, converges, "converged", second)
	has("signed, too")

	w.Repository.Commit(t, map[string]string{"mistake.hcl": "nonsense {}\n"}, "Make a mistake", gitserver.SignedBy(key))
	w.AwaitVerdict(t, converges, "invalid", second)
	if err := daemon.Stop(t.Context(), reacts); err != nil {
		t.Fatal(err)
	}
	w.Git.Stop(t)
	if err := configs.Delete(t.Context(), "left", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	again := w.StartDaemon(t, "second", args...)
	world.Await(t, converges, func() (bool, string) {
		_, err := configs.Get(t.Context(), "left", metav1.GetOptions{})
		return err == nil, askDaemon(t, again.URL+"/readyz")
	})
	has("signed, too")
	w.Git.Start(t)
}
