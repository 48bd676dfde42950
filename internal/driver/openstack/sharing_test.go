package openstack_test

import (
	"net/http"
	"testing"
)

// TestExportOfWhatOneProjectMayUse: an export says of no network that it is shared or external where that is so for single
// projects only.
func TestExportOfWhatOneProjectMayUse(t *testing.T) {
	t.Parallel()
	answers := map[string]func(*http.Request) any{"/v2.0/networks": listed("networks",
		map[string]any{"id": idOf("1"), "name": "one", "project_id": "p1", "shared": true, "router:external": true},
		map[string]any{"id": idOf("2"), "name": "all", "project_id": "p1", "shared": true, "router:external": true},
	)}
	answers["/v2.0/rbac-policies"] = func(r *http.Request) any {
		if q := r.URL.Query(); q.Get("object_type") != "network" || q.Get("target_tenant") != "*" || q.Get("action") == "" {
			t.Errorf("asked for %s", r.URL)
		}
		return map[string]any{"rbac_policies": []any{map[string]any{"id": idOf("3"), "object_id": idOf("2")}}}
	}
	live, _, err := answering(t, answers, "admin").Live(t.Context(), []string{"network"})
	if err != nil || len(live) != 2 {
		t.Fatalf("got %+v, %v", live, err)
	}
	for _, o := range live {
		_, external := o.Values["external"]
		if all := o.Title == "all"; external != all || o.Values["shared"].True() != all {
			t.Errorf("of %s: %#v", o.Title, o.Values)
		}
	}
}
