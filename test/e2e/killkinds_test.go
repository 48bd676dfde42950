//go:build beds

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/crash"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

const (
	// mostKills bounds the lives of a chapter: there are fewer kinds of requests.
	mostKills = 400
	// leastKills is how many kills make a whole run, and mostSweeps how many clouds may be needed for them.
	leastKills, mostSweeps = 300, 3
)

// TestDaemonKilledAtEveryKindOfRequest kills the daemon at the first request of each kind that changes something, in
// Kubernetes, OpenStack and Git, while it installs a cloud, changes it, heals it and takes it away. A test kills it
// before the request arrives or after it was answered, as the seed has it; where there are to be more runs it does both,
// first before and then after, in each of these chapters, and at requests that only ask as well, and in further clouds, as
// the seed has it, until enough were killed. What comes about is what was wanted, once.
func TestDaemonKilledAtEveryKindOfRequest(t *testing.T) {
	t.Parallel() // in a world of its own
	if os.Getenv(runsVariable) == "" || os.Getenv(crash.PointVariable) != "" {
		sweepKinds(t, 0, false)
		return
	}
	kills := 0
	for number := 0; kills < leastKills && number < mostSweeps; number++ { // one is enough as a rule
		if !t.Run(strconv.Itoa(number), func(t *testing.T) { kills += sweepKinds(t, number, true) }) {
			return
		}
		t.Logf("after sweep %d: %d kills", number, kills)
	}
	if kills < leastKills {
		t.Errorf("%d daemons were killed in %d sweeps, want at least %d", kills, mostSweeps, leastKills)
	}
}

// sweepKinds has one cloud come and go, and returns how many daemons were killed meanwhile.
func sweepKinds(t *testing.T, number int, whole bool) int {
	t.Helper()
	w := world.New(t)
	w.Shrink(t)
	w.Files.Write("more/app/Chart.yaml", "apiVersion: v2\nname: app\nversion: 1.0.0\n")
	w.Files.Write("more/app/templates/all.yaml", steppedChart)
	c := choice{sweep: "kinds", number: number, whole: whole}
	if whole {
		c.sides = both
	}
	s := sweeps(t, w, c)
	s.through(t, []chapter{
		{"install", s.install},
		{"change", s.change},
		{"heal", s.heal},
		{"three passes over an unchanged world", s.rest},
		{"removal", s.removal},
	})
	return s.dead
}

type kinds struct {
	story
	dir     string
	number  int  // of the sweep
	runsOut bool // the lease of a daemon that was killed, which is a short one; else it is taken away
	changed bool // the commit in force is the second one
	healed  bool // or the one behind that, and what failed works again
	dead    int  // daemons that were killed
	hooks   hooks

	mu      sync.Mutex
	chapter string
	choice  choice
	leases  []string // what was done with the lease, in the order of the requests
}

// sweeps has the daemons killed at what a choice has, in a world.
func sweeps(t *testing.T, w *world.World, c choice) *kinds {
	t.Helper()
	s := &kinds{story: story{World: w, all: t, proxies: w.Proxies(t)}, dir: t.TempDir(), number: c.number, runsOut: c.whole, choice: c}
	s.choice.seed = s.proxies.Seed()
	s.choice.point = onePoint(t)
	t.Cleanup(func() {
		t.Logf("seed %d, sweep %d: %d daemons were killed; one of them alone with %s=\"<a line of these>\":\n%s",
			s.proxies.Seed(), s.number, s.dead, crash.PointVariable, strings.Join(s.choice.lines(), "\n"))
	})
	return s
}

// onePoint is the kill that is to be replayed alone, nil when there is none.
func onePoint(t *testing.T) *point {
	t.Helper()
	text := os.Getenv(crash.PointVariable)
	if text == "" {
		return nil
	}
	p, err := parsePoint(text)
	if err != nil {
		t.Fatalf("%s: %v", crash.PointVariable, err)
	}
	return &p
}

// chapter is a part of what a sweep has a cloud go through.
type chapter struct {
	name string // as namedSteps has it
	run  func(*testing.T)
}

// through goes through the chapters. What follows builds on what was before; behind a kill that is to be replayed alone
// nothing does.
func (s *kinds) through(t *testing.T, chapters []chapter) {
	t.Helper()
	if p := s.choice.point; p != nil && !slices.ContainsFunc(chapters, func(c chapter) bool { return c.name == p.chapter }) {
		t.Skipf("%s is of another test", p)
	}
	for _, c := range chapters {
		if !t.Run(c.name, c.run) || s.choice.point != nil && s.choice.point.chapter == c.name {
			return
		}
	}
}

