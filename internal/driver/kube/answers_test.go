package kube

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestAnswersThatAreNoKinds: what is no list of kinds does not make a kind, and with it all of its objects, absent.
func TestAnswersThatAreNoKinds(t *testing.T) {
	for answer, want := range map[string]string{
		`{}`:   "unknown",
		`null`: "unknown",
		`{"kind":"Status","apiVersion":"v1","status":"Success"}`:                                                                                    "unknown",
		`{"kind":"APIResourceList","groupVersion":"apps/v1","resources":[]}`:                                                                        "unknown",
		`{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"configmaps"}]}`:                                                        "unknown",
		`{"kind":"APIResourceList","groupVersion":"v1","resources":[]}`:                                                                             "absent",
		`{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true}]}`:                   "present",
		`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true}]}`: "present",
	} {
		s := &fuzzServer{path: "/api/v1", body: []byte(answer)}
		c, err := New(Options{Access: NewAccess(&rest.Config{Host: "http://cluster.example.org", Transport: s}), Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		object, err := c.Confirm(t.Context(), unit.ObjectRef{APIVersion: "v1", Kind: "ConfigMap", Namespace: "n", Name: "a"})
		got := "present"
		switch {
		case err != nil:
			got = "unknown"
		case object == nil:
			got = "absent"
		}
		if got != want {
			t.Errorf("by %s it is %s: %v", answer, got, err)
		}
		c.Close()
	}
}

// TestAnswersThatAreNoLists: what is no list does not make objects absent, whoever asks for them, nor the inventory or
// the marks of an installation. Nothing of it is told.
func TestAnswersThatAreNoLists(t *testing.T) {
	of := schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	metadata := strings.NewReplacer("SecretList", "PartialObjectMetadataList", `"v1"`, `"meta.k8s.io/v1"`)
	for answer, known := range map[string]bool{
		``: false, `null`: false, `{}`: false, `[]`: false, `{"kind":"Status","apiVersion":"v1","status":"Success"}`: false,
		`{"kind":"Secret","apiVersion":"v1","metadata":{"name":"canary","resourceVersion":"1"}}`:                            false,
		`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"canary","resourceVersion":"1"}}`: false,
		`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`:                          false,
		`{"metadata":{"name":"canary"},"items":[]}`:                                                                         false,
		`{"kind":"SecretList","apiVersion":"v1","metadata":{},"items":[]}`:                                                  false,
		`{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`:                             true,
	} {
		for name, list := range map[string]func(*Cluster, *API) error{
			"metadata": func(_ *Cluster, a *API) error { _, err := a.Metadata(t.Context(), of, "o", ""); return err },
			"Secrets": func(_ *Cluster, a *API) error {
				return a.EachSecret(t.Context(), "o", "", func(*corev1.Secret) error { return nil })
			},
			"shards":  func(c *Cluster, _ *API) error { _, err := c.Shards("o").Load(t.Context()); return err },
			"another": func(c *Cluster, _ *API) error { _, err := c.Elsewhere(t.Context()); return err },
			"a trace": func(c *Cluster, _ *API) error {
				if known {
					return nil // it goes on with nodes
				}
				_, err := c.trace(t.Context())
				return err
			},
		} {
			text := answer
			if name == "metadata" {
				text = metadata.Replace(answer)
			}
			server := transportFunc(func(r *http.Request) (*http.Response, error) {
				body := text
				if r.URL.Path == "/api/v1" {
					body = `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"secrets","kind":"Secret","namespaced":true}]}`
				}
				return (&fuzzServer{path: r.URL.Path, body: []byte(body)}).RoundTrip(r)
			})
			c, err := New(Options{Access: NewAccess(&rest.Config{Host: "http://cluster.example.org", Transport: server}), Log: zerolog.Nop()})
			if err != nil {
				t.Fatal(err)
			}
			api, err := c.API(time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if err := list(c, api); (err == nil) != known || err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("%s by %s: %v", name, text, err)
			}
			c.Close()
		}
	}
}

// TestAPartOfTheInventory: what is on a page that nobody asked for is not the whole inventory.
func TestAPartOfTheInventory(t *testing.T) {
	for list, want := range map[string]int{`"1"`: 1, `"1","continue":"more"`: 0} {
		s := &fuzzServer{path: fuzzedSecrets, body: []byte(`{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":` + list + `},"items":[
			{"metadata":{"name":"kupenstack-inventory-entries-0","namespace":"n"},"data":{"inventory":"e30="}}]}`)}
		c, err := New(Options{Access: NewAccess(&rest.Config{Host: "http://cluster.example.org", Transport: s}), Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		if shards, err := c.Shards("n").Load(t.Context()); len(shards) != want || (err == nil) != (want > 0) {
			t.Errorf("of a list with %s there are %d shards, %v", list, len(shards), err)
		}
		c.Close()
	}
}

// TestListsInProtobuf: the API server answers with the more compact one of what is asked for.
func TestListsInProtobuf(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	list := &metav1.PartialObjectMetadataList{
		TypeMeta: metav1.TypeMeta{Kind: "PartialObjectMetadataList", APIVersion: "meta.k8s.io/v1"}, ListMeta: metav1.ListMeta{ResourceVersion: "1"},
		Items: []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{Name: "s"}}},
	}
	var packed bytes.Buffer
	if err := protobuf.NewSerializer(scheme, scheme).Encode(list, &packed); err != nil {
		t.Fatal(err)
	}
	server := transportFunc(func(r *http.Request) (*http.Response, error) {
		answer := httptest.NewRecorder()
		kind, _, _ := strings.Cut(r.Header.Get("Accept"), ";")
		answer.Header().Set("Content-Type", kind)
		_, err := answer.Write(packed.Bytes())
		return answer.Result(), err
	})
	items, err := apiOver(t, server, nil).Metadata(t.Context(), schema.GroupVersionResource{Version: "v1", Resource: "secrets"}, "o", "")
	if err != nil || len(items) != 1 || items[0].Name != "s" {
		t.Errorf("got %+v, %v", items, err)
	}
}

// TestListsEnd: a page that is followed by itself is the end of the patience, not of the list.
func TestListsEnd(t *testing.T) {
	asked := 0
	all, err := pages("", 1, func(metav1.ListOptions) ([]int, metav1.ListMeta, error) {
		asked++
		return []int{asked}, metav1.ListMeta{ResourceVersion: "1", Continue: "more"}, nil
	})
	if !errors.Is(err, errEndless) || all != nil || asked != 2 {
		t.Errorf("%v, %v after %d pages", all, err, asked)
	}
}
