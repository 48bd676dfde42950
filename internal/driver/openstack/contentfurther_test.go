package openstack_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// furtherOf are the lists of a service that not every cloud has.
func furtherOf(service string) map[string]string {
	return map[string]map[string]string{
		"sharev2":         {"/shares/v2/shares/detail": "shares", "/shares/v2/share-networks/detail": "share_networks"},
		"dns":             {"/names/v2/zones": "zones"},
		"load-balancer":   {"/balancers/v2/lbaas/loadbalancers": "loadbalancers"},
		"container-infra": {"/containers/v1/clusters/detail": "clusters", "/containers/v1/clustertemplates/detail": "clustertemplates"},
		"orchestration":   {"/stacks/v1/stacks": "stacks"},
		"key-manager":     {"/keys/v1/secrets": "secrets", "/keys/v1/containers": "containers"},
		"object-store":    {"/objects/v1/": ""},
	}[service]
}

// empties are the lists of a cloud whose project q1 has nothing in the services that every cloud has.
func empties(deleted *bool) map[string]func(*http.Request) any {
	answers := map[string]func(*http.Request) any{
		"/v2.1/servers/detail": listed("servers"), "/v2.1/servers": listed("servers"), "/v2.1/os-server-groups": listed("server_groups"),
		"/v3/projects": listed("projects"), "/v2/images": listed("images"),
		"/v3/projects/q1": func(*http.Request) any {
			return map[string]any{"project": map[string]any{"id": "q1", "name": "shop", "domain_id": "default", "enabled": true, "tags": []any{"kupenstack:q1"}}}
		},
		"DELETE /v3/projects/q1": func(*http.Request) any { *deleted = true; return map[string]any{} },
	}
	for _, path := range []string{
		"routers", "ports", "networks", "subnets", "security-groups", "floatingips", "subnetpools", "address-scopes", "address-groups", "qos/policies", "trunks",
		"rbac-policies",
	} {
		answers["/v2.0/"+path] = listed(strings.ReplaceAll(strings.TrimPrefix(path, "qos/"), "-", "_"))
	}
	return answers
}

