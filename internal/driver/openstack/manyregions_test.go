package openstack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/openstack"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestAProjectInManyRegions: regions are asked side by side what they have of a project. One by one, twenty of them would take longer
// than a call may, and the project would never go.
func TestAProjectInManyRegions(t *testing.T) {
	t.Parallel()
	const regions = 20
	var mu sync.Mutex
	var met sync.Once
	asked, together, deleted := map[string]bool{}, make(chan struct{}), false
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	var endpoints []any
	for i := range regions + 1 {
		region := fmt.Sprintf("r%d", i)
		endpoints = append(endpoints, map[string]any{"interface": "public", "region": region, "region_id": region, "url": server.URL + "/image/" + region + "/v2"})
	}
	catalog := []any{map[string]any{"type": "image", "endpoints": endpoints}, map[string]any{"type": "identity", "endpoints": []any{
		map[string]any{"interface": "public", "region": "r0", "region_id": "r0", "url": server.URL + "/v3"},
	}}}
	for service, path := range map[string]string{"compute": "/v2.1", "network": "/v2.0"} {
		catalog = append(catalog, map[string]any{"type": service, "endpoints": []any{map[string]any{"interface": "public", "region": "r0", "region_id": "r0", "url": server.URL + path}}})
	}
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Subject-Token", "token")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{
			"user": map[string]any{"id": "u1"}, "project": map[string]any{"id": "p1"}, "catalog": catalog, "roles": []any{map[string]any{"name": "admin"}},
		}})
	})
	tell := func(w http.ResponseWriter, key string, value any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{key: value})
	}
	mux.HandleFunc("GET /v3/auth/catalog", func(w http.ResponseWriter, _ *http.Request) { tell(w, "catalog", catalog) })
	mux.HandleFunc("GET /v3/projects", func(w http.ResponseWriter, _ *http.Request) { tell(w, "projects", []any{}) })
	mux.HandleFunc("GET /v3/projects/q1", func(w http.ResponseWriter, _ *http.Request) {
		tell(w, "project", map[string]any{"id": "q1", "name": "q1", "domain_id": "default", "enabled": true, "tags": []any{"kupenstack:q1"}})
	})
	mux.HandleFunc("DELETE /v3/projects/q1", func(w http.ResponseWriter, _ *http.Request) {
		deleted = true
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /image/{region}/v2/images", func(w http.ResponseWriter, r *http.Request) {
		if region := r.PathValue("region"); region != "r0" {
			mu.Lock()
			asked[region] = true
			if len(asked) > 1 {
				met.Do(func() { close(together) })
			}
			mu.Unlock()
			select {
			case <-together: // another region is asked as long as this one has not answered
			case <-time.After(10 * time.Second):
				w.WriteHeader(http.StatusForbidden)
				return
			}
		}
		tell(w, "images", []any{})
	})
	mux.HandleFunc("GET /v2.1/servers", func(w http.ResponseWriter, _ *http.Request) { tell(w, "servers", []any{}) })
	mux.HandleFunc("GET /v2.1/servers/detail", func(w http.ResponseWriter, _ *http.Request) { tell(w, "servers", []any{}) })
	mux.HandleFunc("GET /v2.1/os-server-groups", func(w http.ResponseWriter, _ *http.Request) { tell(w, "server_groups", []any{}) })
	mux.HandleFunc("GET /v2.0/", func(w http.ResponseWriter, r *http.Request) {
		tell(w, strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/v2.0/"), "qos/"), "-", "_"), []any{})
	})
	d := openstack.New(openstack.Options{Language: language(), Connect: func(context.Context) (openstack.Credentials, error) {
		return openstack.FromVariables(map[string]string{
			"OS_AUTH_URL": server.URL, "OS_REGION_NAME": "r0", "OS_USERNAME": "ops", "OS_PASSWORD": "pretended", "OS_USER_DOMAIN_ID": "default", "OS_PROJECT_ID": "p1",
		}), nil
	}})
	t.Cleanup(d.Close)
	if _, err := d.Delete(t.Context(), known(t, "project", "q1", values{}), unit.State{Existence: unit.Present}); err != nil || !deleted || len(asked) != regions {
		t.Errorf("%d regions were asked, deleted: %t, %v", len(asked), deleted, err)
	}
}
