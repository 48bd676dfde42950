package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/zclconf/go-cty/cty"
)

// patched returns a function that changes an object of Keystone as somebody else would.
func patched(path, key string, body map[string]any) func(*testing.T, string) {
	return func(t *testing.T, id string) {
		t.Helper()
		request(t, identity, http.MethodPatch, path+"/"+id, map[string]any{key: body})
	}
}

// deleted returns a function that deletes an object of Keystone as somebody else would.
func deleted(path string) func(*testing.T, string) {
	return func(t *testing.T, id string) {
		t.Helper()
		request(t, identity, http.MethodDelete, path+"/"+id, nil)
	}
}

func identityLives() map[string]life {
	return map[string]life{
		"project": {
			kind: "project", lists: []string{"/v3/projects", "/v2.0/quotas"}, search: []string{"name"},
			first:   values{"description": text("Shop"), "enabled": cty.True, "tags": set("shop"), "quota": limits(7, -1, 90)},
			changed: values{"description": text("Store"), "tags": set("shop", "store"), "quota": limits(8, 5, -1)},
			meddle:  meddledProject, meddled: []string{"description", "enabled", "quota"},
			vanish: deleted("projects"),
		},
		"domain": {
			kind: "domain", lists: []string{"/v3/domains"}, search: []string{"name"},
			first:   values{"description": text("Customers"), "enabled": cty.True},
			changed: values{"description": text("Clients")},
			meddle:  patched("domains", "domain", map[string]any{"enabled": false}), meddled: []string{"enabled"},
			vanish: func(t *testing.T, id string) {
				t.Helper()
				patched("domains", "domain", map[string]any{"enabled": false})(t, id)
				deleted("domains")(t, id)
			},
		},
		"role": {
			kind: "role", lists: []string{"/v3/roles"}, search: []string{"name"},
			first:   values{"description": text("Reads")},
			changed: values{"description": text("Reads all"), "name": text(unique("renamed"))},
			meddle:  patched("roles", "role", map[string]any{"description": "theirs"}), meddled: []string{"description"},
			vanish: deleted("roles"),
		},
		"role of a domain": {
			kind: "role", lists: []string{"/v3/roles", "/v3/roles"}, search: []string{"name", "domain"},
			needs: func(t *testing.T, b *bench) values {
				t.Helper()
				return values{"domain": text(made(t, b, "domain", values{}))}
			},
			first:   values{"description": text("Reads")},
			changed: values{"description": text("Reads all"), "name": text(unique("renamed"))},
			meddle:  patched("roles", "role", map[string]any{"description": "theirs"}), meddled: []string{"description"},
			vanish: deleted("roles"),
		},
		"group": {
			kind: "group", lists: []string{"/v3/groups", "/v3/domains"}, search: []string{"name"},
			first:   values{"description": text("Developers")},
			changed: values{"description": text("All of them")},
			meddle:  patched("groups", "group", map[string]any{"description": "theirs"}), meddled: []string{"description"},
			vanish: deleted("groups"),
		},
		"region": {
			kind: "region", lists: []string{"/v3/regions"}, search: []string{"name", "parent"},
			needs: func(t *testing.T, b *bench) values {
				parent := target(t, "region", unique("parent"), values{})
				b.converge(t, &parent)
				return values{"parent": text(parent.ID)}
			},
			first:   values{"description": text("North")},
			changed: values{"description": text("Far north")},
			meddle:  patched("regions", "region", map[string]any{"description": "theirs", "parent_region_id": nil}), meddled: []string{"description", "parent"},
			replaced: values{"name": text(unique("renamed"))},
			vanish:   deleted("regions"),
		},
		"identity service": {
			kind: "identity_service", lists: []string{"/v3/services"}, search: []string{"name", "type"},
			first:   values{"description": text("Backups"), "type": text("backup")},
			changed: values{"description": text("Backups of all"), "type": text("archive"), "enabled": cty.False},
			meddle:  patched("services", "service", map[string]any{"enabled": true}), meddled: []string{"enabled"},
			vanish: deleted("services"),
		},
		"identity endpoint": {
			kind: "identity_endpoint", lists: []string{"/v3/endpoints"}, search: []string{"service", "interface"},
			needs: func(t *testing.T, b *bench) values {
				service, region := target(t, "identity_service", unique("service"), values{"type": text("backup")}), target(t, "region", unique("region"), values{})
				b.converge(t, &service)
				b.converge(t, &region)
				return values{"service": text(service.ID), "region": text(region.ID)}
			},
			first:   values{"interface": text("internal"), "url": text("https://backup.example.org/v1")},
			changed: values{"url": text("https://backup.example.org/v2/$(project_id)s"), "interface": text("admin")},
			meddle:  patched("endpoints", "endpoint", map[string]any{"enabled": false, "interface": "public", "url": "http://example.org"}), meddled: []string{"interface", "url"},
			vanish: deleted("endpoints"),
		},
		"registered limit": {
			kind: "registered_limit", lists: []string{"/v3/registered_limits"}, search: []string{"service", "resource_name"},
			needs: func(t *testing.T, b *bench) values {
				service := target(t, "identity_service", unique("service"), values{"type": text("backup")})
				b.converge(t, &service)
				return values{"service": text(service.ID), "resource_name": text("backups")}
			},
			first:   values{"default_limit": cty.NumberIntVal(10), "description": text("Backups of each")},
			changed: values{"default_limit": cty.NumberIntVal(20), "resource_name": text("archives")},
			meddle:  patched("registered_limits", "registered_limit", map[string]any{"default_limit": 5, "resource_name": "theirs"}), meddled: []string{"resource_name", "default_limit"},
			vanish: deleted("registered_limits"),
		},
		"limit": {
			kind: "limit", lists: []string{"/v3/limits"}, search: []string{"service", "resource_name", "project"},
			needs: func(t *testing.T, b *bench) values {
				service, project := target(t, "identity_service", unique("service"), values{"type": text("backup")}), target(t, "project", unique("project"), values{})
				b.converge(t, &service)
				b.converge(t, &project)
				registered := target(t, "registered_limit", unique("registered"), values{"service": text(service.ID), "resource_name": text("backups"), "default_limit": cty.NumberIntVal(10)})
				b.converge(t, &registered)
				return values{"service": text(service.ID), "resource_name": text("backups"), "project": text(project.ID)}
			},
			first:   values{"resource_limit": cty.NumberIntVal(20), "description": text("Backups of one")},
			changed: values{"resource_limit": cty.NumberIntVal(30)},
			meddle: func(t *testing.T, id string) {
				t.Helper()
				asSystem(t, http.MethodPatch, "limits/"+id, map[string]any{"limit": map[string]any{"resource_limit": 5}})
			},
			meddled: []string{"resource_limit"},
			vanish: func(t *testing.T, id string) {
				t.Helper()
				asSystem(t, http.MethodDelete, "limits/"+id, nil)
			},
			another: anotherProject,
		},
		"application credential": {
			kind: "application_credential", lists: []string{credentialsPath}, search: []string{"name"}, secret: true,
			needs: func(t *testing.T, b *bench) values {
				t.Helper()
				return values{"project": text(made(t, b, "project", values{})), "roles": list(memberRole(t))}
			},
			first: values{"description": text("Backups"), "expires_at": text("2099-01-01T01:00:00+01:00")},
			vanish: func(t *testing.T, id string) {
				t.Helper()
				request(t, identity, http.MethodDelete, ofAdmin(t)+"/"+id, nil)
			},
			replaced: values{"description": text("Nightly backups"), "access_rule": cty.ListVal([]cty.Value{requests("GET")})},
		},
		"user": {
			kind: "user", lists: []string{"/v3/users", "/v3/domains"}, search: []string{"name"},
			needs: func(t *testing.T, b *bench) values {
				group, project := target(t, "group", unique("group"), values{}), target(t, "project", unique("project"), values{})
				b.converge(t, &group)
				b.converge(t, &project)
				return values{"groups": set(group.ID), "default_project": text(project.ID)}
			},
			first:   values{"description": text("Alice"), "password": text(canary), "email": text("alice@example.org")},
			changed: values{"email": text("alice@example.net"), "enabled": cty.False},
			meddle:  meddledUser, meddled: []string{"enabled", "groups"},
			vanish: deleted("users"),
		},
		"role in a project":             assigned("project", values{}, values{"inherited": cty.True}),
		"role of a domain in it":        assignedOf(true, "domain", values{}, nil),
		"role in projects that inherit": assigned("project", values{"inherited": cty.True}, nil),
		"role in a domain":              assigned("domain", values{}, values{"inherited": cty.True}),
		"role in the system":            assigned("system", values{"system": cty.True}, nil),
	}
}

