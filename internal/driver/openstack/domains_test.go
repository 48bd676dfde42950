package openstack_test

import (
	"net/http"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// backends is a Keystone whose domains have backends of their own: a list without a domain has only what is in that of the
// token's project.
func backends(key string, byDomain map[string][]any) func(*http.Request) any {
	return func(r *http.Request) any {
		domain := r.URL.Query().Get("domain_id")
		if domain == "" {
			domain = "default"
		}
		if byDomain[domain] == nil {
			return map[string]any{key: []any{}}
		}
		return map[string]any{key: byDomain[domain]}
	}
}

// What is in another domain is found, although the list of all does not show it: it was created by a request whose
// answer was lost.
func TestUsersAndGroupsOfOtherDomains(t *testing.T) {
	for kind, key := range map[string]string{"user": "users", "group": "groups"} {
		t.Run(kind, func(t *testing.T) {
			alice := target(t, kind, "alice", values{"domain": text("d2")})
			inside := map[string]any{"id": "a1", "name": "alice", "domain_id": "d2", "description": "[" + alice.Mark + "]"}
			domains := listed("domains", map[string]any{"id": "default"}, map[string]any{"id": "d2"}, map[string]any{"id": "d3"})
			answers := map[string]func(*http.Request) any{
				"/v3/domains": domains,
				"/v3/" + key:  backends(key, map[string][]any{"default": {map[string]any{"id": "a0", "name": "alice", "domain_id": "default"}}, "d2": {inside}}),
			}
			d := answering(t, answers)
			states, err := d.Observe(t.Context(), []unit.Target{alice})
			if st := states[alice.Address]; err != nil || st.ID != "a1" || !st.Owned {
				t.Errorf("got %+v, %v", st, err)
			}
			answers["/v3/domains"] = func(*http.Request) any { return http.StatusInternalServerError }
			states, err = d.Observe(t.Context(), []unit.Target{alice})
			if st := states[alice.Address]; err == nil || st.Existence != unit.Unknown {
				t.Errorf("without the domains got %+v, %v", st, err)
			}
			answers["/v3/domains"] = func(*http.Request) any { return http.StatusForbidden }
			own := target(t, kind, "alice", values{})
			states, err = d.Observe(t.Context(), []unit.Target{own})
			if st := states[own.Address]; err != nil || len(st.Candidates) != 1 {
				t.Errorf("in our own domain got %+v, %v", st, err)
			}
		})
	}
}
