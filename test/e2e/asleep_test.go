//go:build beds

package e2e_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// webhooksAt finds where a daemon answers webhooks in its log.
var webhooksAt = regexp.MustCompile(`"address":"([^"]+)"[^\n]*"answers webhooks"`)

// TestAsleep has a daemon that is stopped while it is in charge, and wakes up when another one is: it finds a new commit
// at once, as it polls often, and sends nothing of it. A webhook that reaches it then is handed on to the other one, which
// would look at nothing for an hour.
func TestAsleep(t *testing.T) {
	t.Parallel()
	const secret = "canary-of-the-webhook-that-wakes"
	w := world.WithoutOpenStack(t)
	w.Describe(t, "edge.hcl", suspendable)
	commit := w.Push(t, "Describe what the cluster has")
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	asleep := w.StartDaemon(t, "asleep", "--webhook-listen", "127.0.0.1:0", "--webhook-secret-file", file)
	w.AwaitVerdict(t, converges, "converged", commit)
	awake := w.StartDaemon(t, "awake", "--interval", "1h", "--resync", "1h")
	leases := w.Cluster.Client().CoordinationV1().Leases(world.System)
	before, err := leases.Get(t.Context(), "kupenstack", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := asleep.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	world.Await(t, reacts, func() (bool, string) {
		log := awake.LogTail(1 << 20)
		return strings.Contains(log, "took a revision"), log
	})
	after, err := leases.Get(t.Context(), "kupenstack", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the lease was taken over %v after its last renewal that was seen", after.Spec.AcquireTime.Sub(before.Spec.RenewTime.Time))
	if *after.Spec.HolderIdentity == *before.Spec.HolderIdentity || after.Spec.AcquireTime.Sub(before.Spec.RenewTime.Time) < 10*time.Second {
		t.Errorf("the lease went from %+v to %+v", before.Spec, after.Spec)
	}
	w.AwaitRest(t, reacts)

	w.Describe(t, "edge.hcl", strings.ReplaceAll(suspendable, "as written", "while one slept"))
	commit = w.Push(t, "Write what only one of them sees")
	since, err := w.Cluster.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	if err := asleep.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	world.Await(t, reacts, func() (bool, string) {
		log := asleep.LogTail(1 << 20)
		return strings.Contains(log, "not in charge"), log
	})
	events, _, err := w.Cluster.Events(since)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		switch {
		case !strings.HasPrefix(e.UserAgent, "kupenstackd/"), e.Object.Resource == "leases":
		case e.Verb != "get" && e.Verb != "list" && e.Verb != "watch":
			t.Errorf("it sent %s %s when it woke up", e.Verb, e.URI)
		}
	}
	// Nor has it taken the lease from the other one, or thrown that one out.
	now, err := leases.Get(t.Context(), "kupenstack", metav1.GetOptions{})
	if err != nil || *now.Spec.HolderIdentity != *after.Spec.HolderIdentity || *now.Spec.LeaseTransitions != *after.Spec.LeaseTransitions {
		t.Errorf("the lease went from %+v to %+v, %v", after.Spec, now.Spec, err)
	}

	const body = `{"ref":"refs/heads/main"}`
	found := webhooksAt.FindStringSubmatch(asleep.LogTail(1 << 20))
	if found == nil {
		t.Fatalf("it answers no webhooks:\n%s", asleep.LogTail(1<<20))
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+found[1]+"/webhook", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	request.Header.Set("X-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close() // nothing is in there
	if answer.StatusCode != http.StatusAccepted {
		t.Fatalf("the webhook is answered with %s", answer.Status)
	}
	w.AwaitVerdict(t, reacts, "converged", commit)
	for name, daemon := range map[string]*world.Running{"asleep": asleep, "awake": awake} {
		if strings.Contains(daemon.LogTail(1<<20), secret) {
			t.Errorf("the log of %s has the secret of webhooks", name)
		}
	}
}
