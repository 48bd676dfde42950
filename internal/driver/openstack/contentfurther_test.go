package openstack_test

import (
	"net/http"
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

// TestAProjectWithAnythingInFurtherServicesStays: what Manila, Designate, Octavia and Magnum keep in a project keeps it, and so does that
// one of them does not tell. One that the cloud does not have is not asked.
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
		"Magnum does not have the detail": {service: "container-infra", path: "/containers/v1/clusters/detail", status: http.StatusNotFound, says: "look for clusters in the project"},
	} {
		t.Run(name, func(t *testing.T) {
			deleted := false
			answers := empties(&deleted)
			for path, key := range furtherOf(test.service) {
				answers[path] = func(r *http.Request) any {
					asked := r.URL.Query().Get("project_id") == "q1" || r.Header.Get("X-Auth-Sudo-Project-ID") == "q1" || test.service == "container-infra"
					switch {
					case path == test.path && test.status > 0:
						return test.status
					case path == test.path && asked:
						return listed(key, test.object)(r)
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