// anotherProject makes the project that an object is made in, in place of the one that it was in.
func anotherProject(t *testing.T, b *bench) values {
	t.Helper()
	return values{"project": text(made(t, b, "project", values{}))}
}

// asSystem is [request] for what Keystone takes only from whoever logs in to the system as a whole.
func asSystem(t *testing.T, method, path string, body any) {
	t.Helper()
	cloud := sharedCloud(t)
	provider, err := cloud.Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, path string, o gophercloud.RequestOpts) http.Header {
		t.Helper()
		answer, err := provider.Request(t.Context(), method, strings.TrimSuffix(cloud.Endpoints[identity], "/")+"/"+path, &o)
		if err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Fatal(err)
		}
		return answer.Header
	}
	login := map[string]any{"auth": map[string]any{
		"identity": map[string]any{"methods": []string{"token"}, "token": map[string]any{"id": provider.Token()}},
		"scope":    map[string]any{"system": map[string]any{"all": true}},
	}}
	token := send(http.MethodPost, "auth/tokens", gophercloud.RequestOpts{JSONBody: login, KeepResponseBody: true, OkCodes: []int{http.StatusCreated}}).Get("X-Subject-Token")
	send(method, path, gophercloud.RequestOpts{
		JSONBody: body, KeepResponseBody: true, OkCodes: []int{http.StatusOK, http.StatusCreated, http.StatusNoContent}, MoreHeaders: map[string]string{"X-Auth-Token": token},
	})
}

