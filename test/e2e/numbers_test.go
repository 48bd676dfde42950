//go:build beds

package e2e_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/world"
)

// passes is how often an unchanged world is looked at.
const passes = 3

// threePasses counts what further passes of a process of its own each cost: they may list and watch, but
// neither write nor ask for the objects one by one, not even by a dry run. How often some lists are asked for may be up to
// what others have in OpenStack.
func (s *story) threePasses(t *testing.T, lists []string, varying ...string) {
	t.Helper()
	since, err := s.Cluster.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	before := len(s.proxies.Requests())
	reports := s.Repository.Hash(t, world.StatusBranch)
	for range passes {
		if r := s.proxies.Run(t, converges); r.Code != 0 {
			t.Fatalf("a pass ended with %d:\n%s%s", r.Code, r.Stdout, r.Stderr)
		}
	}
	if writes := s.Writes(t, since); len(writes) > 0 {
		t.Errorf("an unchanged world was written to: %q", writes)
	}
	s.onlyNamed(t, since, passes, ownRequests())
	if now := s.Repository.Hash(t, world.StatusBranch); now != reports {
		t.Errorf("the status branch went from %s to %s:\n%s", reports, now, s.changes(t, reports, now))
	}
	asked := askedFor(s.proxies.Requests()[before:])
	for own, times := range ownRequests() {
		if asked["kubernetes "+own] != times*passes {
			t.Errorf("%s was asked for %d times in %d passes", own, asked["kubernetes "+own], passes)
		}
		delete(asked, "kubernetes "+own)
	}
	for list, times := range each(lists) {
		if asked[list] != times*passes {
			t.Errorf("%s was asked for %d times in %d passes", list, asked[list], passes)
		}
		delete(asked, list)
	}
	for what, times := range asked {
		if slices.Contains(varying, what) {
			continue
		}
		t.Errorf("%s was asked for %d times in %d passes", what, times, passes)
	}
}

// ownRequests are what a process asks about single objects when it starts, however large the cloud: who
// it is, whether the cluster remembers it so, and is the same, what is suspended, and whether there is a place for its lease.
func ownRequests() map[string]int {
	const own = "get /api/v1/namespaces/" + world.System
	const cluster = "get /api/v1/namespaces/kube-system"
	return map[string]int{own: 2, cluster: 1, own + "/secrets/kupenstack-installation": 1, own + "/configmaps/kupenstack-suspensions": 1}
}

// changes are the lines of reports that one commit has and another one has not.
func (s *story) changes(t *testing.T, from, to string) string {
	t.Helper()
	before, after := s.Repository.Tree(t, from), s.Repository.Tree(t, to)
	var b strings.Builder
	for _, side := range []struct {
		sign        string
		have, other map[string]string
	}{{"-", before, after}, {"+", after, before}} {
		for _, name := range slices.Sorted(maps.Keys(side.have)) {
			lines := strings.Split(side.other[name], "\n")
			for line := range strings.SplitSeq(side.have[name], "\n") {
				if !slices.Contains(lines, line) {
					fmt.Fprintf(&b, "%s %s: %s\n", side.sign, name, line)
				}
			}
		}
	}
	return b.String()
}

// askedFor counts what was asked for of Kubernetes' objects and of OpenStack, and what was to be changed
// there and in the repository.
func askedFor(requests []faultproxy.Request) map[string]int {
	asked := map[string]int{}
	for _, r := range requests {
		switch {
		case r.Proxy == "git":
			if strings.HasSuffix(r.Path, "/git-receive-pack") {
				asked["git push"]++
			}
		case r.Proxy != "kubernetes":
			countOpenStack(r, asked)
		case !slices.Contains([]string{"list", "watch"}, r.Verb) && aboutObjects(r.URLPath):
			asked["kubernetes "+r.Verb+" "+r.URLPath]++
		}
	}
	return asked
}

