//go:build beds

package e2e_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// TestDelegate has passes beside daemons that look at nothing by themselves for an hour: the one in charge does what
// the pass is called for, which changes nothing itself, and ends with what became of it.
func TestDelegate(t *testing.T) {
	t.Parallel()
	w := world.WithoutOpenStack(t)
	w.Describe(t, "edge.hcl", suspendable)
	commit := w.Push(t, "Describe what the cluster has")
	seldom := []string{"--interval", "1h", "--resync", "1h"}
	first := w.StartDaemon(t, "first", seldom...)
	w.AwaitVerdict(t, converges, "converged", commit)
	w.AwaitRest(t, reacts)

	push := func(text string) string {
		t.Helper()
		w.Describe(t, "edge.hcl", strings.ReplaceAll(suspendable, "as written", text))
		return w.Push(t, "Write "+text)
	}
	pass := func(code int, verdict string, args ...string) {
		t.Helper()
		r := w.Run(t, converges, args...)
		if r.Code != code || !strings.HasPrefix(r.Stdout, verdict+": ") || !strings.Contains(r.Stderr, "is in charge, and is asked to look again") {
			t.Fatalf("a pass that is to find %s ends with %d: %q, %q", verdict, r.Code, r.Stdout, r.Stderr)
		}
		if status, _ := w.ReadStatus(t); status.Verdict != verdict || status.Head.Hash != commit {
			t.Errorf("it ends, and the report says %s of %s, want %s of %s", status.Verdict, status.Head.Hash, verdict, commit)
		}
	}
	commit = push("by a daemon")
	since, err := w.Cluster.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	pass(0, "converged")
	events, _, err := w.Cluster.Events(since)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Verb != "get" && e.Verb != "list" && e.Verb != "watch" && strings.HasPrefix(e.UserAgent, "kupenstack-sync/") &&
			e.Object.Resource != "selfsubjectreviews" && e.Object.Name != "kupenstack-requests" {
			t.Errorf("the pass itself sent %s %s", e.Verb, e.URI)
		}
	}
	pass(0, "converged") // what is converged is looked at again, and stays so

	// Another value than the daemon has is not taken for done, and flags that only the daemon heeds are named.
	w.Files.Write("size.hcl", "variable \"size\" {\n  type    = number\n  default = 3\n}\n")
	commit = w.Push(t, "Have a variable")
	pass(0, "converged", "--var", "size=3")
	other := w.Run(t, converges, "--var", "size=4", "--max-deletes", "5")
	if other.Code != 1 || other.Stdout != "" || !strings.Contains(other.Stderr, "has other values of variables than this pass") || !strings.Contains(other.Stderr, "not those given here: ") || !strings.Contains(other.Stderr, "--max-deletes\n") {
		t.Errorf("a pass with another value ends with %d: %q, %q", other.Code, other.Stdout, other.Stderr)
	}

	// What is left alone is not done by a pass either.
	if r := w.Run(t, time.Minute, "suspend", "manifest.left"); r.Code != 0 {
		t.Fatalf("suspend: exit code %d, %s", r.Code, r.Stderr)
	}
	commit = push("while it is suspended")
	pass(4, "suspended")
	if r := w.Run(t, time.Minute, "resume", "--all"); r.Code != 0 {
		t.Fatalf("resume: exit code %d, %s", r.Code, r.Stderr)
	}
	pass(0, "converged")

	// To wait is for those who say so. A limit that is over before it is known who is in charge shows nothing.
	for limit := 5 * time.Second; ; limit *= 2 {
		r := w.Run(t, converges, "--wait", "--timeout", limit.String())
		waits := strings.Contains(r.Stderr, "is in charge: waiting for it to end")
		if !waits && limit < time.Minute {
			continue
		}
		if r.Code != 4 || !waits {
			t.Errorf("a pass that waits %v ends with %d: %q, %q", limit, r.Code, r.Stdout, r.Stderr)
		}
		break
	}

	// A daemon that is stopped while a pass asks it loses the lease, to another one that answers or to the pass.
	second := w.StartDaemon(t, "second", seldom...)
	stop := func(p *world.Running) {
		t.Helper()
		if err := p.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	stop(first)
	commit = push("by another daemon")
	pass(0, "converged")

	// When no daemon is left, it is the pass. It may have been the pass that took over before: it lets go at its end.
	world.Await(t, reacts, func() (bool, string) {
		log := second.LogTail(64 << 10)
		return strings.Contains(log, "holds the lease"), log
	})
	stop(second)
	commit = push("by nobody else")
	pass(0, "converged")
	for _, p := range []*world.Running{first, second} {
		if err := p.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
}
