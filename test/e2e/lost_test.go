//go:build beds

package e2e_test

import (
	"fmt"
	"net/http"
	"testing"

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