// onlyNamed fails the test unless, of single objects, the commands asked Kubernetes about some alone since
// an offset of the audit log, each so many times. The log has the requests of Helm, too, and lists and
// watches that select a name.
func (s *story) onlyNamed(t *testing.T, since int64, times int, requests map[string]int) {
	t.Helper()
	asked := map[string]int{}
	for _, request := range s.Named(t, since) {
		asked[request]++
	}
	for request, each := range requests {
		if asked[request] != times*each {
			t.Errorf("Kubernetes was asked %d times to %s, want %d times", asked[request], request, times*each)
		}
		delete(asked, request)
	}
	for _, request := range slices.Sorted(maps.Keys(asked)) {
		t.Errorf("Kubernetes was asked %d times to %s", asked[request], request)
	}
}

// aboutObjects tells whether a path is one of objects other than leases, and not of what the server says
// of itself.
func aboutObjects(path string) bool {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	return !slices.Contains(parts, "leases") && (parts[0] == "api" && len(parts) > 2 || parts[0] == "apis" && len(parts) > 3)
}

// apiVersion is the path of an API's own description.
var apiVersion = regexp.MustCompile(`^/?(v[0-9.]+/?)?$`)

// countOpenStack counts lists, of which further pages are a part, and what else was asked for. What a
// service failed at itself is asked for again, and counts then.
func countOpenStack(r faultproxy.Request, asked map[string]int) {
	switch {
	case r.Method == http.MethodGet && (r.Status == 0 || r.Status >= http.StatusInternalServerError):
	case strings.HasSuffix(r.Path, "/auth/tokens") && r.Method == http.MethodPost, apiVersion.MatchString(r.Path):
	case r.Method != http.MethodGet:
		asked[r.Proxy+" "+r.Method+" "+r.Path]++
	case !strings.Contains(r.Query, "marker="):
		asked[r.Proxy+" "+r.Path]++
	}
}

// each counts what a look asks for more than once.
func each(lists []string) map[string]int {
	times := map[string]int{}
	for _, list := range lists {
		times[list]++
	}
	return times
}

// smallLists are what an unchanged small cloud costs at OpenStack: one list for each kind, that of the images that are hidden, and the
// ports of all instances, as servers do not tell their own. The first is whether Keystone works.
func smallLists() []string {
	return []string{
		"identity /v3/auth/projects",
		"compute /v2.1/flavors/detail", "compute /v2.1/os-keypairs", "compute /v2.1/servers/detail", "identity /v3/projects", "image /v2/images", "image /v2/images",
		"network /v2.0/networks", "network /v2.0/ports", "network /v2.0/subnets",
	}
}

// variousLists are what the small cloud of the tests costs, which has a few kinds more. What it writes of quotas, roles
// that are given and members of images is asked for one by one, as no list has it.
func variousLists() []string {
	return append(smallLists(), "identity /v3/roles", "identity /v3/role_assignments", "compute /v2.1/os-quota-sets/{id}",
		"image /v2/images/{id}/members", "network /v2.0/floatingips", "network /v2.0/routers", "network /v2.0/security-groups", "block-storage,volumev3 /v3/{id}/volumes/detail")
}

// demoLists are what the demo's cloud costs: the ports are those of instances and routers alike. The
// project writes limits of Nova, which has no list of them. The agents are for the pages of nodes. The
// first three are whether the services work.
func demoLists() []string {
	return append(smallLists(), "image /v2/images", "placement /resource_providers", "compute /v2.1/os-services",
		"compute /v2.1/os-quota-sets/{id}", "compute /v2.1/os-services",
		"network /v2.0/agents", "network /v2.0/routers", "network /v2.0/security-groups")
}

