package openstack_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// twoRegions is a cloud whose Keystone knows a second region, which has its own services. A project is empty in the first.
type twoRegions struct {
	servers, images []any           // in the second region
	volumes         []any           // there as well, where only that has Cinder
	fails           string          // a path there that does not answer
	urls            func(*endpoint) // changes the catalogue
	since           []string        // services and regions that are there since the login, as "compute Two"
	forgets         bool            // Keystone does not tell its catalogue
	groups          []any           // as well
	containers      []any           // of Swift, in a third one
	made            bool            // a default security group, as Neutron does for a project that is asked for
	asked           []string        // in the second region
	deleted         bool
}

// endpoint is one of the catalogue.
type endpoint struct{ service, region, face, url string }

func (c *twoRegions) driver(t *testing.T, face string) *openstack.Driver {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	var catalog, before []any
	for _, e := range []endpoint{
		{"identity", "One", "public", "/v3"},
		{"compute", "One", "public", "/one/v2.1"},
		{"network", "One", "public", "/one/v2.0"},
		{"image", "One", "public", "/one/v2"},
		{"compute", "Two", "public", "/two/v2.1"},
		{"network", "Two", "public", "/two/v2.0"},
		{"image", "Two", "public", "/two/v2"},
		{"block-storage", "Two", "public", "/two/v3"},
		{"object-store", "Three", "public", "/three/v1"},
		{"identity", "One", "internal", "/v3"},
		{"compute", "One", "internal", "/one/v2.1"},
		{"network", "One", "internal", "/one/v2.0"},
		{"image", "One", "internal", "/one/v2"},
		{"compute", "Two", "internal", "/one/v2.1"}, // a name in a cluster, which means another service in each of them
	} {
		was := e
		if c.urls != nil {
			c.urls(&e)
		}
		entry := map[string]any{"type": e.service, "endpoints": []any{
			map[string]any{"interface": e.face, "region": e.region, "region_id": e.region, "url": server.URL + e.url},
		}}
		if catalog = append(catalog, entry); !slices.Contains(c.since, e.service+" "+was.region) {
			before = append(before, entry)
		}
	}
	mux.HandleFunc("GET /v3/auth/catalog", func(w http.ResponseWriter, _ *http.Request) {
		if c.forgets {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"catalog": catalog, "links": map[string]any{"self": server.URL + "/v3/auth/catalog", "next": nil}})
	})
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Subject-Token", "token")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{
			"user": map[string]any{"id": "u1", "domain": map[string]any{"id": "default"}}, "project": map[string]any{"id": "p1"},
			"catalog": before, "roles": []any{map[string]any{"name": "admin"}},
		}})
	})
	mux.HandleFunc("/", c.answer)
	d := openstack.New(openstack.Options{Language: language(), Connect: func(context.Context) (openstack.Credentials, error) {
		return openstack.FromVariables(map[string]string{
			"OS_AUTH_URL": server.URL, "OS_REGION_NAME": "One", "OS_INTERFACE": face, "OS_USERNAME": "ops", "OS_PASSWORD": "pretended",
			"OS_USER_DOMAIN_ID": "default", "OS_PROJECT_ID": "p1",
		}), nil
	}})
	t.Cleanup(d.Close)
	return d
}

