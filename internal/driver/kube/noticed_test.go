package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// editedShelf is an API server without a network, which tells at once of what somebody does to its objects.
type editedShelf struct {
	mutex   sync.Mutex
	asked   int
	there   map[string]*unstructured.Unstructured // by the path of their list
	streams map[string]*io.PipeWriter
}

// kindsOfShelf are its kinds: those of objects that many have, and one that a definition has brought.
var kindsOfShelf = map[string]string{
	"/api/v1":              `{"name":"configmaps","kind":"ConfigMap","namespaced":true},{"name":"services","kind":"Service","namespaced":true}`,
	"/apis/apps/v1":        `{"name":"deployments","kind":"Deployment","namespaced":true}`,
	"/apis/example.org/v1": `{"name":"widgets","kind":"Widget","namespaced":true}`,
}

// RoundTrip implements [http.RoundTripper].
func (s *editedShelf) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.asked++
	answer := func(status int, text string) (*http.Response, error) {
		return &http.Response{
			StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
			Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(text)),
		}, nil
	}
	if kinds, is := kindsOfShelf[r.URL.Path]; is {
		version := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/apis/"), "/api/")
		return answer(http.StatusOK, fmt.Sprintf(`{"kind":"APIResourceList","groupVersion":%q,"resources":[%s]}`, version, kinds))
	}
	query, object := r.URL.Query(), s.there[r.URL.Path]
	switch {
	case object == nil || query.Has("sendInitialEvents"): // as one that does not stream a first list
		return answer(http.StatusUnprocessableEntity, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":422,"reason":"Invalid"}`)
	case query.Has("watch"):
		events, stream := io.Pipe()
		s.streams[r.URL.Path] = stream
		context.AfterFunc(r.Context(), func() { stream.CloseWithError(r.Context().Err()) })
		response, err := answer(http.StatusOK, "")
		response.Body = events
		return response, err
	default:
		list, err := json.Marshal(map[string]any{
			"kind": object.GetKind() + "List", "apiVersion": object.GetAPIVersion(), "metadata": map[string]any{"resourceVersion": "7"}, "items": []any{object.Object},
		})
		if err != nil {
			return nil, err
		}
		return answer(http.StatusOK, string(list))
	}
}

// put makes an object of a unit as it is wanted.
func (s *editedShelf) put(t *testing.T, address string, path string, item map[string]any) unit.Target {
	t.Helper()
	spec := &unit.Objects{Items: []map[string]any{item}}
	object := marked(item, address, spec.ItemDigest(0)).DeepCopy()
	object.SetLabels(map[string]string{LabelManagedBy: ManagedBy})
	object.SetUID("u")
	object.SetResourceVersion("5")
	s.there[path] = object
	return unit.Target{Address: addr.MustParseObject(address), Spec: spec, Locator: spec.Locator()}
}

// tell has the one who watches a list hear of what became of its object.
func (s *editedShelf) tell(t *testing.T, path, event string, edit func(*unstructured.Unstructured)) {
	t.Helper()
	s.mutex.Lock()
	stream, object := s.streams[path], s.there[path].DeepCopy()
	s.mutex.Unlock()
	edit(object)
	object.SetResourceVersion("8")
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(map[string]any{"type": event, "object": object.Object}); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Write(text.Bytes()); err != nil {
		t.Fatal(err)
	}
}

// TestDriftOfAnyKindIsNoticedAtOnce: whatever the kind of an object, its unit alone hears at the very moment that the server
// tells of an edit or of its end, and nothing is asked for it. What comes after that is the same for all kinds.
func TestDriftOfAnyKindIsNoticedAtOnce(t *testing.T) {
	set := func(value any, field ...string) func(*unstructured.Unstructured) {
		return func(object *unstructured.Unstructured) {
			if err := unstructured.SetNestedField(object.Object, value, field...); err != nil {
				t.Error(err)
			}
		}
	}
	item := func(apiVersion, kind string, more map[string]any) map[string]any {
		object := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"namespace": "n", "name": "it"}}
		for key, value := range more {
			object[key] = value
		}
		return object
	}
	const configs, services, deployments, widgets = "/api/v1/namespaces/n/configmaps", "/api/v1/namespaces/n/services", "/apis/apps/v1/namespaces/n/deployments", "/apis/example.org/v1/namespaces/n/widgets"
	synctest.Test(t, func(t *testing.T) {
		s := &editedShelf{there: map[string]*unstructured.Unstructured{}, streams: map[string]*io.PipeWriter{}}
		c, err := New(Options{Access: NewAccess(&rest.Config{Host: "http://cluster.test", Transport: s}), Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		type word struct {
			of addr.Object
			at time.Time
		}
		var mutex sync.Mutex
		var heard []word
		d := NewDriver(c, nil, func(units ...addr.Object) {
			mutex.Lock()
			defer mutex.Unlock()
			for _, of := range units {
				heard = append(heard, word{of, time.Now()})
			}
		})
		targets := []unit.Target{
			s.put(t, "manifest.config", configs, item("v1", "ConfigMap", map[string]any{"data": map[string]any{"text": "as written"}})),
			s.put(t, "manifest.service", services, item("v1", "Service", map[string]any{"spec": map[string]any{"clusterIP": "None"}})),
			s.put(t, "manifest.deployment", deployments, item("apps/v1", "Deployment", map[string]any{"spec": map[string]any{"replicas": int64(2)}})),
			s.put(t, "manifest.widget", widgets, item("example.org/v1", "Widget", map[string]any{"spec": map[string]any{"size": "small"}})),
		}
		states, err := d.Observe(t.Context(), targets)
		for _, target := range targets {
			if err != nil || states[target.Address].Existence != unit.Present {
				t.Errorf("%s at first: %+v, %v", target.Address, states[target.Address], err)
			}
		}
		for _, edit := range []struct {
			unit, path, event string
			edit              func(*unstructured.Unstructured)
		}{
			{"manifest.config", configs, "MODIFIED", set("edited", "data", "text")},
			{"manifest.deployment", deployments, "MODIFIED", set(int64(0), "spec", "replicas")},
			{"manifest.widget", widgets, "MODIFIED", set("large", "spec", "size")},
			{"manifest.service", services, "DELETED", func(*unstructured.Unstructured) {}},
			{"manifest.deployment", deployments, "DELETED", func(*unstructured.Unstructured) {}},
		} {
			time.Sleep(time.Minute) // nobody looks meanwhile
			synctest.Wait()
			s.mutex.Lock()
			asked := s.asked
			s.mutex.Unlock()
			edited := time.Now()
			s.tell(t, edit.path, edit.event, edit.edit)
			synctest.Wait()
			mutex.Lock()
			if want := []word{{addr.MustParseObject(edit.unit), edited}}; !slices.Equal(heard, want) {
				t.Errorf("%s of %s: heard of is %v, want %v", edit.event, edit.path, heard, want)
			}
			heard = nil
			mutex.Unlock()
			s.mutex.Lock()
			if s.asked != asked {
				t.Errorf("%s of %s: %d requests", edit.event, edit.path, s.asked-asked)
			}
			s.mutex.Unlock()
		}
		d.Close()
		c.Close()
	})
}
