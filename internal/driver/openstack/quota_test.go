package openstack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// limiter is a cloud with projects of one limit in each service, in which requests can be made to fail.
type limiter struct {
	*openstack.Driver
	mutex  sync.Mutex
	status map[string]int // by path
	asked  []string       // of Nova and Neutron
}

func newLimiter(t *testing.T, projects ...string) *limiter {
	t.Helper()
	l := &limiter{status: map[string]int{}}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	handle := func(path string, body func(*http.Request) any) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			l.mutex.Lock()
			status := l.status[r.URL.Path]
			if !strings.HasPrefix(r.URL.Path, "/v3/") {
				l.asked = append(l.asked, r.URL.Path)
			}
			l.mutex.Unlock()
			w.Header().Set("Content-Type", "application/json")
			if status != 0 {
				w.WriteHeader(status)
				return
			}
			_ = json.NewEncoder(w).Encode(body(r))
		})
	}
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		var catalog []any
		for service, version := range map[string]string{"identity": "v3", "compute": "v2.1", "network": "v2.0", "block-storage": "volume/v3"} {
			catalog = append(catalog, map[string]any{"type": service, "endpoints": []any{
				map[string]any{"interface": "public", "region_id": "here", "region": "here", "url": server.URL + "/" + version},
			}})
		}
		w.Header().Set("X-Subject-Token", "token")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{
			"user": map[string]any{"id": "u1", "domain": map[string]any{"id": "default"}}, "project": map[string]any{"id": "p1"}, "catalog": catalog,
		}})
	})
	handle("/v3/projects", func(*http.Request) any {
		var list []any
		for _, id := range projects {
			list = append(list, map[string]any{"id": id, "name": id, "domain_id": "default", "enabled": true, "tags": []any{"kupenstack:" + id}})
		}
		return map[string]any{"projects": list}
	})
	handle("/v3/projects/{id}", func(r *http.Request) any {
		id := r.PathValue("id")
		return map[string]any{"project": map[string]any{"id": id, "name": id, "domain_id": "default", "enabled": true, "tags": []any{"kupenstack:" + id}}}
	})
	mux.HandleFunc("PUT /", func(w http.ResponseWriter, r *http.Request) {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		l.asked = append(l.asked, "PUT "+r.URL.Path)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{}"))
	})
	handle("/v2.1/os-quota-sets/{id}", func(*http.Request) any { return map[string]any{"quota_set": map[string]any{"cores": 4}} })
	handle("/volume/v3/os-quota-sets/{id}", func(r *http.Request) any {
		if r.FormValue("usage") == "True" {
			return map[string]any{"quota_set": map[string]any{"volumes": map[string]any{"limit": 4, "in_use": 3, "reserved": 0}}}
		}
		return map[string]any{"quota_set": map[string]any{"volumes": 4}}
	})
	handle("/v2.1/os-quota-sets/{id}/detail", func(*http.Request) any {
		return map[string]any{"quota_set": map[string]any{"cores": map[string]any{"limit": 4, "in_use": 2, "reserved": 1}}}
	})
	handle("/v2.0/quotas/{id}/details.json", func(*http.Request) any {
		return map[string]any{"quota": map[string]any{"network": map[string]any{"limit": 4, "used": 3, "reserved": 0}}}
	})
	handle("/v2.0/quotas", func(*http.Request) any { return map[string]any{"quotas": []any{}} })
	handle("/v2.0/quotas/{id}", func(*http.Request) any { return map[string]any{"quota": map[string]any{"network": 4}} })
	l.Driver = openstack.New(openstack.Options{Language: language(), Connect: func(context.Context) (openstack.Credentials, error) {
		return openstack.FromVariables(map[string]string{
			"OS_AUTH_URL": server.URL, "OS_REGION_NAME": "here", "OS_USERNAME": "ops", "OS_PASSWORD": "pretended", "OS_USER_DOMAIN_ID": "default",
			"OS_PROJECT_ID": "p1",
		}), nil
	}})
	t.Cleanup(l.Close)
	return l
}

// project is a target with a quota of these limits, each of them 4.
func project(t *testing.T, id string, limits ...string) unit.Target {
	t.Helper()
	written := values{}
	if len(limits) > 0 {
		quota := map[string]cty.Value{}
		for _, limit := range limits {
			quota[limit] = cty.NumberIntVal(4)
		}
		written["quota"] = cty.ObjectVal(quota)
	}
	tg := target(t, "project", id, written)
	tg.Mark = "kupenstack:" + id
	return tg
}