func (c *twoRegions) answer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	tell := func(key string, value any) { _ = json.NewEncoder(w).Encode(map[string]any{key: value}) }
	path, there := strings.CutPrefix(r.URL.Path, "/two")
	if there {
		c.asked = append(c.asked, path)
	} else {
		path = strings.TrimPrefix(path, "/one")
	}
	some := func(all []any) []any {
		if !there || all == nil {
			return []any{}
		}
		return all
	}
	switch {
	case there && path == c.fails:
		w.WriteHeader(http.StatusServiceUnavailable)
	case r.Method == http.MethodDelete && path == "/v3/projects/q1":
		c.deleted = true
		w.WriteHeader(http.StatusNoContent)
	case path == "/v3/projects/q1":
		tell("project", map[string]any{"id": "q1", "name": "q1", "domain_id": "default", "enabled": true, "tags": []any{"kupenstack:q1"}})
	case path == "/v3/projects":
		tell("projects", []any{})
	case path == "/v2.1/servers/detail", path == "/v2.1/servers":
		tell("servers", some(c.servers))
	case path == "/v2.1/os-server-groups":
		tell("server_groups", []any{})
	case path == "/v2/images":
		tell("images", some(c.images))
	case path == "/v3/volumes/detail":
		tell("volumes", some(c.volumes))
	case path == "/v3/snapshots/detail":
		tell("snapshots", []any{})
	case path == "/v3/backups/detail":
		tell("backups", []any{})
	case path == "/v2.0/security-groups":
		if there && r.URL.Query().Has("project_id") {
			c.made = true
		}
		tell("security_groups", some(c.groups))
	case path == "/three/v1/":
		_ = json.NewEncoder(w).Encode(append([]any{}, c.containers...))
	case strings.HasPrefix(path, "/v2.0/"):
		key := strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(path, "/v2.0/"), "qos/"), "-", "_")
		tell(key, []any{})
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// TestAProjectWithSomethingInAnotherRegion: a project has what is in it in all regions that share its Keystone, and stays as long
// as there is something in any of them, or nobody knows.
func TestAProjectWithSomethingInAnotherRegion(t *testing.T) {
	theirs := []any{map[string]any{"id": "theirs", "name": "web", "status": "ACTIVE", "metadata": map[string]any{}}}
	for name, test := range map[string]struct {
		cloud   twoRegions
		face    string
		says    string // "" where it goes
		blocked bool
	}{
		"an instance": {twoRegions{servers: theirs}, "public", `the project in the region "Two" still has servers: web (theirs), which is not ours`, true},
		"an image":    {twoRegions{images: []any{map[string]any{"id": "i1", "name": "base"}}}, "public", `in the region "Two" still has images: base (i1)`, true},
		"a volume":    {twoRegions{volumes: theirs}, "public", `in the region "Two" still has volumes: web (theirs)`, true},
		"containers":  {twoRegions{containers: []any{map[string]any{"name": "media"}}}, "public", `in the region "Three" still has object containers: media, which is not ours`, true},
		"a security group": {twoRegions{groups: []any{
			map[string]any{"id": "g1", "name": "default", "project_id": "q1"}, map[string]any{"id": "g2", "name": "web", "project_id": "q2"}, map[string]any{"id": "g3", "name": "web", "project_id": "q1"},
		}}, "public", `in the region "Two" still has security groups: web (g3)`, true},
		"only what is not its own": {twoRegions{groups: []any{
			map[string]any{"id": "g1", "name": "default", "project_id": "q1"}, map[string]any{"id": "g2", "name": "web", "project_id": "q2"},
		}}, "public", "", false},
		"nothing":                  {twoRegions{}, "public", "", false},
		"nobody knows the regions": {twoRegions{forgets: true}, "public", "read the catalogue of OpenStack", false},
		"a region that has come since": {
			twoRegions{servers: theirs, since: []string{"compute Two", "network Two", "image Two", "block-storage Two"}},
			"public",
			`in the region "Two" still has servers: web (theirs)`, true,
		},
		"volumes here that have come since": {twoRegions{volumes: theirs, since: []string{"block-storage Two"}, urls: func(e *endpoint) {
			if e.service == "block-storage" {
				e.region = "One"
			}
		}}, "public", "the project still has volumes: web (theirs)", true},
		"nobody knows":            {twoRegions{fails: "/v2.1/servers/detail"}, "public", `the project in the region "Two"`, false},
		"the same name as ours":   {twoRegions{servers: theirs}, "internal", `in the region "Two" still has servers: web (theirs)`, true},
		"it is the same services": {twoRegions{servers: theirs, urls: func(e *endpoint) { e.url = strings.Replace(e.url, "/two", "/one", 1) }}, "public", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := test.cloud
			_, err := c.driver(t, test.face).Delete(t.Context(), known(t, "project", "q1", values{}), unit.State{Existence: unit.Present})
			if c.deleted != (test.says == "") || (err != nil) != (test.says != "") || unit.IsBlocked(err) != test.blocked || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("deleted: %t, %v", c.deleted, err)
			}
			if c.made {
				t.Error("it has a default security group there from now on")
			}
			if test.says == "" && test.cloud.urls == nil && !slices.Contains(c.asked, "/v2.1/servers/detail") {
				t.Errorf("it was not asked for: %q", c.asked)
			}
		})
	}
}
