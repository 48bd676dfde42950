//go:build beds

package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// remove takes everything out of OpenStack that is not needed to keep the cloud itself.
func (s *story) remove(t *testing.T) {
	before := s.Objects(t, nil)
	begin := s.requests()
	for _, block := range []string{"instance \"web\"", "router \"edge\"", "subnet \"web\"", "security_group \"web\"", "network \"web\"", "keypair \"ops\""} {
		s.Files.Cut(t, "resources.hcl", block)
	}
	s.commit = s.Push(t, "Take the web away")
	s.AwaitVerdict(t, converges, "converged", s.commit)

	left := s.Objects(t, before).Names()
	want := []string{"security_group default"} // Neutron gives each project one
	for _, stays := range []string{"flavor *small", "image *cirros", "network *public", "project *dev", "subnet *public"} {
		want = append(want, strings.Replace(stays, "*", s.Files.Prefix, 1))
	}
	if slices.Sort(want); !slices.Equal(left, want) {
		t.Errorf("of\n%q\nthese are left:\n%q\nwant\n%q", before.Names(), left, want)
	}
	if s.proxies == nil {
		t.Log("the requests of this cloud cannot be seen")
		return
	}
	inOrder(t, s.proxies.Requests()[begin:], [][2]string{
		{"instance", "security group"},
		{"instance", "key pair"},
		{"instance gone", "subnet"},
		{"instance gone", "network"},
		{"interface", "router"},
		{"interface", "subnet"},
		{"router", "subnet"},
		{"subnet", "network"},
	})
}

// requests is how many requests the proxies have seen so far.
func (s *story) requests() int {
	if s.proxies == nil {
		return 0
	}
	return len(s.proxies.Requests())
}

// inOrder fails the test unless of each pair all of the first was deleted before any of the second, and
// nothing was refused: what OpenStack refuses to delete was asked for too early. What it fails at itself is
// another matter: Neutron answers 500 when an agent that it counted on goes meanwhile.
func inOrder(t *testing.T, requests []faultproxy.Request, pairs [][2]string) {
	t.Helper()
	at := map[string][]faultproxy.Request{}
	servers, gone := map[string]bool{}, map[string]bool{}
	failed := map[string]bool{} // what OpenStack failed at itself, by method and path: it is asked again
	for _, r := range requests {
		what := deletes(r)
		switch {
		case what == "instance":
			servers[r.URLPath] = true
		case servers[r.URLPath] && r.Method == http.MethodGet && r.Status == http.StatusNotFound:
			if gone[r.URLPath] {
				continue // it was seen before
			}
			what, gone[r.URLPath] = "instance gone", true
		}
		if what == "" {
			continue
		}
		request := r.Method + " " + r.URLPath
		switch {
		case r.Proxy == "kubernetes" || what == "instance gone" || r.Status/100 == 2:
		case r.Status == 0 || r.Status >= http.StatusInternalServerError:
			failed[request] = true
		case r.Status == http.StatusNotFound && failed[request]: // the failed one did it
		default:
			t.Errorf("deleting the %s did not succeed at once: %v", what, r)
		}
		at[what] = append(at[what], r)
	}
	if len(gone) != len(servers) {
		t.Errorf("of %d instances %d were seen to be gone", len(servers), len(gone))
	}
	eachBefore(t, at, pairs)
}

// eachBefore fails the test unless of each pair all requests about the first came before any about the second.
func eachBefore(t *testing.T, at map[string][]faultproxy.Request, pairs [][2]string) {
	t.Helper()
	for _, pair := range pairs {
		first, second := at[pair[0]], at[pair[1]]
		switch {
		case len(first) == 0 || len(second) == 0:
			t.Errorf("%s: %d requests, %s: %d requests", pair[0], len(first), pair[1], len(second))
		case first[len(first)-1].Sequence > second[0].Sequence:
			t.Errorf("%s came after %s", first[len(first)-1], second[0])
		}
	}
}

// deletes says what a request takes away, "" for none.
func deletes(r faultproxy.Request) string {
	switch {
	case r.Proxy == "kubernetes":
		return releaseOf(r)
	case r.Method == http.MethodPut && strings.HasSuffix(r.Path, "/remove_router_interface"):
		return "interface"
	case r.Method != http.MethodDelete:
		return ""
	}
	for path, what := range map[string]string{
		"/servers/": "instance", "/flavors/": "flavor", "/os-keypairs/": "key pair", "/images/": "image", "/projects/": "project",
		"/routers/": "router", "/subnets/": "subnet", "/networks/": "network",
	} {
		if strings.Contains(r.Path, path) {
			return what
		}
	}
	if strings.Contains(r.Path, "/security-groups/") {
		return "security group"
	}
	return ""
}

// releaseOf names the release that a deleted object is of. Services are told apart by their names, which
// those of all their objects begin with.
func releaseOf(r faultproxy.Request) string {
	if r.Verb != "delete" || !strings.Contains(r.URLPath, "/namespaces/"+namespace+"/") {
		return ""
	}
	name := strings.TrimPrefix(r.URLPath[strings.LastIndex(r.URLPath, "/")+1:], "sh.helm.release.v1.")
	for _, service := range []string{"mariadb", "rabbitmq", "memcached", "keystone"} {
		if strings.HasPrefix(name, service) {
			return "release " + service
		}
	}
	return ""
}
