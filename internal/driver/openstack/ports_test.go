package openstack_test

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// answers is a cloud that gives fixed answers by path, and knows nothing else.
type answers struct {
	bodies    map[string]any
	forbidden []string
	change    http.HandlerFunc // answers what is no question, when there is one

	mutex sync.Mutex
	asked []string // without logins
}

func (a *answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mutex.Lock()
	a.asked = append(a.asked, r.URL.Path)
	a.mutex.Unlock()
	if a.change != nil && r.Method != http.MethodGet {
		a.change(w, r)
		return
	}
	status, body := http.StatusOK, a.bodies[r.URL.Path]
	switch {
	case slices.Contains(a.forbidden, r.URL.Path):
		status, body = http.StatusForbidden, map[string]any{}
	case body == nil:
		status, body = http.StatusNotFound, map[string]any{}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// takeAsked returns the paths that were asked for since the last time, sorted.
func (a *answers) takeAsked() []string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	asked := a.asked
	a.asked = nil
	slices.Sort(asked)
	return asked
}

func (a *answers) driver(t *testing.T) *openstack.Driver {
	t.Helper()
	return driverOf(t, a)
}

// driverOf returns a driver of a cloud that answers everything but logins.
func driverOf(t *testing.T, cloud http.Handler) *openstack.Driver {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.Handle("/", cloud)
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		var catalog []any
		for kind, path := range map[string]string{"identity": "/v3", "compute": "/v2.1", "network": "/v2.0"} {
			catalog = append(catalog, map[string]any{"type": kind, "endpoints": []any{
				map[string]any{"interface": "public", "region_id": "here", "region": "here", "url": server.URL + path},
			}})
		}
		w.Header().Set("X-Subject-Token", "token")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{
			"user": map[string]any{"id": "u1", "name": "ops", "domain": map[string]any{"id": "default"}}, "project": map[string]any{"id": "p1"},
			"catalog": catalog,
		}})
	})
	d := openstack.New(openstack.Options{Language: language(), Connect: func(context.Context) (openstack.Credentials, error) {
		return openstack.FromVariables(map[string]string{
			"OS_AUTH_URL": server.URL, "OS_REGION_NAME": "here", "OS_USERNAME": "ops", "OS_PASSWORD": "pretended", "OS_USER_DOMAIN_ID": "default",
			"OS_PROJECT_ID": "p1",
		}), nil
	}})
	t.Cleanup(d.Close)
	return d
}

// known makes a target of an object that is there.
func known(t *testing.T, kind, id string, written values) unit.Target {
	t.Helper()
	tg := target(t, kind, id, written)
	tg.ID, tg.Mark, tg.Fresh = id, "kupenstack:"+id, false
	return tg
}

// The interfaces of routers and the networks of instances come from one list of ports.
func TestPortsAreListedOnce(t *testing.T) {
	port := func(owner, device, network, subnet, mark string) map[string]any {
		return map[string]any{
			"id": "port-" + device + network, "device_id": device, "device_owner": owner, "network_id": network, "description": mark,
			"fixed_ips": []any{map[string]any{"subnet_id": subnet, "ip_address": "10.0.0.3"}}, "security_groups": []any{},
		}
	}
	cloud := &answers{bodies: map[string]any{
		"/v2.0/routers": map[string]any{"routers": []any{
			map[string]any{"id": "r1", "name": "r1", "project_id": "p1", "description": "[kupenstack:r1]", "external_gateway_info": nil},
		}},
		"/v2.1/servers/detail": map[string]any{"servers": []any{
			map[string]any{"id": "s1", "name": "s1", "tenant_id": "p1", "status": "ACTIVE", "metadata": map[string]any{"kupenstack_mark": "kupenstack:s1"}},
		}},
		"/v2.0/ports": map[string]any{"ports": []any{
			port("network:router_interface", "r1", "n1", "sub1", "[kupenstack:r1]"),
			port("network:router_gateway", "r1", "n2", "sub2", ""),
			port("compute:nova", "s1", "n1", "sub1", ""),
			port("compute:nova", "other", "n2", "sub2", ""),
		}},
	}}
	d := cloud.driver(t)
	router := known(t, "router", "r1", values{"subnets": list("sub1")})
	server := known(t, "instance", "s1", values{"networks": list("n1")})
	states, err := d.Observe(t.Context(), []unit.Target{router, server})
	if err != nil {
		t.Fatal(err)
	}
	if asked := cloud.takeAsked(); !slices.Equal(asked, []string{"/v2.0/ports", "/v2.0/routers", "/v2.1/servers/detail"}) {
		t.Errorf("asked for %q", asked)
	}
	for _, tg := range []unit.Target{router, server} {
		if diff := d.Compare(tg, wantedOf(tg), states[tg.Address]); diff.Action != unit.ActionNone || len(diff.Fields) > 0 {
			t.Errorf("%s: %+v", tg.Address, diff)
		}
	}

	cloud.bodies["/v2.0/ports"] = nil // none of those that have some is known then
	states, err = d.Observe(t.Context(), []unit.Target{router, server})
	if err == nil || states[router.Address].Existence != unit.Unknown || states[server.Address].Existence != unit.Unknown {
		t.Errorf("got %+v, %v", states, err)
	}
}

