//go:build beds

package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// stops bounds the end of a daemon: the time for running calls, and that for the last report and the lease. What is
// done at once does not take the time for running calls, which is 25 s.
const (
	stops  = 70 * time.Second
	atOnce = 15 * time.Second
)

// TestSignals ends daemons while a write of theirs is under way. The first signal lets it come to its end, for a time;
// a second one does not wait for it. Either way what comes after is done once. So it is with a pass of kupenstack-sync.
func TestSignals(t *testing.T) {
	t.Parallel()
	w := world.WithoutOpenStack(t)
	p := w.Proxies(t)
	s := &signals{World: w, proxies: p}
	w.Describe(t, "edge.hcl", suspendable)
	commit := w.Push(t, "Describe what the cluster has")
	s.daemon = p.StartDaemon(t, "first")
	w.AwaitVerdict(t, converges, "converged", commit)
	w.AwaitRest(t, reacts)

	t.Run("one, and the write ends", func(t *testing.T) {
		held := s.hold(t, "one")
		s.tell(t)
		if !s.daemon.Alive() {
			t.Error("it did not wait for its write")
		}
		held.let()
		s.awaitEnd(t, stops)
		s.afterwards(t, "one", true, true)
	})
	t.Run("one, and the write does not end", func(t *testing.T) {
		s.next(t, "second")
		s.hold(t, "two")
		s.signal(t)
		s.awaitEnd(t, stops)
		s.afterwards(t, "two", false, true)
	})
	t.Run("two", func(t *testing.T) {
		s.next(t, "third")
		s.hold(t, "three")
		s.tell(t)
		world.Await(t, atOnce, func() (bool, string) {
			s.signal(t) // more than two are no harm
			return !s.daemon.Alive(), s.daemon.LogTail(8 << 10)
		})
		s.afterwards(t, "three", false, false)
	})
	s.next(t, "last")
	s.signal(t) // at rest
	s.awaitEnd(t, stops)
	t.Run("two, of a pass", s.pass)
	events, _, err := w.Cluster.Events(0)
	if err != nil {
		t.Fatal(err)
	}
	writes := 0
	for _, e := range events {
		if isLeft(e.Object) && e.Verb == "patch" && !strings.Contains(e.URI, "dryRun=All") {
			writes++
		}
	}
	if writes != 5 {
		t.Errorf("five texts took %d writes", writes)
	}
}

// pass ends a pass of kupenstack-sync by two signals while its write is under way: it does not wait for that either, and the
// next one does what is left as soon as the lease has run out.
func (s *signals) pass(t *testing.T) {
	const lease = "--lease-duration=3s"
	held := s.holding(t)
	s.describe("four")
	s.Push(t, "Write four")
	pass := s.proxies.StartPass(t, "pass", lease)
	held.await(t)
	world.Await(t, atOnce, func() (bool, string) {
		if err := pass.Signal(syscall.SIGTERM); err != nil { // more than two are no harm
			t.Fatal(err)
		}
		return !pass.Alive(), pass.LogTail(8 << 10)
	})
	s.afterwards(t, "four", false, false)
	if r := s.proxies.Run(t, converges, lease); r.Code != 0 {
		t.Fatalf("the pass after it: %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	s.afterwards(t, "four", true, true)
}

// signals is a world, and the daemon that is ended next.
type signals struct {
	*world.World
	proxies *world.Proxies
	daemon  *world.Running
}

func (s *signals) describe(text string) {
	s.Files.Write("edge.hcl", strings.Replace(suspendable, "as written", text, 1))
}

// held is a write that is under way.
type held struct {
	let  func()
	rule *faultproxy.Fault
}

// hold pushes a text for an object, and returns once the write of it is under way. It gets no further until it is let.
func (s *signals) hold(t *testing.T, text string) held {
	t.Helper()
	h := s.holding(t)
	s.describe(text)
	s.Push(t, "Write "+text)
	h.await(t)
	return h
}

// await waits until the write is under way.
func (h held) await(t *testing.T) {
	t.Helper()
	world.Await(t, reacts, func() (bool, string) { return h.rule.Fired() == 1, fmt.Sprint(h.rule.Seen()) })
}

// holding has the next write of the object wait.
func (s *signals) holding(t *testing.T) held {
	t.Helper()
	free := make(chan struct{})
	h := held{let: func() { close(free) }}
	h.rule = s.proxies.Add(faultproxy.Rule{
		Match: faultproxy.Match{Proxy: s.proxies.Kubernetes, Verb: "patch", Path: "/api/v1/namespaces/{namespace}/configmaps/{name}", Request: func(r *http.Request) bool {
			return strings.HasSuffix(r.URL.Path, "/notes/configmaps/left") && !r.URL.Query().Has("dryRun")
		}},
		Limit: 1,
		Action: faultproxy.Wrap("held", func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				select {
				case <-free:
					next.ServeHTTP(w, r)
				case <-r.Context().Done():
					panic(http.ErrAbortHandler)
				}
			})
		}),
	})
	t.Cleanup(h.rule.Remove)
	return h
}

func (s *signals) signal(t *testing.T) {
	t.Helper()
	if err := s.daemon.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// tell signals once, and returns when the daemon has taken that.
func (s *signals) tell(t *testing.T) {
	t.Helper()
	s.signal(t)
	world.Await(t, reacts, func() (bool, string) {
		log := s.daemon.LogTail(1 << 20)
		return strings.Contains(log, "is told to stop"), log
	})
}

func (s *signals) awaitEnd(t *testing.T, limit time.Duration) {
	t.Helper()
	world.Await(t, limit, func() (bool, string) { return !s.daemon.Alive(), s.daemon.LogTail(8 << 10) })
}

// afterwards wants the text to be written or not, and the lease to be free or not.
func (s *signals) afterwards(t *testing.T, text string, written, free bool) {
	t.Helper()
	left, err := s.Cluster.Client().CoreV1().ConfigMaps("notes").Get(t.Context(), "left", metav1.GetOptions{})
	if err != nil || (left.Data["text"] == text) != written {
		t.Errorf("the object has %v, %v", left.Data, err)
	}
	lease, err := s.Cluster.Client().CoordinationV1().Leases(world.System).Get(t.Context(), "kupenstack", metav1.GetOptions{})
	if err != nil || (*lease.Spec.HolderIdentity == "") != free {
		t.Errorf("the lease is %+v, %v", lease.Spec, err)
	}
}

// next starts another daemon, and waits until it has done what the one before it left.
func (s *signals) next(t *testing.T, name string) {
	t.Helper()
	s.daemon = s.proxies.StartDaemon(t, name)
	s.AwaitVerdict(t, converges, "converged", s.Repository.Log(t, "main")[0].Hash)
	s.AwaitRest(t, reacts)
}
