package openstack_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A project that has anything of somebody's is not deleted: whatever it is, and although Glance lists what is hidden
// apart, and what the community has only where that is asked for.
func TestAProjectWithAnythingOfOthersStays(t *testing.T) {
	const empty = ""
	lists := map[string]string{
		"/v2.1/servers/detail": "servers", "/v2.1/servers": "servers", "/v2.1/os-server-groups": "server_groups", "/v3/role_assignments": "role_assignments",
		"/v3/projects": "projects", "/v3/p1/volumes/detail": "volumes", "/v3/p1/snapshots/detail": "snapshots", "/v3/p1/backups/detail": "backups",
	}
	for _, path := range []string{
		"routers", "ports", "networks", "subnets", "security-groups", "floatingips", "subnetpools", "address-scopes", "address-groups", "qos/policies", "trunks",
		"rbac-policies",
	} {
		lists["/v2.0/"+path] = strings.ReplaceAll(strings.TrimPrefix(path, "qos/"), "-", "_")
	}
	images := func(seen func(r *http.Request) bool) func(*http.Request) any {
		return func(r *http.Request) any {
			found := []any{}
			if r.URL.Query().Get("owner") == "q1" && seen(r) {
				found = append(found, map[string]any{"id": "theirs", "name": "theirs", "owner": "q1", "status": "active"})
			}
			return map[string]any{"images": found}
		}
	}
	for _, test := range []struct {
		name, path string
		object     map[string]any
		images     func(r *http.Request) bool
		goes       bool
	}{
		{name: "nothing", goes: true},
		{name: "an image", images: func(r *http.Request) bool { return r.URL.Query().Get("os_hidden") == empty }},
		{name: "a hidden image", images: func(r *http.Request) bool { return r.URL.Query().Get("os_hidden") == "true" }},
		{name: "a community image", images: func(r *http.Request) bool { return r.URL.Query().Get("visibility") == "all" }},
		{name: "a server group", path: "/v2.1/os-server-groups", object: map[string]any{"project_id": "q1"}},
		{name: "a server group of another project", path: "/v2.1/os-server-groups", object: map[string]any{"project_id": "q2"}, goes: true},
		{name: "a backup", path: "/v3/p1/backups/detail"},
		{name: "a subnet in a network of others", path: "/v2.0/subnets"},
		{name: "a right to something of others", path: "/v2.0/rbac-policies"},
		{name: "an address group", path: "/v2.0/address-groups"},
		{name: "a project below it", path: "/v3/projects"},
		{name: "Neutron's port for DHCP", path: "/v2.0/ports", object: map[string]any{"device_owner": "network:dhcp"}, goes: true},
		{name: "the default security group", path: "/v2.0/security-groups", object: map[string]any{"name": "default"}, goes: true},
	} {
		deleted := false
		answers := map[string]func(*http.Request) any{
			"/v3/p1": func(*http.Request) any { return map[string]any{} }, "/v2/images": images(func(r *http.Request) bool { return test.images != nil && test.images(r) }),
			"/v3/projects/q1": func(*http.Request) any {
				return map[string]any{"project": map[string]any{"id": "q1", "name": "shop", "domain_id": "default", "enabled": true, "tags": []any{"kupenstack:q1"}}}
			},
			"DELETE /v3/projects/q1":              func(*http.Request) any { deleted = true; return map[string]any{} },
			"DELETE /v2.0/security-groups/theirs": func(*http.Request) any { return map[string]any{} },
		}
		for path, key := range lists {
			answers[path] = listed(key)
			if path == test.path {
				object := map[string]any{"id": "theirs"}
				for name, v := range test.object {
					object[name] = v
				}
				answers[path] = listed(key, object)
			}
		}
		_, err := answering(t, answers).Delete(t.Context(), known(t, "project", "q1", values{}), unit.State{Existence: unit.Present})
		if deleted != test.goes || test.goes && err != nil {
			t.Errorf("with %s in it the project was deleted: %t, %v", test.name, deleted, err)
		}
		if !test.goes && (!unit.IsBlocked(err) || !strings.Contains(err.Error(), "theirs")) {
			t.Errorf("with %s in it: %v", test.name, err)
		}
	}
}

// TestBedWhatAProjectHolds asks real services the same: each object of somebody's is found by itself.
func TestBedWhatAProjectHolds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	image := func(more map[string]any) func(t *testing.T, project string) string {
		return func(t *testing.T, project string) string {
			t.Helper()
			body := map[string]any{"name": unique("theirs"), "disk_format": "raw", "container_format": "bare", "owner": project}
			for key, v := range more {
				body[key] = v
			}
			id, _ := request(t, "image", http.MethodPost, "v2/images", body)["id"].(string)
			afterwards(t, func(ctx context.Context) error {
				_, err := ask(ctx, t, "image", http.MethodDelete, "v2/images/"+id, nil)
				return err
			})
			return id
		}
	}
	for _, test := range []struct {
		name string
		made func(t *testing.T, project string) string
	}{
		{"a project below it", func(t *testing.T, project string) string {
			t.Helper()
			return foreign(t, identity, "projects", "project", map[string]any{"name": unique("below"), "parent_id": project})
		}},
		{"a hidden image", image(map[string]any{"os_hidden": true})},
		{"a community image", image(map[string]any{"visibility": "community"})},
		{"a server group", func(t *testing.T, project string) string {
			t.Helper()
			return made(t, b, "server_group", values{"policy": text("affinity"), "project": text(project)})
		}},
		{"a right", func(t *testing.T, project string) string {
			t.Helper()
			network := made(t, b, "network", values{})
			return foreign(t, "network", "v2.0/rbac-policies", "rbac_policy", map[string]any{
				"object_type": "network", "object_id": network, "action": "access_as_shared", "target_tenant": "*", "project_id": project,
			})
		}},
		{"a subnet in a network of others", func(t *testing.T, project string) string {
			t.Helper()
			network := made(t, b, "network", values{"shared": cty.True})
			return foreign(t, "network", "v2.0/subnets", "subnet", map[string]any{
				"network_id": network, "cidr": "10.70.0.0/24", "ip_version": 4, "enable_dhcp": false, "project_id": project,
			})
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			project := target(t, "project", unique("project"), values{})
			b.converge(t, &project)
			group, rules := defaultGroupOf(t, project.ID)
			id := test.made(t, project.ID)
			if _, err := b.Delete(t.Context(), project, unit.State{Existence: unit.Present}); !unit.IsBlocked(err) || !strings.Contains(err.Error(), id) {
				t.Errorf("deleting the project says %v, want that it has %s", err, id)
			}
			if st := b.see(t, project); st.Existence != unit.Present {
				t.Errorf("the project is %+v", st)
			}
			if left, rest := defaultGroupOf(t, project.ID); left != group || rest != rules {
				t.Errorf("it has the default group %s with %d rules, and had %s with %d", left, rest, group, rules)
			}
		})
	}
	project := target(t, "project", unique("project"), values{})
	b.converge(t, &project)
	before := b.fleet.Counts()
	if err := b.destroy(t.Context(), t, project); err != nil {
		t.Errorf("deleting an empty project says %v", err)
	}
	if n := b.fleet.Counts().Since(before).Of("GET", "/v3/{id}/backups/detail"); n != 1 {
		t.Errorf("Cinder was asked %d times for backups, want 1", n)
	}
}
