package kube

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"k8s.io/client-go/rest"
)

// TestShardWithoutItsLabel: a shard that is there, and is not among those that are read as somebody took its label away,
// is told as that and not as one that others write: reading it anew would show nothing.
func TestShardWithoutItsLabel(t *testing.T) {
	const at = "/api/v1/namespaces/s/secrets"
	for label, conflict := range map[string]bool{"": false, "true": true} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			status := func(code int, reason string) map[string]any {
				w.WriteHeader(code)
				return map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "code": code}
			}
			w.Header().Set("Content-Type", "application/json")
			var answer any
			switch {
			case r.URL.Path == "/api":
				answer = map[string]any{"kind": "APIVersions", "versions": []string{"v1"}}
			case r.URL.Path == "/apis":
				answer = map[string]any{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{}}
			case r.URL.Path == "/api/v1":
				answer = map[string]any{"kind": "APIResourceList", "groupVersion": "v1", "resources": []any{
					map[string]any{"name": "namespaces", "kind": "Namespace", "verbs": []string{"get"}},
					map[string]any{"name": "secrets", "kind": "Secret", "namespaced": true, "verbs": []string{"get", "create"}},
				}}
			case r.URL.Path == "/api/v1/namespaces/s":
				answer = map[string]any{"kind": "Namespace", "apiVersion": "v1", "metadata": map[string]any{"name": "s"}}
			case r.Method == http.MethodPost && r.URL.Path == at:
				answer = status(http.StatusConflict, "AlreadyExists")
			case r.Method == http.MethodGet && r.URL.Path == at+"/kupenstack-inventory-0a":
				answer = map[string]any{"kind": "Secret", "apiVersion": "v1", "metadata": map[string]any{
					"name": "kupenstack-inventory-0a", "namespace": "s", "labels": map[string]any{"kupenstack.io/inventory": label},
				}}
			default:
				answer = status(http.StatusNotFound, "NotFound")
			}
			_ = json.NewEncoder(w).Encode(answer)
		}))
		c, err := New(Options{Access: NewAccess(&rest.Config{Host: server.URL}), SystemNamespace: "s", Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Shards("").Put(t.Context(), "0a", nil, "")
		told := err != nil && strings.Contains(err.Error(), "kubectl -n s label secret kupenstack-inventory-0a --overwrite kupenstack.io/inventory=true")
		if errors.Is(err, ErrConflict) != conflict || told == conflict {
			t.Errorf("with the label %q: %v", label, err)
		}
		c.Close()
		server.Close()
	}
}
