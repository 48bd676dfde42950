package kube

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/rs/zerolog"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// An object is in the watch of what its label says, and each label is one that some watch is for.
func TestWhereAnObjectIsWatched(t *testing.T) {
	for _, test := range []struct{ apiVersion, kind, by, want string }{
		{"v1", "ConfigMap", "", selectorOurs},
		{"v1", "ConfigMap", "kupenstack", selectorOurs},
		{"v1", "ConfigMap", "Helm", selectorOurs}, // what helm template prints
		{"v1", "ConfigMap", "kustomize", "app.kubernetes.io/managed-by=kustomize"},
		{"v1", "ConfigMap", "helm", "app.kubernetes.io/managed-by=helm"},
		{"apiextensions.k8s.io/v1", "CustomResourceDefinition", "rook", "app.kubernetes.io/managed-by=rook"},
		{"v1", "ConfigMap", "no label, but a sentence", selectorOurs},
		{"v1", "Namespace", "kustomize", ""},
	} {
		item := map[string]any{"apiVersion": test.apiVersion, "kind": test.kind, "metadata": map[string]any{"name": "a"}}
		if test.by != "" {
			item["metadata"].(map[string]any)["labels"] = map[string]any{LabelManagedBy: test.by}
		}
		object := marked(item, "manifest.a", "")
		got := watchKey{apiVersion: test.apiVersion, kind: test.kind, manager: otherManager(object)}.selector()
		if got != test.want {
			t.Errorf("%s by %q: %q, want %q", test.kind, test.by, got, test.want)
		}
		selector, err := labels.Parse(got)
		if err != nil || !selector.Matches(labels.Set(object.GetLabels())) && test.by != "no label, but a sentence" {
			t.Errorf("%s by %q is not in the watch of %q: %v", test.kind, test.by, got, err)
		}
	}
}

// labelledShelf is an API server with ConfigMaps, which it lists as labels are asked for. Nothing happens there.
type labelledShelf struct {
	there []*unstructured.Unstructured

	mutex sync.Mutex
	asked []string       // of lists their selectors, of objects their names
	open  map[string]int // the watches of selectors
	slow  func(selector string)
}

func (s *labelledShelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := func(status int, value map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value)
	}
	failure := func(status int, reason string) {
		answer(status, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": status, "reason": reason})
	}
	query := r.URL.Query()
	selector, err := labels.Parse(query.Get("labelSelector"))
	switch {
	case r.URL.Path == "/api/v1":
		answer(http.StatusOK, map[string]any{"kind": "APIResourceList", "groupVersion": "v1", "resources": []any{
			map[string]any{"name": "configmaps", "kind": "ConfigMap", "namespaced": true, "verbs": []string{"get", "list", "watch"}},
		}})
	case err != nil || query.Get("sendInitialEvents") != "": // as one that does not stream a first list
		failure(http.StatusUnprocessableEntity, "Invalid")
	case query.Get("watch") != "":
		s.watch(query.Get("labelSelector"), 1)
		defer s.watch(query.Get("labelSelector"), -1)
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	case r.URL.Path == "/api/v1/namespaces/n/configmaps":
		s.note(query.Get("labelSelector"))
		if s.slow != nil {
			s.slow(query.Get("labelSelector"))
		}
		items := []any{}
		for _, object := range s.there {
			if selector.Matches(labels.Set(object.GetLabels())) {
				items = append(items, object.Object)
			}
		}
		answer(http.StatusOK, map[string]any{"kind": "ConfigMapList", "apiVersion": "v1", "metadata": map[string]any{"resourceVersion": "7"}, "items": items})
	default:
		s.note(r.URL.Path)
		for _, object := range s.there {
			if r.URL.Path == "/api/v1/namespaces/n/configmaps/"+object.GetName() {
				answer(http.StatusOK, object.Object)
				return
			}
		}
		failure(http.StatusNotFound, "NotFound")
	}
}

func (s *labelledShelf) note(what string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.asked = append(s.asked, what)
}

func (s *labelledShelf) watch(selector string, more int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.open == nil {
		s.open = map[string]int{}
	}
	if s.open[selector] += more; s.open[selector] == 0 {
		delete(s.open, selector)
	}
}

// put makes objects of a unit as they are wanted, by the managers of their names, and returns it.
func (s *labelledShelf) put(address string, managers map[string]string) unit.Target {
	target, spec := unit.Target{Address: addr.MustParseObject(address)}, &unit.Objects{}
	for name, by := range managers {
		metadata := map[string]any{"namespace": "n", "name": name}
		if by != "" {
			metadata["labels"] = map[string]any{LabelManagedBy: by}
		}
		spec.Items = append(spec.Items, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
	}
	target.Spec, target.Locator = spec, spec.Locator()
	for i, item := range spec.Items {
		object := marked(item, address, spec.ItemDigest(i)).DeepCopy()
		object.SetUID("u")
		object.SetResourceVersion("5")
		s.there = append(s.there, object)
	}
	return target
}

// driver returns one that works with the server.
func (s *labelledShelf) driver(t *testing.T) *Driver {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c, err := New(Options{Access: NewAccess(&rest.Config{Host: server.URL}), Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	d := NewDriver(c, nil, nil)
	t.Cleanup(d.Close)
	return d
}

// What an older program applied, whoever it says is its manager, is as it is to be, and is seen in watches alone: no
// object is asked for by its name, neither at first nor later.
func TestObjectsOfOtherManagersAreWatched(t *testing.T) {
	s := &labelledShelf{}
	target := s.put("manifest.a", map[string]string{"plain": "", "first": "kustomize", "second": "kustomize", "third": "somebody"})
	d := s.driver(t)
	for range 2 {
		states, err := d.Observe(t.Context(), []unit.Target{target})
		if err != nil {
			t.Fatal(err)
		}
		state := states[target.Address]
		if diff := d.Compare(target, cty.NilVal, state); diff.Action != unit.ActionNone || !state.Ready() {
			t.Errorf("%+v, %+v", diff, state)
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	slices.Sort(s.asked)
	want := []string{selectorOurs, LabelManagedBy + "=kustomize", LabelManagedBy + "=somebody"}
	if slices.Sort(want); !slices.Equal(s.asked, want) {
		t.Errorf("asked for %q, want %q", s.asked, want)
	}
}
