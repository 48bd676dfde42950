package kube

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// shelf is an API server that has two ConfigMaps without a label, of which it lists one after the other.
type shelf struct {
	listing int // status of the answers to lists

	mutex sync.Mutex
	lists int
	asked []string // names
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := func(status int, value map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value)
	}
	failure := func(status int) {
		answer(status, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": status, "reason": map[int]string{
			http.StatusNotFound: "NotFound", http.StatusForbidden: "Forbidden", http.StatusGone: "Expired",
		}[status]})
	}
	const list = "/api/v1/namespaces/n/configmaps"
	there := []string{"object-03", "object-07"}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch name, named := strings.CutPrefix(r.URL.Path, list+"/"); {
	case r.URL.Path == "/api/v1":
		answer(http.StatusOK, map[string]any{"kind": "APIResourceList", "groupVersion": "v1", "resources": []any{
			map[string]any{"name": "configmaps", "kind": "ConfigMap", "namespaced": true, "verbs": []string{"get", "list"}},
		}})
	case named && slices.Contains(there, name):
		s.asked = append(s.asked, name)
		answer(http.StatusOK, map[string]any{"kind": "ConfigMap", "apiVersion": "v1", "metadata": map[string]any{"name": name, "namespace": "n"}})
	case named:
		s.asked = append(s.asked, name)
		failure(http.StatusNotFound)
	case r.URL.Path == list && s.listing == http.StatusOK:
		s.lists++
		page, next := there[:1], "more"
		if r.URL.Query().Get("continue") == next {
			page, next = there[1:], ""
		}
		answer(http.StatusOK, map[string]any{
			"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": map[string]any{"resourceVersion": "7", "continue": next},
			"items": []any{map[string]any{"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": map[string]any{"name": page[0], "namespace": "n"}}},
		})
	case r.URL.Path == list:
		s.lists++
		failure(s.listing)
	default:
		failure(http.StatusNotFound)
	}
}

// What a list does not show is not asked for, and what cannot be listed is never taken for absent.
func TestConfirm(t *testing.T) {
	for _, test := range []struct {
		name           string
		objects        int
		listing        int
		lists, queries int
	}{
		{name: "few objects are asked for", objects: fewConfirms, listing: http.StatusOK, queries: fewConfirms},
		{name: "many are listed, page by page", objects: 30, listing: http.StatusOK, lists: 2, queries: 2},
		{name: "a list that is refused", objects: 30, listing: http.StatusForbidden, lists: 1, queries: 30},
		{name: "a list that has expired", objects: 30, listing: http.StatusGone, lists: 1, queries: 30},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &shelf{listing: test.listing}
			server := httptest.NewServer(s)
			defer server.Close()
			c, err := New(Options{Access: NewAccess(&rest.Config{Host: server.URL})})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			var refs []unit.ObjectRef
			for i := range test.objects {
				refs = append(refs, unit.ObjectRef{APIVersion: "v1", Kind: "ConfigMap", Namespace: "n", Name: fmt.Sprintf("object-%02d", i)})
			}
			found, errs := (&Driver{cluster: c}).confirm(t.Context(), refs)
			for i := range refs {
				if errs[i] != nil || (found[i] != nil) != (i == 3 || i == 7) {
					t.Errorf("%s: %v, %v", refs[i], found[i], errs[i])
				}
			}
			if s.lists != test.lists || len(s.asked) != test.queries {
				t.Errorf("%d lists and %d queries, want %d and %d", s.lists, len(s.asked), test.lists, test.queries)
			}
		})
	}
}
