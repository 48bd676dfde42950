//go:build beds

package e2e_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// watched is a cloud that is asked for everywhere: in the cluster, in OpenStack and in Git.
const watched = suspendable + `
network "left" {
  name        = "PREFIXleft"
  description = "as written"
}
`

// TestAsleepReadsNothing has a daemon with work in all places be stopped while it is in charge, and wake up when another one
// is. All that it has to do is due by then, and its watches have ended: nothing of that is asked of anybody any more, neither
// of the cluster nor of OpenStack, where no login is tried, nor of Git. It asks for what it needs to be in charge again, and
// is that when the other one ends.
func TestAsleepReadsNothing(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	text := strings.NewReplacer(`cloud "edge" {}`, "cloud \"edge\" {\n  openstack {\n    cloud = \"edge\"\n  }\n}", "PREFIX", w.Files.Prefix).Replace(watched)
	w.Describe(t, "edge.hcl", text)
	commit := w.Push(t, "Describe what there is")
	p := w.Proxies(t)
	asleep := p.StartDaemon(t, "asleep", "--resync", "3s", "--openstack-interval", "1s")
	w.AwaitVerdict(t, converges, "converged", commit)
	awake := w.StartDaemon(t, "awake")
	if err := asleep.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	world.Await(t, reacts, func() (bool, string) {
		log := awake.LogTail(1 << 20)
		return strings.Contains(log, "took a revision"), log
	})
	w.Describe(t, "edge.hcl", strings.ReplaceAll(text, "as written", "while one slept"))
	commit = w.Push(t, "Write what only one of them sees")
	w.AwaitVerdict(t, reacts, "converged", commit)
	if err := p.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p.EndWatches(faultproxy.Match{}) == 0 {
		t.Error("it watched nothing")
	}
	before := len(p.Requests())
	if err := asleep.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	const looks = 10 // at the lease, each a second after another one
	world.Await(t, reacts, func() (bool, string) {
		waits := 0
		for _, r := range p.Requests()[before:] {
			if r.Verb == "get" && strings.HasSuffix(r.Path, "/leases/{name}") {
				waits++
			}
		}
		log := asleep.LogTail(1 << 20)
		return waits > looks && strings.Contains(log, "not in charge"), log
	})
	pinged := false
	for _, r := range p.Requests()[before:] {
		at := r.Verb + " " + r.URLPath
		switch {
		case r.Proxy == "kubernetes" && strings.HasSuffix(r.Path, "/leases/{name}"): // how the lease is looked at, and told to be lost
		case r.Proxy == "kubernetes" && at == http.MethodGet+" /version":
			pinged = true
		case r.Proxy == "kubernetes" && at == "get /api/v1/namespaces/kube-system": // whether what is installed is that of this cluster
		case r.Proxy == "kubernetes" && (at == "get /api/v1/namespaces/"+world.System || at == "get /api/v1/namespaces/"+world.System+"/secrets/kupenstack-installation"):
		default:
			t.Errorf("when it had woken up it sent %s", r)
		}
	}
	if !pinged {
		t.Error("it did not look whether the cluster is there")
	}

	if err := awake.Stop(t.Context(), reacts); err != nil {
		t.Fatal(err)
	}
	w.Describe(t, "edge.hcl", strings.ReplaceAll(text, "as written", "when it was in charge again"))
	w.AwaitVerdict(t, reacts, "converged", w.Push(t, "Write what the one sees that is left"))
}