// limits are a quota of something of each service.
func limits(instances, networks, gigabytes int64) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{
		"instances": cty.NumberIntVal(instances), "networks": cty.NumberIntVal(networks), "gigabytes": cty.NumberIntVal(gigabytes),
	})
}

// meddledProject disables a project, and gives it other limits in every service.
func meddledProject(t *testing.T, id string) {
	t.Helper()
	patched("projects", "project", map[string]any{"description": "theirs", "enabled": false})(t, id)
	request(t, "compute", http.MethodPut, "os-quota-sets/"+id, map[string]any{"quota_set": map[string]any{"instances": 1}})
	request(t, "volumev3", http.MethodPut, "os-quota-sets/"+id, map[string]any{"quota_set": map[string]any{"gigabytes": 1}})
	altered("quotas", "quota", map[string]any{"network": 1})(t, id)
}

// meddledUser enables a user and takes it out of all its groups.
func meddledUser(t *testing.T, id string) {
	t.Helper()
	patched("users", "user", map[string]any{"enabled": true})(t, id)
	for _, group := range request(t, identity, http.MethodGet, "users/"+id+"/groups", nil)["groups"].([]any) {
		request(t, identity, http.MethodDelete, "groups/"+group.(map[string]any)["id"].(string)+"/users/"+id, nil)
	}
}

// assigned is the life of a role that a group has in a place. Unless something is written for that, another group
// replaces it.
func assigned(place string, first, replaced values) life {
	return assignedOf(false, place, first, replaced)
}

// assignedOf is [assigned] for a role that may be of the domain that it is given in.
func assignedOf(domain bool, place string, first, replaced values) life {
	l := life{
		kind: "role_assignment", lists: []string{"/v3/role_assignments"}, unmarked: true, first: first, replaced: replaced, search: []string{"group"},
		needs: func(t *testing.T, b *bench) values {
			written, of := values{}, values{}
			if place != "system" {
				within := target(t, place, unique(place), values{})
				b.converge(t, &within)
				written[place] = text(within.ID)
			}
			if domain {
				of["domain"] = written[place]
			}
			role, group := target(t, "role", unique("role"), of), target(t, "group", unique("group"), values{})
			b.converge(t, &role)
			b.converge(t, &group)
			written["role"], written["group"] = text(role.ID), text(group.ID)
			return written
		},
		vanish: func(t *testing.T, id string) {
			t.Helper()
			words := strings.Split(strings.TrimSuffix(id, "/inherited"), "/")
			path := words[2] + "s/" + words[3] + "/groups/" + words[1] + "/roles/" + words[len(words)-1]
			switch {
			case words[2] == "system":
				path = "system/groups/" + words[1] + "/roles/" + words[len(words)-1]
			case strings.HasSuffix(id, "/inherited"):
				path = "OS-INHERIT/" + path + "/inherited_to_projects"
			}
			request(t, identity, http.MethodDelete, path, nil)
		},
	}
	if replaced == nil {
		l.another = func(t *testing.T, b *bench) values { return values{"group": text(made(t, b, "group", values{}))} }
	}
	return l
}
