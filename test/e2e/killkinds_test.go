//go:build beds

package e2e_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/crash"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// mostKills bounds the lives of a convergence: there are fewer kinds of requests.
const mostKills = 400

// TestDaemonKilledAtEveryKindOfRequest kills the daemon at the first request of each kind that changes something, in
// Kubernetes, OpenStack and Git, while it installs a cloud, changes it and takes it away. A test kills it before the
// request arrives or after it was answered, as the seed has it; where there are to be more runs it does both, and at
// requests that only ask as well. What comes about is what was wanted, once.
func TestDaemonKilledAtEveryKindOfRequest(t *testing.T) {
	t.Parallel() // in a world of its own
	w := world.New(t)
	w.Shrink(t)
	s := &kinds{killed: killed{story{World: w, all: t, proxies: w.Proxies(t)}}, dir: t.TempDir(), done: map[string]int{}, whole: os.Getenv(runsVariable) != ""}
	s.chance = faultproxy.Rand(s.proxies.Seed(), "kinds")

	s.commit = w.Push(t, "Describe the cloud")
	s.converge(t, "install")
	s.resourcesOnce(t)
	s.hooksOnce(t)
	s.Files.Edit(t, "small.hcl", "name    = \""+s.Files.Prefix+"web\"\n  project = project.dev\n}", "name    = \""+s.Files.Prefix+"web\"\n  project = project.dev\n  mtu     = 1300\n}")
	s.Files.Edit(t, "small.hcl", "cidr    = \"10.20.4.0/24\"", "cidr    = \"10.20.4.0/24\"\n  description = \"changed\"")
	s.commit = w.Push(t, "Change some of it")
	s.converge(t, "change")
	s.resourcesOnce(t)

	before := s.Objects(t, nil)
	s.Files.Write("away.hcl", "removed {\n  from = cloud.small\n}\n")
	s.commit = w.Push(t, "Take everything away")
	s.converge(t, "removal")
	if left := s.Objects(t, before); len(left) > 0 {
		t.Errorf("of\n%q\nthese are left:\n%q", before.Names(), left.Names())
	}
	if left := s.Released(t, namespace); !slices.Equal(left, []string{"Secret keystone-credential-keys", "Secret keystone-fernet-keys"}) {
		t.Errorf("objects of releases are left: %q", left)
	}
	t.Logf("it was killed at\n%s", strings.Join(slices.Sorted(maps.Keys(s.done)), "\n"))
	for _, kind := range []string{"create secrets", "create jobs", "patch nodes", "POST /v2.0/networks", "PUT /v2.0/networks/", "DELETE /v2.0/networks/", "POST git-receive-pack"} {
		verb, path, _ := strings.Cut(kind, " ")
		if !slices.ContainsFunc(slices.Collect(maps.Keys(s.done)), func(done string) bool { return strings.HasPrefix(done, verb+" ") && strings.Contains(done, path) }) {
			t.Errorf("it was never killed at %s", kind)
		}
	}
}

type kinds struct {
	killed
	dir    string
	chance *rand.Rand
	whole  bool

	mu   sync.Mutex
	done map[string]int // by kind: 1 for a kill before it arrived, 2 for one after it was answered, 3 for both
}

// converge runs daemons until one of them has come to the end without a kill.
func (s *kinds) converge(t *testing.T, what string) {
	t.Helper()
	var kills []crash.Trigger
	for range mostKills {
		kills = append(kills, s.life())
	}
	lives, err := crash.Run{
		Program: s.proxies.Daemon("--resync", resync.String()), Dir: filepath.Join(s.dir, what), Control: s.proxies.Control, Kill: kills, Limit: converges,
		Killed: s.free, Until: func(_ context.Context, p *crash.Process) (bool, error) {
			status, _ := s.ReadStatus(t)
			return p.Logged(taken) && status.Verdict == "converged" && status.Applied.Hash == s.commit, nil
		},
	}.Do(t.Context())
	for _, life := range lives {
		s.NoSecrets(t, filepath.Base(life.Stderr), read(t, life.Stderr))
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	t.Logf("%s: %d lives", what, len(lives))
}

// taken is in the log of a daemon that has seen what is wanted.
var taken = regexp.MustCompile("took a revision")

// life is when one daemon is killed.
func (s *kinds) life() crash.Trigger {
	ended := false // guarded by mu; the proxies may ask about further requests before the daemon is gone
	at := func(side int) crash.Trigger {
		return crash.AtRequest(s.proxies.Control, faultproxy.Match{Request: func(r *http.Request) bool {
			kind := s.kind(r)
			s.mu.Lock()
			defer s.mu.Unlock()
			if ended || kind == "" || s.done[kind]&side != 0 {
				return false
			}
			if !s.whole {
				if s.done[kind] != 0 || side == 1 && s.chance.IntN(2) == 0 {
					return false // it is the other side's
				}
			}
			ended = true
			s.done[kind] |= side
			return true
		}}, crash.Point{Request: 1, After: side == 2})
	}
	return crash.Any(at(1), at(2))
}

// kind names what a request is about, without the names of objects; "" for one that nobody is killed at.
func (s *kinds) kind(r *http.Request) string {
	if strings.Contains(r.URL.Path, "/leases") || strings.Contains(r.URL.Path, "authorization.k8s.io") {
		return ""
	}
	classify := faultproxy.ClassifyOpenStack
	if strings.HasPrefix(r.URL.Path, "/api/") || strings.HasPrefix(r.URL.Path, "/apis/") {
		classify = faultproxy.ClassifyKubernetes
	}
	verb, path := classify(r)
	if !s.whole && slices.Contains([]string{http.MethodGet, http.MethodHead, "get", "list", "watch"}, verb) {
		return ""
	}
	return verb + " " + path
}

// free takes the lease of a daemon that was killed away, so that the next one need not wait until it has run out.
func (s *killed) free(ctx context.Context) error {
	return s.Cluster.Client().CoordinationV1().Leases(world.System).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
}
