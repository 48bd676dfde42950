//go:build beds

package e2e_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/gophercloud/gophercloud/v2/openstack/compute/v2/servers"

	"github.com/kupenstack/kupenstack-sync/test/world"
)

// lost deletes what all instances were made from. It is made again, with other ids; the instances stay what they
// are, are in order, and what else is changed of them is put back.
func (s *story) lost(t *testing.T) {
	before := map[string]string{}
	for _, server := range s.Servers(t) {
		before[server.ID] = server.Name
	}
	_, flavor := s.known(t, "flavor", "small")
	_, image := s.known(t, "image", "cirros")
	s.Meddle(t, "compute", http.MethodDelete, "flavors/"+flavor, nil)
	s.Meddle(t, "image", http.MethodDelete, "images/"+image, nil)
	again := map[string]repaired{"flavor": s.again("flavor", "small", flavor), "image": s.again("image", "cirros", image)}
	world.Await(t, reacts, func() (bool, string) {
		for what, done := range again {
			if ok, seen := done(); !ok {
				return false, what + ": " + seen
			}
		}
		return true, ""
	})
	repaired := s.editServer(t)
	world.Await(t, reacts, repaired)
	s.AwaitRest(t, reacts)
	s.AwaitVerdict(t, converges, "converged", s.commit)
	status, _ := s.ReadStatus(t)
	for _, key := range []string{"a", "b", "c"} {
		if u := status.Unit(fmt.Sprintf("instance.web[%q]", key)); u == nil || u.Phase != "ready" || before[u.ID] == "" {
			t.Errorf("the instance %s is told as %+v, and there were %v", key, u, before)
		}
	}
	after := s.Servers(t)
	for _, server := range after {
		if before[server.ID] == "" {
			t.Errorf("%s was made anew", server.Name)
		}
	}
	if len(after) != len(before) {
		t.Errorf("of %d servers there are %d", len(before), len(after))
	}
}

// taken puts somebody's own flavor in the place of ours, as which it cannot serve. That is told, and
// nothing is judged by it: the instances go on with what they have. When it is gone, ours is made again.
func (s *story) taken(t *testing.T) {
	_, ours := s.known(t, "flavor", "small")
	if err := s.daemon.Stop(t.Context(), reacts); err != nil { // it would be faster
		t.Fatal(err)
	}
	before := s.Servers(t)
	s.Meddle(t, "compute", http.MethodDelete, "flavors/"+ours, nil)
	s.Meddle(t, "compute", http.MethodPost, "flavors", map[string]any{
		"flavor": map[string]any{"name": s.Files.Prefix + "small", "vcpus": 3, "ram": 64, "disk": 1},
	})
	_, theirs := s.known(t, "flavor", "small")
	s.startDaemon("daemon-taken")
	world.Await(t, reacts, func() (bool, string) {
		status, _ := s.ReadStatus(t)
		flavor := status.Unit("flavor.small")
		if flavor == nil || flavor.Phase != "blocked" {
			return false, fmt.Sprintf("the flavor is told as %+v", flavor)
		}
		if flavor.ID == theirs {
			t.Errorf("the flavor is told as %+v, and theirs is %s", flavor, theirs)
		}
		for _, key := range []string{"a", "b", "c"} {
			if u := status.Unit(fmt.Sprintf("instance.web[%q]", key)); u == nil || u.Phase != "ready" {
				return false, fmt.Sprintf("the instance %s is told as %+v", key, u)
			}
		}
		return true, ""
	})
	s.Meddle(t, "compute", http.MethodDelete, "flavors/"+theirs, nil)
	world.Await(t, reacts, s.again("flavor", "small", theirs))
	s.AwaitRest(t, reacts)
	s.AwaitVerdict(t, converges, "converged", s.commit)
	if after := s.Servers(t); !slices.EqualFunc(before, after, func(a, b servers.Server) bool { return a.ID == b.ID }) {
		t.Errorf("there were the servers %v, and now there are %v", before, after)
	}
}
