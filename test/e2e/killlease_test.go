//go:build beds

package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// shortLease is how long a daemon keeps its lease where the next one waits for it to run out: the least that the flag takes.
const shortLease = 3 * time.Second

// leaseAction is what a lease is written for.
func leaseAction(body []byte) string {
	var lease coordinationv1.Lease
	if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, &lease); err != nil {
		return ""
	}
	switch spec := lease.Spec; {
	case spec.HolderIdentity == nil || *spec.HolderIdentity == "":
		return "gives back"
	case spec.AcquireTime.Equal(spec.RenewTime):
		return "takes"
	}
	return "renews"
}

// TestDaemonKilledAtItsLease kills daemons before and after each request by which they make the lease, take it, renew it and
// give it back. Nobody frees it for the next one: that waits until it has run out, and no less than that.
func TestDaemonKilledAtItsLease(t *testing.T) {
	t.Parallel() // in a world of its own
	w := world.WithoutOpenStack(t)
	s := sweeps(t, w, choice{sweep: "lease", named: true, sides: both})
	s.runsOut = true
	w.Describe(t, "cloud.hcl", "cloud \"edge\" {}\n"+kindsBlocks)
	s.commit = s.Push(t, "Describe the cloud")
	s.through(t, []chapter{{"lease", func(t *testing.T) { s.converge(t, "lease", always) }}})

	facts := map[string]string{}
	notes, err := w.Cluster.Client().CoreV1().ConfigMaps("notes").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range notes.Items {
		facts[notes.Items[i].Name] = notes.Items[i].Data["text"]
	}
	if facts["kept"] != "0" || facts["spare"] != "0" {
		t.Errorf("%s: the objects are %v", s.where(), facts)
	}
	if holder, err := w.Cluster.LeaseHolder(t.Context(), world.System, "kupenstack"); err != nil || holder != "" {
		t.Errorf("%s: in the end %q has the lease, %v", s.where(), holder, err)
	}
	s.leaseRanOut(t)
}

// leaseRanOut wants the lease to have been made once, and never to have been taken from a daemon that was killed before it
// had run out.
func (s *kinds) leaseRanOut(t *testing.T) {
	t.Helper()
	var sent []faultproxy.Request
	for _, r := range s.proxies.Requests() {
		if strings.Contains(r.URLPath, "/leases") && r.Method != http.MethodGet {
			sent = append(sent, r)
		}
	}
	s.mu.Lock()
	done := slices.Clone(s.leases)
	s.mu.Unlock()
	if len(sent) != len(done) {
		t.Fatalf("of %d writes of leases %d were read: %q", len(sent), len(done), done)
	}
	made, waited, held := 0, 0, false
	var renewed time.Time
	for i, r := range sent {
		if r.Upstream/100 != 2 {
			continue // it never arrived, or came too late
		}
		switch done[i] {
		case "create leases":
			made++
		case takesLease:
			if passed := r.Time.Sub(renewed); held && passed < shortLease {
				t.Errorf("%s: the lease of a daemon that was killed was taken %v after its last renewal", s.where(), passed)
			}
			if held {
				waited++
			}
		}
		held, renewed = done[i] != givesBackLease, r.Time
	}
	// Who is killed before it has made the lease, or behind that it has given it back, leaves nothing to wait for; and who is
	// killed before it takes it has waited with the next one.
	least := 5
	if s.choice.point != nil { // one kill alone, after which nobody may have had to wait
		least = 0
	}
	if made != 1 || waited < least {
		t.Errorf("%s: the lease was made %d times, and run out it was taken %d times", s.where(), made, waited)
	}
}