// TestQuotasThatCannotBeRead: a project is unknown for its own quota alone, as far as it writes one that
// is kept where the answer fails.
func TestQuotasThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  map[string]int
		unknown []string
		asked   int // of Nova
	}{
		"none":                 {nil, nil, 3},
		"one project of Nova":  {map[string]int{"/v2.1/os-quota-sets/b": 500}, []string{"b"}, 3},
		"gone from Nova":       {map[string]int{"/v2.1/os-quota-sets/a": 404}, []string{"a"}, 3},
		"all of Nova":          {map[string]int{"/v2.1/os-quota-sets/a": 503}, []string{"a", "b", "both"}, 1},
		"the list of Neutron":  {map[string]int{"/v2.0/quotas": 500}, []string{"both", "net"}, 3},
		"no list for our user": {map[string]int{"/v2.0/quotas": 403}, nil, 3},
		"one of Neutron":       {map[string]int{"/v2.0/quotas/net": 500}, []string{"net"}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, status := range c.status {
				if status >= http.StatusInternalServerError {
					slow.Test(t) // by the pauses between the attempts
				}
			}
			l := newLimiter(t, "a", "b", "both", "net", "plain")
			l.status = c.status
			targets := []unit.Target{
				project(t, "a", "cores"), project(t, "b", "cores"), project(t, "both", "cores", "networks"), project(t, "net", "networks"), project(t, "plain"),
			}
			states, err := l.Observe(t.Context(), targets)
			if (err != nil) != (len(c.unknown) > 0) {
				t.Errorf("the error is %v", err)
			}
			var unknown []string
			for _, tg := range targets {
				st := states[tg.Address]
				diff := l.Compare(tg, wantedOf(tg), st)
				if len(st.Unseen) > 0 {
					unknown = append(unknown, tg.Address.Name())
					if !strings.Contains(st.Message, "quota") || diff.Action != unit.ActionUnknown || diff.Reason != st.Message {
						t.Errorf("%s: %+v, %+v", tg.Address, diff, st)
					}
					continue
				}
				if diff.Action != unit.ActionNone || !st.Ready() {
					t.Errorf("%s: %+v, %+v", tg.Address, diff, st)
				}
			}
			if !slices.Equal(unknown, c.unknown) {
				t.Errorf("unknown are %v, want %v", unknown, c.unknown)
			}
			asked := map[string]bool{} // a request that reads is repeated by itself
			for _, path := range l.asked {
				asked[path] = asked[path] || strings.Contains(path, "os-quota-sets")
			}
			n := 0
			for _, nova := range asked {
				if nova {
					n++
				}
			}
			if n != c.asked {
				t.Errorf("Nova was asked for %d projects, want %d: %v", n, c.asked, l.asked)
			}
		})
	}
}

// TestLimitsOfAServiceThatIsNotReady are neither asked for nor set, and those of the others are, unless all
// was set before: then they are asked for.
func TestLimitsOfAServiceThatIsNotReady(t *testing.T) {
	l := newLimiter(t, "p")
	written := func(networks int64) unit.Target {
		tg := target(t, "project", "p", values{"quota": cty.ObjectVal(map[string]cty.Value{
			"cores": cty.NumberIntVal(64), "networks": cty.NumberIntVal(networks),
		})})
		tg.Mark, tg.Unserved = "kupenstack:p", []string{"nova"}
		return tg
	}
	look := func(tg unit.Target) unit.State {
		t.Helper()
		l.asked = nil
		states, err := l.Observe(t.Context(), []unit.Target{tg})
		if err != nil {
			t.Fatal(err)
		}
		return states[tg.Address]
	}
	same, other := written(4), written(5)
	st := look(same)
	if diff := l.Compare(same, wantedOf(same), st); diff.Action != unit.ActionUnknown || !slices.Equal(st.Unseen, []string{"nova"}) {
		t.Errorf("got %+v, %+v", diff, st)
	}
	if !slices.Equal(l.asked, []string{"/v2.0/quotas", "/v2.0/quotas/p"}) {
		t.Errorf("asked %v", l.asked)
	}
	diff := l.Compare(other, wantedOf(other), st)
	if diff.Action != unit.ActionUpdate || len(diff.Fields) != 1 || diff.Fields[0].Before != `{"networks":4}` {
		t.Errorf("got %+v", diff)
	}
	l.asked = nil
	after, err := l.Apply(t.Context(), other, wantedOf(other), st)
	if err != nil || !slices.Equal(after.Unseen, []string{"nova"}) {
		t.Errorf("got %+v, %v", after, err)
	}
	if !slices.Equal(l.asked, []string{"PUT /v2.0/quotas/p", "/v2.0/quotas", "/v2.0/quotas/p"}) {
		t.Errorf("asked %v", l.asked)
	}
	same.Complete = true
	if st := look(same); len(st.Unseen) > 0 || l.Compare(same, wantedOf(same), st).Action != unit.ActionUpdate {
		t.Errorf("got %+v", st)
	}
}

// TestLookedUpProjectNeedsNoQuota: a project that is managed and looked up at the same time is unknown
// only where its quota matters.
func TestLookedUpProjectNeedsNoQuota(t *testing.T) {
	t.Parallel()
	slow.Test(t)
	l := newLimiter(t, "a")
	l.status = map[string]int{"/v2.1/os-quota-sets/a": 500}
	managed, data := project(t, "a", "cores"), target(t, "project", "data", values{})
	block := language().Resource("project").DataBlock()
	want := map[string]cty.Value{}
	for name, typ := range block.DesiredType().AttributeTypes() {
		want[name] = cty.NullVal(typ)
	}
	want["name"] = text("a")
	data.Spec, data.Mark = &unit.Resource{Kind: "project", Lookup: true, Block: block, Desired: cty.ObjectVal(want)}, ""
	states, err := l.Observe(t.Context(), []unit.Target{managed, data})
	if err == nil || !slices.Equal(states[managed.Address].Unseen, []string{"nova"}) || len(states[data.Address].Unseen) > 0 || !states[data.Address].Ready() {
		t.Errorf("got %+v, %v", states, err)
	}
}

// TestLimitsAreKeptWhereTheSchemaSays has the driver and what a project waits for agree.
func TestLimitsAreKeptWhereTheSchemaSays(t *testing.T) {
	for _, q := range schema.New().Quotas() {
		for _, limit := range q.Limits {
			l := newLimiter(t, "a")
			if _, err := l.Observe(t.Context(), []unit.Target{project(t, "a", limit)}); err != nil {
				t.Error(err)
			}
			want := map[string][]string{"nova": {"/v2.1/os-quota-sets/a"}, "neutron": {"/v2.0/quotas", "/v2.0/quotas/a"}, "cinder": {"/volume/v3/os-quota-sets/a"}}[q.Service]
			if !slices.Equal(l.asked, want) {
				t.Errorf("%s of %s: asked %s", limit, q.Service, fmt.Sprint(l.asked))
			}
		}
	}
}