// Neutron lists the limits of projects that have some of their own, Nova lists none; and only where
// limits of a service are written is it asked.
func TestQuotasAreListedWhereThatIsPossible(t *testing.T) {
	project := func(id string) map[string]any {
		return map[string]any{"id": id, "name": id, "domain_id": "default", "enabled": true, "tags": []any{"kupenstack:" + id}}
	}
	limits := func(project string, networks, subnets int) map[string]any {
		return map[string]any{"project_id": project, "network": networks, "subnet": subnets}
	}
	all := map[string]any{
		"/v3/projects":          map[string]any{"projects": []any{project("a"), project("b"), project("c"), project("d")}},
		"/v2.0/quotas":          map[string]any{"quotas": []any{limits("a", 1, 9), limits("somebody", 3, 9)}},
		"/v2.0/quotas/a":        map[string]any{"quota": limits("a", 1, 9)},
		"/v2.0/quotas/b":        map[string]any{"quota": limits("b", 2, 9)},
		"/v2.1/os-quota-sets/b": map[string]any{"quota_set": map[string]any{"cores": 4}},
		"/v2.1/os-quota-sets/c": map[string]any{"quota_set": map[string]any{"cores": 4}},
	}
	limit := func(n int64) cty.Value { return cty.NumberIntVal(n) }
	targets := []unit.Target{
		known(t, "project", "a", values{"quota": cty.ObjectVal(map[string]cty.Value{"networks": limit(1)})}),
		known(t, "project", "b", values{"quota": cty.ObjectVal(map[string]cty.Value{"networks": limit(2), "cores": limit(4)})}),
		known(t, "project", "c", values{"quota": cty.ObjectVal(map[string]cty.Value{"cores": limit(5)})}),
		known(t, "project", "d", values{}),
	}
	for name, test := range map[string]struct {
		forbidden []string
		asked     []string
	}{
		"as an administrator": {nil, []string{"/v2.0/quotas", "/v2.0/quotas/b", "/v2.1/os-quota-sets/b", "/v2.1/os-quota-sets/c", "/v3/projects"}},
		"without the right to list": {
			[]string{"/v2.0/quotas"},
			[]string{"/v2.0/quotas", "/v2.0/quotas/a", "/v2.0/quotas/b", "/v2.1/os-quota-sets/b", "/v2.1/os-quota-sets/c", "/v3/projects"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			cloud := &answers{bodies: maps.Clone(all), forbidden: test.forbidden}
			d := cloud.driver(t)
			states, err := d.Observe(t.Context(), slices.Clone(targets))
			if err != nil {
				t.Fatal(err)
			}
			if asked := cloud.takeAsked(); !slices.Equal(asked, test.asked) {
				t.Errorf("asked for %q, want %q", asked, test.asked)
			}
			for i, tg := range targets {
				var want []unit.Field
				if i == 2 {
					want = []unit.Field{{Path: "quota", Before: `{"cores":4}`, After: `{"cores":5}`}}
				}
				diff := d.Compare(tg, wantedOf(tg), states[tg.Address])
				if len(diff.Fields) != len(want) || len(want) > 0 && (diff.Fields[0].Before != want[0].Before || diff.Fields[0].After != want[0].After) {
					t.Errorf("%s: %+v, want %+v", tg.Address, diff, want)
				}
			}
		})
	}
}
