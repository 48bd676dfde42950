package openstack_test

import (
	"cmp"
	"net/http"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestAProjectThatWasThereStays: a project that we have not made may be that of the services of OpenStack, which has nothing in it
// but their roles. So it stays as long as others have roles there; what we have made goes with all roles in it.
func TestAProjectThatWasThereStays(t *testing.T) {
	role := func(user, project string) map[string]any {
		return map[string]any{"user": map[string]any{"id": user}, "role": map[string]any{"id": "r1"}, "scope": map[string]any{"project": map[string]any{"id": project}}}
	}
	const theirs = "the project was there before us, and others have roles in it"
	const called = "the project is called as what is there before us, and others have roles in it"
	for name, test := range map[string]struct {
		id, title string
		imported  bool
		role      map[string]any
		says      string // "" where it goes
	}{
		"of the services":                          {"q1", "service", true, role("nova", "q1"), theirs},
		"of the services, and the record was lost": {"q1", "service", false, role("nova", "q1"), called},
		"of the services, in a domain for them":    {"q1", "service in d1", false, role("nova", "q1"), called},
		"of a customer who calls it so":            {"q1", "service in d2", false, role("ada", "q1"), ""},
		"nobody says of whom":                      {"q1", "service in d3", false, role("ada", "q1"), called},
		"of the administrator":                     {"q1", "admin", false, role("admin", "q1"), called},
		"somebody's":                               {"q1", "shop", true, role("ada", "q1"), theirs},
		"somebody's, and only we have a role":      {"q1", "shop", true, role("u1", "q1"), ""},
		"ours":                                     {"q1", "shop", false, role("ada", "q1"), ""},
		"our user's own":                           {"p1", "ops", false, role("u1", "p1"), "our own user works in the project"},
	} {
		deleted := false
		title, domain, _ := strings.Cut(test.title, " in ")
		answers := map[string]func(*http.Request) any{
			"/v3/domains/d1": func(*http.Request) any {
				return map[string]any{"domain": map[string]any{"id": "d1", "name": "service"}}
			},
			"/v3/domains/d2": func(*http.Request) any {
				return map[string]any{"domain": map[string]any{"id": "d2", "name": "customer"}}
			},
			"/v3/projects/" + test.id: func(*http.Request) any {
				return map[string]any{"project": map[string]any{"id": test.id, "name": title, "domain_id": cmp.Or(domain, "default"), "enabled": true, "tags": []any{"kupenstack:" + test.id}}}
			},
			"DELETE /v3/projects/" + test.id: func(*http.Request) any { deleted = true; return map[string]any{} },
			"/v3/projects":                   listed("projects"), "/v2/images": listed("images"),
			"/v3/role_assignments": func(r *http.Request) any {
				if r.URL.Query().Get("scope.project.id") != test.id {
					return http.StatusBadRequest
				}
				return map[string]any{"role_assignments": []any{test.role}}
			},
			"/v2.1/servers/detail": listed("servers"), "/v2.1/servers": listed("servers"), "/v2.1/os-server-groups": listed("server_groups"),
		}
		for _, path := range []string{"routers", "ports", "networks", "subnets", "security-groups", "floatingips", "subnetpools"} {
			answers["/v2.0/"+path] = listed(strings.ReplaceAll(path, "-", "_"))
		}
		tg := known(t, "project", test.id, values{})
		tg.Imported = test.imported
		_, err := answering(t, answers).Delete(t.Context(), tg, unit.State{Existence: unit.Present})
		if deleted != (test.says == "") || deleted != (err == nil) {
			t.Errorf("%s: deleted is %t, %v", name, deleted, err)
		}
		if err != nil && (!unit.IsBlocked(err) || !strings.Contains(err.Error(), test.says) || !strings.Contains(err.Error(), "a removed block with destroy = false")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAProjectWaitsForInstancesThatGo: Nova takes the metadata of an instance away before it is gone, and our mark with that. Nobody
// has to delete what is being deleted.
func TestAProjectWaitsForInstancesThatGo(t *testing.T) {
	for name, test := range map[string]struct {
		server  map[string]any
		blocked bool
	}{
		"somebody's":       {map[string]any{"id": "s1", "status": "ACTIVE", "metadata": map[string]any{}}, true},
		"being deleted":    {map[string]any{"id": "s1", "status": "ACTIVE", "OS-EXT-STS:task_state": "deleting", "metadata": map[string]any{}}, false},
		"about to be gone": {map[string]any{"id": "s1", "status": "DELETED", "metadata": map[string]any{}}, false},
	} {
		answers := map[string]func(*http.Request) any{
			"/v3/projects/q1": func(*http.Request) any {
				return map[string]any{"project": map[string]any{"id": "q1", "name": "shop", "domain_id": "default", "enabled": true, "tags": []any{"kupenstack:q1"}}}
			},
			"/v2.1/servers/detail": listed("servers", test.server),
		}
		_, err := answering(t, answers).Delete(t.Context(), known(t, "project", "q1", values{}), unit.State{Existence: unit.Present})
		if err == nil || unit.IsBlocked(err) != test.blocked || !strings.Contains(err.Error(), "the project still has servers: s1") {
			t.Errorf("%s: %v (blocked %t)", name, err, unit.IsBlocked(err))
		}
	}
}

// TestBedTheWayToKeystoneStays has the project of the services of OpenStack, that of our user and the endpoint of Keystone adopted, as
// by blocks that say something about them, and the blocks taken out.
func TestBedTheWayToKeystoneStays(t *testing.T) {
	b := newBench(t)
	find := func(path, key string, is func(map[string]any) bool) map[string]any {
		t.Helper()
		list, _ := request(t, identity, http.MethodGet, path, nil)[key].([]any)
		for _, one := range list {
			if raw, _ := one.(map[string]any); is(raw) {
				return raw
			}
		}
		t.Fatalf("there is none of %s", path)
		return nil
	}
	named := func(name string) func(map[string]any) bool {
		return func(raw map[string]any) bool { return raw["name"] == name }
	}
	keystone := find("services?type=identity", "services", func(map[string]any) bool { return true })["id"]
	for kind, raw := range map[string]map[string]any{
		"service": find("projects", "projects", named("service")),
		"admin":   find("projects", "projects", named("admin")),
		"endpoint": find("endpoints", "endpoints", func(raw map[string]any) bool {
			return raw["service_id"] == keystone && raw["interface"] == "public"
		}),
	} {
		path, one := "projects/"+raw["id"].(string), "project"
		if kind == "endpoint" {
			path, one = "endpoints/"+raw["id"].(string), "endpoint"
		}
		tg := target(t, map[string]string{"project": "project", "endpoint": "identity_endpoint"}[one], unique(kind), values{})
		tg.ID, tg.Fresh, tg.Imported = raw["id"].(string), false, true
		was := raw["tags"]
		if one == "project" {
			request(t, identity, http.MethodPatch, path, map[string]any{one: map[string]any{"tags": []any{tg.Mark}}})
		} else {
			was = raw["kupenstack_mark"]
			request(t, identity, http.MethodPatch, path, map[string]any{one: map[string]any{"kupenstack_mark": tg.Mark}})
		}
		_, err := b.Delete(t.Context(), tg, unit.State{Existence: unit.Present})
		if one == "project" {
			request(t, identity, http.MethodPatch, path, map[string]any{one: map[string]any{"tags": was}})
		} else {
			request(t, identity, http.MethodPatch, path, map[string]any{one: map[string]any{"kupenstack_mark": was}})
		}
		if !unit.IsBlocked(err) || !strings.Contains(err.Error(), "a removed block with destroy = false") {
			t.Errorf("the %s goes: %v", kind, err)
		}
	}
}
