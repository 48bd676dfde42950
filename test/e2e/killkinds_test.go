//go:build beds

package e2e_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
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
	leastKills, mostSweeps = 300, 5
	// oneOf so many requests a daemon is killed where it is a share of them all.
	oneOf = 8
	// setsHost is the request that takes a host out of use, or back into it.
	setsHost = "PUT os-services/"
)

// mustKinds are requests that a daemon has to be killed at in a chapter, also where a daemon of an earlier chapter was
// killed at one like it. In a whole sweep that is on both sides of them.
func mustKinds() map[string][]string {
	return map[string][]string{
		"install": {
			"create secrets", "create jobs", "create configmaps", "patch nodes/", "POST git-receive-pack",
			"POST projects", "POST roles", "POST groups", "PUT groups/{id}/roles/", "PUT os-quota-sets/",
			"POST networks", "POST subnets", "POST routers", "PUT add_router_interface", "POST security-groups", "POST security-group-rules",
			"POST floatingips", "POST flavors", "POST os-keypairs", "POST images", "PUT file", "POST members", "POST volumes", "POST servers",
		},
		"change": {
			"create secrets", "create jobs", // a revision of Helm and its hooks
			"delete pods/",                    // of a DaemonSet that Kubernetes leaves to us
			"DELETE flavors/", "POST flavors", // one is replaced
			"PUT networks/", "DELETE security-group-rules/", "DELETE members/",
		},
		"heal": {
			"patch configmaps/", "patch deployments/", "patch nodes/",
			"POST flavors", "POST security-group-rules", "PUT floatingips/", "PUT os-quota-sets/", "POST members",
		},
		"removal": {
			"delete secrets/", "delete persistentvolumeclaims/", "DELETE servers/", "DELETE floatingips/", "DELETE routers/", "DELETE networks/", "DELETE volumes/", "DELETE projects/", "POST git-receive-pack",
		},
		"install others": {
			"create secrets", "PUT add_extraroutes", "POST import", "POST domains", "POST regions", "POST services", "POST endpoints", "POST registered_limits", "POST limits", "POST users",
			"PUT users/", "PUT roles/", "POST dscp_marking_rules", "POST application_credentials", "POST address-scopes", "POST subnetpools", "POST policies", "POST bandwidth_limit_rules", "POST rbac-policies", "POST ports",
			"POST trunks", "POST os-aggregates", "POST action add_host", "POST action set_metadata", "POST os-server-groups", "POST qos-specs", "POST types", "POST snapshots", "POST os-volume_attachments",
		},
		"change others": {
			"PATCH domains/", "PATCH regions/", "PATCH services/", "PATCH endpoints/", "PATCH limits/", "PATCH users/",
			"POST application_credentials", "DELETE application_credentials/", // it is replaced
			"PUT subnetpools/", "PUT policies/", "PUT bandwidth_limit_rules/", "PUT ports/", "PUT trunks/{id}", "POST action set_metadata", "PUT qos-specs/", "POST extra_specs", "PUT snapshots/",
			"PATCH projects/{id}", "PUT volumes/{id}", "PUT routers/{id}", "PUT remove_extraroutes", "PUT add_extraroutes", "PUT remove_subports", "PUT add_subports",
			"POST os-interface", "POST action resize", "POST action confirmResize", "POST action os-stop",
			"PUT tags/", "DELETE tags/", "PUT os-quota-sets/", "PUT quotas/", "PATCH groups/", "PATCH roles/", "PUT security-groups/", "PUT address-scopes/", "PUT dscp_marking_rules/",
			"PUT os-aggregates/", "PUT flavors/", "POST os-extra_specs", "DELETE os-extra_specs/", "POST action addTenantAccess", "POST action addProjectAccess", "PATCH images/",
			"PUT types/", "DELETE extra_specs/", "PUT delete_keys", "POST metadata", "DELETE metadata/",
		},
		"heal others": {"POST action removeTenantAccess", "POST action removeProjectAccess", "DELETE users/", "DELETE os-interface/", "POST action os-start", "POST action reboot", "POST action rebuild"},
		"removal of others": {
			"DELETE domains/", "DELETE roles/", "DELETE regions/", "DELETE services/", "DELETE endpoints/", "DELETE registered_limits/", "DELETE limits/", "DELETE users/",
			"DELETE application_credentials/", "DELETE address-scopes/", "DELETE subnetpools/", "DELETE policies/", "DELETE rbac-policies/", "DELETE ports/",
			"DELETE trunks/", "DELETE os-aggregates/", "DELETE os-server-groups/", "DELETE qos-specs/", "DELETE types/", "DELETE snapshots/", "DELETE os-volume_attachments/",
		},
		"nodes leave":  {setsHost},
		"nodes return": {setsHost},
	}
}

