//go:build beds

package e2e_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// mostLogins is how many tokens a daemon may take for a small cloud, whatever its clock says of them.
const mostLogins = 5

// TestClocksThatDiffer has a daemon whose clock is ten minutes ahead of those of everybody else or behind them, as the
// seed has it. It keeps the lease while it lives, loses it when it is killed, and may have it again; it brings about
// what is wanted and puts back what somebody edits; and it does not take token after token.
func TestClocksThatDiffer(t *testing.T) {
	t.Parallel() // in a world of its own
	w := world.New(t)
	r := &rounds{World: w, proxies: w.Proxies(t)}
	by := 10 * time.Minute
	if faultproxy.Rand(r.proxies.Seed(), "clocks").IntN(2) == 0 {
		by = -by
	}
	t.Logf("the others are ahead by %v", by)
	r.release(t)
	r.wanted = wanted{texts: map[string]string{"a": "one"}, mtus: map[string]int{"a": 1400}, words: "one"}
	r.proxies.Add(faultproxy.Rule{Match: faultproxy.Match{Request: func(q *http.Request) bool { return !strings.Contains(q.URL.Path, "/git-") }}, Action: faultproxy.Skew(by)})
	logins := r.proxies.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: http.MethodPost, Path: "/v3/auth/tokens"}})
	commit := r.push(t, "Describe the cloud")
	r.start(t)
	w.AwaitVerdict(t, converges, "converged", commit)
	standby := w.StartDaemon(t, "standby", "--resync", resync.String())
	world.Await(t, reacts, func() (bool, string) {
		log := standby.LogTail(64 << 10)
		return strings.Contains(log, "the lease has a holder"), log
	})

	r.meddle(t)
	world.Await(t, reacts, func() (bool, string) { return r.differs(t) == "", r.differs(t) })
	r.wanted.texts["a"], r.wanted.mtus["a"], r.wanted.words = "two", 1300, "two"
	w.AwaitVerdict(t, converges, "converged", r.push(t, "Change all of it"))
	w.AwaitRest(t, reacts)
	r.holds(t)
	if n := logins.Seen(); n > mostLogins {
		t.Errorf("it took %d tokens", n)
	}
	// The standby would have taken a lease over that had seemed to run out.
	if log := standby.LogTail(1 << 20); strings.Contains(log, "holds the lease") {
		t.Errorf("another daemon was in charge meanwhile:\n%s", log)
	}

	if err := r.daemon.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	world.Await(t, reacts, func() (bool, string) {
		log := standby.LogTail(1 << 20)
		return strings.Contains(log, "holds the lease"), log
	})
	took := time.Since(killed)
	t.Logf("another daemon was in charge %v after this one was killed", took)
	if took > time.Minute {
		t.Errorf("it took %v until another daemon was in charge", took)
	}
	r.start(t)
	if err := standby.Stop(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	r.wanted = wanted{}
	w.AwaitVerdict(t, converges, "converged", r.push(t, "Take away what is in OpenStack"))
	r.holds(t)
	lease, err := w.Cluster.Client().CoordinationV1().Leases(world.System).Get(t.Context(), "kupenstack", metav1.GetOptions{})
	if err != nil || !strings.Contains(r.daemon.LogTail(1<<20), *lease.Spec.HolderIdentity+`","time"`) {
		t.Errorf("the lease is %+v, %v", lease, err)
	}
}
