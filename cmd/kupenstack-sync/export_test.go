package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// member serves an OpenStack as a member of a project sees it, with one network, and what some lists have; all others are
// refused. --os-cloud=lab leads there.
func member(t *testing.T, lists map[string]string) {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	endpoint := func(service, path string) map[string]any {
		return map[string]any{"type": service, "endpoints": []any{
			map[string]any{"interface": "public", "region_id": "RegionOne", "region": "RegionOne", "url": server.URL + path},
		}}
	}
	token := map[string]any{"token": map[string]any{
		"user": map[string]any{"id": "u1", "domain": map[string]any{"id": "default"}}, "project": map[string]any{"id": "p1"},
		"roles":   []any{map[string]any{"name": "member"}},
		"catalog": []any{endpoint("identity", "/v3"), endpoint("network", "/v2.0")},
	}}
	mux.HandleFunc("POST /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Subject-Token", "token")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(token)
	})
	mux.HandleFunc("GET /v3/auth/tokens", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(token) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, known := lists[r.URL.Path]
		if !known {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = fmt.Fprint(w, body)
	})
	clouds := filepath.Join(t.TempDir(), "clouds.yaml")
	content := fmt.Sprintf("clouds:\n  lab:\n    region_name: RegionOne\n    auth:\n      auth_url: %s/v3\n      username: ops\n      password: pretended\n      user_domain_id: default\n      project_id: p1\n", server.URL)
	if err := os.WriteFile(clouds, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("OS_CLIENT_CONFIG_FILE", clouds)
}

// TestExportOfWhatIsRefused leaves out and names what our user may not list, and fails where that is all that was asked for.
func TestExportOfWhatIsRefused(t *testing.T) {
	const own, others = "/v3/auth/projects", "/v3/projects"
	network := `{"networks": [{"id": "n1", "name": "office", "project_id": "p1", "description": "", "mtu": 1450, "tags": []}]}`
	shop := `{"projects": [{"id": "p1", "name": "shop", "domain_id": "default", "enabled": true, "tags": []}]}`
	for _, test := range []struct {
		name  string
		lists map[string]string
		args  []string
		code  int
		says  []string
		never string
	}{
		{
			"a part",
			map[string]string{"/v2.0/networks": network, own: shop, "/v2.0/qos/policies": `{"policies": []}`},
			[]string{"--kind=network", "--kind=user"},
			exitDone,
			[]string{`network "office"`, "Left out, as the user of lab may not list them: domain, group, user.", "1 exported"},
			"Error",
		},
		{
			"a part, for programs",
			map[string]string{"/v2.0/networks": network, own: shop, "/v2.0/qos/policies": `{"policies": []}`},
			[]string{"--kind=network", "--kind=user", "--output=json"},
			exitDone,
			[]string{`"objects": 1`, `"refused": [`, `"user"`},
			"Error",
		},
		{
			"nothing, for programs",
			map[string]string{"/v2.0/networks": network, own: shop, "/v2.0/qos/policies": `{"policies": []}`},
			[]string{"--kind=network", "--output=json"},
			exitDone,
			[]string{`"objects": 1`, `"refused": [`},
			"Left out, as the user of lab may not list them: network",
		},
		{
			"all that was asked for",
			map[string]string{own: shop},
			[]string{"--kind=role_assignment"},
			exitFailed,
			[]string{"the user of lab may not list any of role_assignment: it takes the role admin"},
			"exported",
		},
		{
			"projects",
			map[string]string{"/v2.0/networks": network, "/v2.0/qos/policies": `{"policies": []}`},
			[]string{"--kind=network", "--project=shop"},
			exitFailed,
			[]string{"the user of lab may not list projects: leave --project out for what is in its own"},
			"exported",
		},
		{
			"projects, and they are listed",
			map[string]string{"/v2.0/networks": network, others: shop, "/v2.0/qos/policies": `{"policies": []}`},
			[]string{"--kind=network", "--project=shop"},
			exitDone,
			[]string{`network "office"`},
			"may not list projects",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			member(t, test.lists)
			args := append([]string{"export", "--os-cloud=lab"}, test.args...)
			code, out := said(t, args...)
			if test.code != exitDone { // main tells the error
				c := command(schema.New())
				c.SetArgs(args)
				if err := c.ExecuteContext(t.Context()); err != nil {
					out += err.Error()
				}
			}
			if code != test.code || strings.Contains(out, test.never) {
				t.Errorf("it ends with %d, want %d:\n%s", code, test.code, out)
			}
			for _, says := range test.says {
				if !strings.Contains(out, says) {
					t.Errorf("it does not say %q:\n%s", says, out)
				}
			}
		})
	}
}