// TestDaemonKilledAtEveryKindOfRequest kills the daemon at the first request of each kind that changes something, in
// Kubernetes, OpenStack and Git, while it installs a cloud, changes it, heals it and takes it away. A test kills it
// before the request arrives or after it was answered, as the seed has it; where there are to be more runs it does both,
// first before and then after, in each of these chapters, and at requests that only ask as well, and in further clouds, as
// the seed has it, until enough were killed. What comes about is what was wanted, once.
func TestDaemonKilledAtEveryKindOfRequest(t *testing.T) {
	t.Parallel() // in a world of its own
	if os.Getenv(runsVariable) == "" {
		sweepKinds(t, 0, false)
		return
	}
	kills := 0
	for i := 0; kills < leastKills && i < mostSweeps; i++ {
		if !t.Run(strconv.Itoa(i), func(t *testing.T) { kills += sweepKinds(t, i, true) }) {
			return
		}
		t.Logf("after sweep %d: %d kills", i, kills)
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
	s := &kinds{story: story{World: w, all: t, proxies: w.Proxies(t)}, dir: t.TempDir(), number: number, whole: whole, done: map[string]int{}}
	s.chance = faultproxy.Rand(s.proxies.Seed(), "kinds", strconv.Itoa(number))
	t.Cleanup(func() {
		t.Logf("seed %d, sweep %d: %d daemons were killed:\n%s", s.proxies.Seed(), number, s.dead, strings.Join(s.kills, "\n"))
	})
	for _, chapter := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"install", s.install},
		{"change", s.change},
		{"heal", s.heal},
		{"three passes over an unchanged world", s.rest},
		{"removal", s.removal},
	} {
		if !t.Run(chapter.name, chapter.run) {
			return s.dead // what follows builds on it
		}
	}
	return s.dead
}

type kinds struct {
	story
	dir     string
	number  int // of the sweep
	whole   bool
	share   int    // of so many lives of a chapter is made an end, at requests that are drawn; 0 for all
	side    int    // of requests that change something, if only that one is meant; 0 for both
	asking  bool   // only requests that ask are meant
	only    string // only this one of the mustKinds is meant; "" for all
	changed bool   // the commit in force is the second one
	healed  bool   // or the one behind that, and what failed works again
	dead    int    // daemons that were killed

	mu      sync.Mutex
	chance  *rand.Rand
	chapter string
	done    map[string]int // by kind, alone and with its chapter: 1 for a kill before it arrived, 2 for one after it was answered, 3 for both
	kills   []string       // in their order
}