// unchanged lets the command pass over the demo's cloud while no daemon is in charge, and goes on with a
// daemon whose requests are seen.
func (s *story) unchanged(t *testing.T) {
	if s.Cloud.CloudsYAML == "" {
		t.Skip("needs the OpenStack of the test bed, but OS_CLOUD names another one")
	}
	if err := s.daemon.Stop(t.Context(), reacts); err != nil {
		t.Fatal(err)
	}
	s.proxies = s.Proxies(s.all)
	// The first report is another one: behind the proxies the repository has another address.
	if r := s.proxies.Run(t, converges); r.Code != 0 {
		t.Fatalf("the first pass ended with %d:\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	s.threePasses(t, append(demoLists(), "compute /v2.1/os-hypervisors/detail")) // each process learns once whether Nova knows the cells of hosts
	s.startDaemon("daemon-1")
}

// resyncs is how often the daemon is to look around while its requests are counted.
const resyncs = 3

// idleResyncs sees to it that a daemon that looks around again and again asks once each time, and for
// nothing else than a pass.
func (s *story) idleResyncs(t *testing.T) {
	t.Helper()
	if s.proxies == nil {
		t.Log("the requests of this cloud cannot be counted")
		return
	}
	seen := func(from int) map[string]int { return askedFor(s.proxies.Requests()[from:]) }
	begin := len(s.proxies.Requests())
	// A daemon that has just been started may look twice, so what counts begins with its second list.
	await := func(from, lists int) {
		t.Helper()
		world.Await(t, reacts, func() (bool, string) {
			now := seen(from)
			for list, times := range each(demoLists()) {
				if now[list] < times*lists {
					return false, fmt.Sprint(now)
				}
			}
			return true, ""
		})
	}
	await(begin, 2)
	since, err := s.Cluster.AuditOffset()
	if err != nil {
		t.Fatal(err)
	}
	begin = len(s.proxies.Requests())
	var looks []faultproxy.Request
	world.Await(t, reacts, func() (bool, string) {
		looks = between(s.proxies.Requests()[begin:], demoLists()[1], resyncs)
		return looks != nil, fmt.Sprint(seen(begin))
	})
	s.onlyNamed(t, since, 0, nil)
	// On a busy machine one look may be late, and the next one not, but all of them cannot be.
	took := looks[len(looks)-1].Time.Sub(looks[0].Time)
	if took < (resyncs-1)*resync {
		t.Errorf("everything was looked at %d times within %v, though that is due every %v", resyncs, took, resync)
	}
	asked := askedFor(looks[:len(looks)-1])
	most := int(took/resync) + 2 // of a look some lists may come before the one that is counted from, which may be late
	for list, times := range each(demoLists()) {
		if asked[list] < times*(resyncs-1) || asked[list] > times*most {
			t.Errorf("%s was asked for %d times in %d looks within %v", list, asked[list], resyncs, took)
		}
		delete(asked, list)
	}
	for what, times := range asked {
		t.Errorf("%s was asked for %d times", what, times)
	}
}

// between returns the requests from a list up to the same one so many times later, which is the last of
// them; nil when it was not asked for as often.
func between(requests []faultproxy.Request, list string, times int) []faultproxy.Request {
	first, found := 0, -1
	for i := range requests {
		if askedFor(requests[i : i+1])[list] == 0 {
			continue
		}
		if found++; found == 0 {
			first = i
		}
		if found == times {
			return requests[first : i+1]
		}
	}
	return nil
}

func TestBetween(t *testing.T) {
	var requests []faultproxy.Request
	for _, path := range []string{"/b", "/a", "/b", "/a", "/b", "/a", "/b"} {
		requests = append(requests, faultproxy.Request{Proxy: "x", Method: http.MethodGet, Path: path, Status: http.StatusOK})
	}
	got := between(requests, "x /a", 2)
	if len(got) != 5 || got[0].Path != "/a" || got[4].Path != "/a" || askedFor(got[:4])["x /b"] != 2 {
		t.Errorf("got %v", got)
	}
	if got := between(requests, "x /a", 3); got != nil {
		t.Errorf("got %v", got)
	}
	requests[3].Status = http.StatusServiceUnavailable
	if got := between(requests, "x /a", 2); got != nil {
		t.Errorf("what was not answered counts: %v", got)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
