package kube

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// secretServer serves Secrets by their paths, and nothing else.
func secretServer(t *testing.T, secrets map[string]map[string]string) *Cluster {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := func(status int, v any) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(v)
		}
		if r.URL.Path == "/api/v1" {
			answer(http.StatusOK, map[string]any{
				"kind": "APIResourceList", "groupVersion": "v1",
				"resources": []any{map[string]any{"name": "secrets", "kind": "Secret", "namespaced": true}},
			})
			return
		}
		labels, ok := secrets[r.URL.Path]
		switch {
		case !ok:
			answer(http.StatusNotFound, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404})
		case labels == nil:
			answer(http.StatusForbidden, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403})
		default:
			answer(http.StatusOK, map[string]any{
				"kind": "Secret", "apiVersion": "v1", "metadata": map[string]any{"name": "s", "labels": labels},
				"data": map[string]any{"key": "Y2FuYXJ5LTE="}, // canary-1
			})
		}
	}))
	t.Cleanup(server.Close)
	c, err := New(Options{Access: NewAccess(&rest.Config{Host: server.URL}), Masker: redact.NewMasker(), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestOpted(t *testing.T) {
	readable := map[string]string{unit.LabelReadable: "true"}
	c := secretServer(t, map[string]map[string]string{
		"/api/v1/namespaces/openstack/secrets/open":           readable,
		"/api/v1/namespaces/openstack/secrets/closed":         {"app": "x"},
		"/api/v1/namespaces/openstack/secrets/no":             {unit.LabelReadable: "false"},
		"/api/v1/namespaces/openstack/secrets/forbidden":      nil,
		"/api/v1/namespaces/kupenstack-system/secrets/system": readable,
	})
	for _, test := range []struct{ namespace, name, key, problem string }{
		{"openstack", "open", "key", ""},
		{"", "system", "key", ""},
		{"openstack", "open", "other", `Secret openstack/open has no key "other"`},
		{"openstack", "closed", "key", `Secret openstack/closed may not be read, and its key "key" is needed`},
		{"openstack", "no", "key", "may not be read"},
		{"openstack", "missing", "key", `Secret openstack/missing does not exist, and its key "key" is needed`},
	} {
		value, err := c.Opted(t.Context(), test.namespace, test.name, test.key)
		switch {
		case test.problem == "":
			if err != nil || value.Reveal() != "canary-1" {
				t.Errorf("%s: %v", test.name, err)
			}
		case !unit.IsBlocked(err) || unit.RetryAfter(err) == 0 || !strings.Contains(err.Error(), test.problem) || strings.Contains(err.Error(), "canary") || !value.IsEmpty():
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := c.Opted(t.Context(), "openstack", "forbidden", "key"); err == nil || unit.IsBlocked(err) {
		t.Errorf("a refusal of the server is taken for an answer: %v", err)
	}
	if got := c.masker.Text("see canary-1").String(); strings.Contains(got, "canary") {
		t.Errorf("the masker does not know the value: %s", got)
	}
}