// converge runs daemons until one of them has come to the end without a kill: the commit is in force, and then holds.
func (s *kinds) converge(t *testing.T, chapter string, then func() bool) {
	t.Helper()
	s.mu.Lock()
	s.chapter = chapter
	s.mu.Unlock()
	began := time.Now()
	var kills []crash.Trigger
	for range cmp.Or(s.share, mostKills) {
		kills = append(kills, s.life())
	}
	lives, err := crash.Run{
		Program: s.proxies.Daemon("--resync", resync.String(), "--heartbeat", "0"), Dir: filepath.Join(s.dir, chapter), Control: s.proxies.Control, Kill: kills, Limit: converges,
		Killed: s.free, Until: func(_ context.Context, p *crash.Process) (bool, error) {
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
	if s.share > 0 || s.asking || s.number > 0 && s.side == 0 {
		return
	}
	for _, must := range mustKinds()[chapter] {
		sides := 0
		for done, at := range s.done {
			if kind, here := strings.CutPrefix(done, chapter+": "); here && isKind(kind, must) {
				sides |= at
			}
		}
		switch {
		case sides == 0:
			t.Errorf("%s: with the seed %d no daemon was killed at %s", chapter, s.proxies.Seed(), must)
		case sides != 3 && s.bothSides():
			t.Errorf("%s: with the seed %d no daemon was killed %s %s", chapter, s.proxies.Seed(), sideOf(3-sides), must)
		}
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

// bothSides tells whether a daemon is killed on both sides of each kind: the first whole sweep leaves nothing to chance.
func (s *kinds) bothSides() bool { return s.whole && s.side == 0 && !s.asking && s.number == 0 }

// sideOf names a side of a request.
func sideOf(side int) string { return map[int]string{1: "before", 2: "after"}[side] }

// taken is in the log of a daemon that has seen what is wanted.
var taken = regexp.MustCompile("took a revision")

// isKind tells whether a kind is one of the mustKinds: these name what a request does and the end of its path, or, with
// a slash behind it, a part that an object's name follows.
func isKind(kind, must string) bool {
	verb, path, _ := strings.Cut(kind, " ")
	wanted, part, _ := strings.Cut(must, " ")
	return verb == wanted && (strings.HasSuffix(path, "/"+part) || strings.HasSuffix(part, "/") && strings.Contains(path, "/"+part))
}

// life is when one daemon is killed.
func (s *kinds) life() crash.Trigger {
	ended := false // guarded by mu; the proxies may ask about further requests before the daemon is gone
	at := func(side int) crash.Trigger {
		return crash.AtRequest(s.proxies.Control, faultproxy.Match{Request: func(r *http.Request) bool {
			kind := s.kind(r)
			s.mu.Lock()
			defer s.mu.Unlock()
			if ended || kind == "" || !s.wanted(kind, side) {
				return false
			}
			ended = true
			s.done[kind] |= side
			s.done[s.chapter+": "+kind] |= side
			s.kills = append(s.kills, s.chapter+": "+sideOf(side)+" "+kind)
			return true
		}}, crash.Point{Request: 1, After: side == 2})
	}
	return crash.Any(at(1), at(2))
}

// wanted tells whether a daemon is to be killed at a request of a kind, on a side of it. The first whole sweep has it
// killed before the request arrives, and after it was answered when it comes again. Sweeps behind that leave some requests to
// later ones of their kind.
func (s *kinds) wanted(kind string, side int) bool {
	done := s.done[kind]
	if s.whole && (!asks(kind) || s.asking) || slices.ContainsFunc(mustKinds()[s.chapter], func(must string) bool { return isKind(kind, must) }) {
		done = s.done[s.chapter+": "+kind]
	}
	if s.share > 0 && s.chance.IntN(oneOf) != 0 {
		return false
	}
	if s.side != 0 {
		return side == s.side && done == 0
	}
	if done&side != 0 || (!s.whole || s.asking) && done != 0 || s.number > 0 && s.chance.IntN(2) == 0 {
		return false
	}
	if s.bothSides() {
		return side == 1 || done != 0 // what was answered may not come again
	}
	before := 2 // one of so many is killed before the request, the others after it
	if !s.whole && strings.HasPrefix(kind, "POST ") {
		before = 4 // what has perhaps been created in OpenStack is waited for, half a minute each time
	}
	return side == 2 || done != 0 || s.chance.IntN(before) == 0
}

// where says, for messages, how to come there again and what was killed last.
func (s *kinds) where() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("seed %d, sweep %d, killed last at %q", s.proxies.Seed(), s.number, s.kills[max(0, len(s.kills)-3):])
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
	if s.asking && !asks(verb) || (!s.whole || s.side != 0) && asks(verb) {
		return ""
	}
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if strings.HasPrefix(segment, s.Files.Prefix) {
			segments[i] = "{name}"
		}
	}
	kind := strings.TrimSpace(verb + " " + strings.Join(segments, "/") + " " + actionOf(r))
	if s.only != "" && !isKind(kind, s.only) {
		return ""
	}
	return kind
}

// actionOf is what is to be done with an object of OpenStack by a request that says so in its body alone, "" for others.
func actionOf(r *http.Request) string {
	var body map[string]json.RawMessage
	if json.Unmarshal(faultproxy.Body(r), &body) != nil || len(body) != 1 {
		return ""
	}
	for action := range body {
		return action
	}
	return ""
}

// asks tells whether a kind changes nothing.
func asks(kind string) bool {
	verb, _, _ := strings.Cut(kind, " ")
	return slices.Contains([]string{http.MethodGet, http.MethodHead, "get", "list", "watch"}, verb)
}

// free takes the lease of a daemon that was killed away, so that the next one need not wait until it has run out.
func (s *story) free(ctx context.Context) error {
	return s.Cluster.Client().CoordinationV1().Leases(world.System).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
}