// TestAProjectWithAnythingInFurtherServicesStays: what Manila, Designate, Octavia, Magnum, Heat, Barbican and Swift keep in a project keeps
// it, and so does that one of them does not tell. One that the cloud does not have is not asked. The last three show it only to a token
// for the project.
func TestAProjectWithAnythingInFurtherServicesStays(t *testing.T) {
	for name, test := range map[string]struct {
		service string
		path    string
		object  map[string]any
		status  int
		says    string // "" where it goes
		blocked bool
	}{
		"no such service":                 {},
		"no shares":                       {service: "sharev2"},
		"a share":                         {service: "sharev2", path: "/shares/v2/shares/detail", object: map[string]any{"id": "theirs", "project_id": "q1"}, says: "shares: theirs, which is not ours", blocked: true},
		"a share of another project":      {service: "sharev2", path: "/shares/v2/shares/detail", object: map[string]any{"id": "theirs", "project_id": "q2"}},
		"a network of shares":             {service: "sharev2", path: "/shares/v2/share-networks/detail", object: map[string]any{"id": "theirs", "project_id": "q1"}, says: "share networks: theirs", blocked: true},
		"Manila does not answer":          {service: "sharev2", path: "/shares/v2/shares/detail", status: http.StatusServiceUnavailable, says: "look for shares in the project"},
		"Manila refuses":                  {service: "sharev2", path: "/shares/v2/shares/detail", status: http.StatusForbidden, says: "look for shares in the project", blocked: true},
		"no zones":                        {service: "dns"},
		"a zone":                          {service: "dns", path: "/names/v2/zones", object: map[string]any{"id": "theirs", "name": "shop.example.", "project_id": "q1"}, says: "zones: shop.example. (theirs), which is not ours", blocked: true},
		"a zone that goes":                {service: "dns", path: "/names/v2/zones", object: map[string]any{"id": "theirs", "action": "DELETE", "project_id": "q1"}, says: "zones: theirs"},
		"Designate does not answer":       {service: "dns", path: "/names/v2/zones", status: http.StatusBadGateway, says: "look for zones in the project"},
		"no balancers":                    {service: "load-balancer"},
		"a balancer":                      {service: "load-balancer", path: "/balancers/v2/lbaas/loadbalancers", object: map[string]any{"id": "theirs", "project_id": "q1"}, says: "loadbalancers: theirs, which is not ours", blocked: true},
		"no clusters":                     {service: "container-infra"},
		"a cluster":                       {service: "container-infra", path: "/containers/v1/clusters/detail", object: map[string]any{"uuid": "theirs", "project_id": "q1"}, says: "clusters: theirs, which is not ours", blocked: true},
		"a cluster of another project":    {service: "container-infra", path: "/containers/v1/clusters/detail", object: map[string]any{"uuid": "theirs", "project_id": "q2"}},
		"a template for clusters":         {service: "container-infra", path: "/containers/v1/clustertemplates/detail", object: map[string]any{"uuid": "theirs", "project_id": "q1"}, says: "clustertemplates: theirs", blocked: true},
		"no stacks":                       {service: "orchestration"},
		"a stack":                         {service: "orchestration", path: "/stacks/v1/stacks", object: map[string]any{"id": "theirs", "stack_name": "web", "stack_status": "CREATE_COMPLETE", "tags": nil}, says: "stacks: web (theirs), which is not ours", blocked: true},
		"a stack of another project":      {service: "orchestration", path: "/stacks/v1/stacks", object: map[string]any{"id": "theirs", "project": "q2"}},
		"a stack that goes":               {service: "orchestration", path: "/stacks/v1/stacks", object: map[string]any{"id": "theirs", "stack_status": "DELETE_IN_PROGRESS"}, says: "stacks: theirs"},
		"a stack that cannot go":          {service: "orchestration", path: "/stacks/v1/stacks", object: map[string]any{"id": "theirs", "stack_status": "DELETE_FAILED"}, says: "stacks: theirs, which is not ours", blocked: true},
		"a stack of ours":                 {service: "orchestration", path: "/stacks/v1/stacks", object: map[string]any{"id": "ours", "stack_status": "CREATE_COMPLETE", "tags": []any{"kupenstack:ours"}}, says: "stacks: ours"},
		"Heat does not answer":            {service: "orchestration", path: "/stacks/v1/stacks", status: http.StatusServiceUnavailable, says: "look for stacks in the project"},
		"Heat refuses":                    {service: "orchestration", path: "/stacks/v1/stacks", status: http.StatusForbidden, says: "have it forgotten by a removed block", blocked: true},
		"no secrets":                      {service: "key-manager"},
		"a secret":                        {service: "key-manager", path: "/keys/v1/secrets", object: map[string]any{"secret_ref": "https://keys/v1/secrets/theirs", "name": "db"}, says: "secrets: db (https://keys/v1/secrets/theirs), which is not ours", blocked: true},
		"a container of secrets":          {service: "key-manager", path: "/keys/v1/containers", object: map[string]any{"container_ref": "https://keys/v1/containers/theirs", "name": nil}, says: "containers: https://keys/v1/containers/theirs, which is not ours", blocked: true},
		"Barbican does not answer":        {service: "key-manager", path: "/keys/v1/containers", status: http.StatusBadGateway, says: "look for containers in the project"},
		"Barbican is not found":           {service: "key-manager", path: "/keys/v1/secrets", status: http.StatusNotFound, says: "look for secrets in the project"},
		"no containers":                   {service: "object-store"},
		"a container":                     {service: "object-store", path: "/objects/v1/", object: map[string]any{"name": "theirs", "count": 0, "bytes": 0}, says: "object containers: theirs, which is not ours", blocked: true},
		"Swift does not answer":           {service: "object-store", path: "/objects/v1/", status: http.StatusServiceUnavailable, says: "look for object_containers in the project"},
		"Swift is not found":              {service: "object-store", path: "/objects/v1/", status: http.StatusNotFound, says: "look for object_containers in the project"},
		"Magnum does not have the detail": {service: "container-infra", path: "/containers/v1/clusters/detail", status: http.StatusNotFound, says: "look for clusters in the project"},
	} {
		t.Run(name, func(t *testing.T) {
			deleted := false
			answers := empties(&deleted)
			walled := slices.Contains([]string{"orchestration", "key-manager", "object-store"}, test.service)
			for path, key := range furtherOf(test.service) {
				answers[path] = func(r *http.Request) any {
					asked := r.URL.Query().Get("project_id") == "q1" || r.Header.Get("X-Auth-Sudo-Project-ID") == "q1" || test.service == "container-infra" ||
						walled && r.Header.Get("X-Auth-Token") == "token of q1"
					switch {
					case path == test.path && test.status > 0:
						return test.status
					case path == test.path && asked && key == "":
						return []any{test.object}
					case path == test.path && asked:
						return listed(key, test.object)(r)
					case key == "":
						return []any{}
					default:
						return listed(key)(r)
					}
				}
			}
			_, err := answering(t, answers).Delete(t.Context(), known(t, "project", "q1", values{}), unit.State{Existence: unit.Present})
			if deleted != (test.says == "") || (err == nil) != deleted || unit.IsBlocked(err) != test.blocked || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("deleted: %t, %v", deleted, err)
			}
		})
	}
}