// converge runs daemons until one of them has come to the end without a kill: the commit is in force, and then holds.
func (s *kinds) converge(t *testing.T, chapter string, then func() bool) {
	t.Helper()
	s.mu.Lock()
	s.chapter = chapter
	s.mu.Unlock()
	began := time.Now()
	var kills []crash.Trigger
	for range mostKills {
		kills = append(kills, s.life())
	}
	flags, free := []string{"--resync", resync.String(), "--heartbeat", "0"}, s.free
	if s.runsOut {
		flags, free = append(flags, "--lease-duration", shortLease.String()), nil
	}
	lives, err := crash.Run{
		Program: s.proxies.Daemon(flags...), Dir: filepath.Join(s.dir, chapter), Control: s.proxies.Control, Kill: kills, Limit: converges,
		Killed: free, Until: func(_ context.Context, p *crash.Process) (bool, error) {
			if !p.Logged(taken) {
				return false, nil
			}
			status, _ := s.ReadStatus(t)
			return status.Verdict == "converged" && status.Applied.Hash == s.commit && then(), nil
		},
	}.Do(t.Context())
	for _, life := range lives {
		s.NoSecrets(t, filepath.Base(life.Stderr), read(t, life.Stderr))
		if life.Killed {
			s.dead++
		}
	}
	if err != nil {
		t.Fatalf("%s: %v\nwhat the last report says is not ready:\n%s", s.where(), err, s.unready(t))
	}
	t.Logf("%s: %d lives in %v", chapter, len(lives), time.Since(began).Round(time.Second))
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, line := range s.choice.missed(chapter) {
		t.Errorf("with the seed %d no daemon was killed at %s", s.proxies.Seed(), line)
	}
}

// unready says of all that is not ready why.
func (s *kinds) unready(t *testing.T) string {
	status, _ := s.ReadStatus(t)
	var lines []string
	for _, u := range status.Units {
		if u.Phase != "ready" {
			lines = append(lines, fmt.Sprintf("%s is %s: %s", u.Address, u.Phase, u.Reason))
		}
	}
	return strings.Join(lines, "\n")
}

// taken is in the log of a daemon that has seen what is wanted.
var taken = regexp.MustCompile("took a revision")

// life is when one daemon is killed.
func (s *kinds) life() crash.Trigger {
	ended := false // guarded by mu; the proxies may ask about further requests before the daemon is gone
	return killOn(s.proxies.Control, nil, func(r *http.Request) int {
		s.mu.Lock()
		defer s.mu.Unlock()
		kind := s.kind(r)
		if ended {
			return 0
		}
		side := s.choice.at(s.chapter, kind)
		ended = side != 0
		return side
	})
}

// killOn kills a daemon on the side of a request that is said for it, 0 for neither. A request to a proxy, or to all of them
// where that is nil, is asked about once.
func killOn(control *faultproxy.Control, proxy *faultproxy.Proxy, side func(*http.Request) int) crash.Trigger {
	var mu sync.Mutex
	var last *http.Request
	said := 0
	at := func(of int) crash.Trigger {
		return crash.AtRequest(control, faultproxy.Match{Proxy: proxy, Request: func(r *http.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			if r != last {
				last, said = r, side(r)
			}
			return said == of
		}}, crash.Point{Request: 1, After: of == after})
	}
	return crash.Any(at(before), at(after))
}

// where says, for messages, how to come there again and what was killed last.
func (s *kinds) where() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.choice.lines()
	return fmt.Sprintf("seed %d, sweep %d, killed last at %q", s.proxies.Seed(), s.number, lines[max(0, len(lines)-3):])
}

// kind names what a request is about, without the names of objects; mu is held. It is asked once about each.
func (s *kinds) kind(r *http.Request) string {
	classify := faultproxy.ClassifyOpenStack
	if strings.HasPrefix(r.URL.Path, "/api/") || strings.HasPrefix(r.URL.Path, "/apis/") {
		classify = faultproxy.ClassifyKubernetes
	}
	verb, path := classify(r)
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if strings.HasPrefix(segment, s.Files.Prefix) {
			segments[i] = "{name}"
		}
	}
	kind := strings.TrimSpace(verb + " " + strings.Join(segments, "/") + " " + actionOf(r))
	if i := slices.IndexFunc(namedSteps()["lease"], func(step string) bool { return isKind(kind, step) }); i >= 0 {
		s.leases = append(s.leases, namedSteps()["lease"][i])
	}
	return kind
}

// actionOf is what is to be done with an object of OpenStack, or with a lease, by a request that says so in its body alone, ""
// for others.
func actionOf(r *http.Request) string {
	if strings.Contains(r.URL.Path, "/leases/") {
		return leaseAction(faultproxy.Body(r))
	}
	var body map[string]json.RawMessage
	if json.Unmarshal(faultproxy.Body(r), &body) != nil || len(body) != 1 {
		return ""
	}
	for action := range body {
		return action
	}
	return ""
}

// free takes the lease of a daemon that was killed away, so that the next one need not wait until it has run out.
func (s *story) free(ctx context.Context) error {
	return s.Cluster.Client().CoordinationV1().Leases(world.System).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
}
