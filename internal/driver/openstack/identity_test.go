package openstack_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const identity = "identity"

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

func TestBedLifeOfIdentities(t *testing.T) {
	for _, l := range []life{
		{
			kind: "project", lists: []string{"/v3/projects"}, search: []string{"name"},
			first:   values{"description": text("Shop"), "enabled": cty.True, "tags": set("shop")},
			changed: values{"description": text("Store"), "tags": set("shop", "store")},
			meddle:  patched("projects", "project", map[string]any{"description": "theirs", "enabled": false}), meddled: []string{"description", "enabled"},
			vanish: deleted("projects"),
		},
		{
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
		{
			kind: "role", lists: []string{"/v3/roles"}, search: []string{"name"},
			first:   values{"description": text("Reads")},
			changed: values{"description": text("Reads all"), "name": text(unique("renamed"))},
			meddle:  patched("roles", "role", map[string]any{"description": "theirs"}), meddled: []string{"description"},
			vanish: deleted("roles"),
		},
		{
			kind: "group", lists: []string{"/v3/groups"}, search: []string{"name"},
			first:   values{"description": text("Developers")},
			changed: values{"description": text("All of them")},
			meddle:  patched("groups", "group", map[string]any{"description": "theirs"}), meddled: []string{"description"},
			vanish: deleted("groups"),
		},
		{
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
		{
			kind: "identity_service", lists: []string{"/v3/services"}, search: []string{"name", "type"},
			first:   values{"description": text("Backups"), "type": text("backup")},
			changed: values{"description": text("Backups of all"), "type": text("archive"), "enabled": cty.False},
			meddle:  patched("services", "service", map[string]any{"enabled": true}), meddled: []string{"enabled"},
			vanish: deleted("services"),
		},
		{
			kind: "identity_endpoint", lists: []string{"/v3/endpoints"}, search: []string{"service", "interface"},
			needs: func(t *testing.T, b *bench) values {
				service, region := target(t, "identity_service", unique("service"), values{"type": text("backup")}), target(t, "region", unique("region"), values{})
				b.converge(t, &service)
				b.converge(t, &region)
				return values{"service": text(service.ID), "region": text(region.ID)}
			},
			first:   values{"interface": text("internal"), "url": text("https://backup.example.org/v1")},
			changed: values{"url": text("https://backup.example.org/v2/$(project_id)s")},
			meddle:  patched("endpoints", "endpoint", map[string]any{"enabled": false, "url": "http://example.org"}), meddled: []string{"url"},
			replaced: values{"interface": text("admin")},
			vanish:   deleted("endpoints"),
		},
		assigned("project", values{}, values{"inherited": cty.True}),
		assigned("project", values{"inherited": cty.True}, nil),
		assigned("domain", values{}, nil),
		assigned("system", values{"system": cty.True}, nil),
	} {
		t.Run(l.kind, l.walk)
	}
}

// assigned is the life of a role that a group has in a place.
func assigned(place string, first, replaced values) life {
	return life{
		kind: "role_assignment", lists: []string{"/v3/role_assignments"}, unmarked: true, first: first, replaced: replaced, search: []string{"group"},
		needs: func(t *testing.T, b *bench) values {
			role, group := target(t, "role", unique("role"), values{}), target(t, "group", unique("group"), values{})
			b.converge(t, &role)
			b.converge(t, &group)
			written := values{"role": text(role.ID), "group": text(group.ID)}
			if place != "system" {
				within := target(t, place, unique(place), values{})
				b.converge(t, &within)
				written[place] = text(within.ID)
			}
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
}

// What Keystone would delete along with an object keeps it, unless it is ours and on its way.
func TestBedIdentitiesThatOthersNeedStay(t *testing.T) {
	b := newBench(t)
	role, group, domain := target(t, "role", unique("role"), values{}), target(t, "group", unique("group"), values{}), target(t, "domain", unique("domain"), values{})
	service, region := target(t, "identity_service", unique("service"), values{"type": text("backup")}), target(t, "region", unique("region"), values{})
	for _, tg := range []*unit.Target{&role, &group, &domain, &service, &region} {
		b.converge(t, tg)
	}
	refused := func(tg unit.Target, says string) {
		t.Helper()
		if err := b.destroy(t.Context(), t, tg); !unit.IsBlocked(err) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s was deleted, or for another reason not: %v", tg.Address, err)
		}
	}
	path := "domains/" + domain.ID + "/groups/" + group.ID + "/roles/" + role.ID
	request(t, identity, http.MethodPut, path, nil)
	refused(role, "group/"+group.ID+"/domain/"+domain.ID+"/role/"+role.ID)
	refused(group, role.ID)
	refused(domain, group.ID)
	request(t, identity, http.MethodDelete, path, nil)

	user := foreign(t, identity, "users", "user", map[string]any{"name": unique("user"), "domain_id": domain.ID})
	refused(domain, user)
	request(t, identity, http.MethodPut, "groups/"+group.ID+"/users/"+user, nil)
	refused(group, user)
	foreign(t, identity, "projects", "project", map[string]any{"name": unique("project"), "domain_id": domain.ID})
	refused(domain, "which is not ours")
	within := target(t, "group", unique("within"), values{"domain": text(domain.ID)})
	b.converge(t, &within)

	endpoint := foreign(t, identity, "endpoints", "endpoint", map[string]any{
		"service_id": service.ID, "region_id": region.ID, "interface": "public", "url": "http://example.org",
	})
	refused(service, endpoint)
	refused(region, endpoint)
	below := foreign(t, identity, "regions", "region", map[string]any{"id": unique("below"), "parent_region_id": region.ID})
	refused(region, below)
}
