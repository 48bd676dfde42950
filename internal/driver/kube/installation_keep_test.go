package kube_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// keeper is an API server that has one namespace and, maybe, the installation's Secret in it.
type keeper struct {
	mutex  sync.Mutex
	noted  string
	secret map[string]any // what it holds, encoded; nil for none
	writes []string
}

func (k *keeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	answer := func(value map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(value)
	}
	if r.Method != http.MethodGet {
		k.writes = append(k.writes, r.Method)
	}
	resource := func(name, kind string, namespaced bool) map[string]any {
		return map[string]any{"name": name, "kind": kind, "namespaced": namespaced, "verbs": []string{"get"}}
	}
	object := func(kind, name string) map[string]any {
		return map[string]any{"kind": kind, "apiVersion": "v1", "metadata": map[string]any{"name": name, "uid": "u", "resourceVersion": "1"}}
	}
	switch path := r.URL.Path; {
	case path == "/api/v1":
		answer(map[string]any{"kind": "APIResourceList", "groupVersion": "v1", "resources": []any{
			resource("secrets", "Secret", true), resource("namespaces", "Namespace", false),
		}})
	case path == "/api/v1/namespaces/s":
		if r.Method == http.MethodPatch {
			var sent metav1.PartialObjectMetadata
			_ = json.NewDecoder(r.Body).Decode(&sent)
			k.noted = sent.Annotations["kupenstack.io/installation"]
		}
		namespace := object("Namespace", "s")
		if k.noted != "" {
			namespace["metadata"].(map[string]any)["annotations"] = map[string]any{"kupenstack.io/installation": k.noted}
		}
		answer(namespace)
	case path == "/api/v1/namespaces/s/secrets" && r.Method == http.MethodPost:
		var sent struct {
			Data map[string]any `json:"data"`
		}
		_ = json.NewDecoder(r.Body).Decode(&sent)
		k.secret = sent.Data
		answer(object("Secret", "kupenstack-installation"))
	case path == "/api/v1/namespaces/s/secrets/kupenstack-installation" && k.secret != nil:
		secret := object("Secret", "kupenstack-installation")
		secret["data"] = k.secret
		answer(secret)
	default:
		w.WriteHeader(http.StatusNotFound)
		answer(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": http.StatusNotFound})
	}
}

// A running process writes again what it was started with, of which something else still tells, and nothing
// else: never another key over one that is there.
func TestKeepInstallation(t *testing.T) {
	const id, key = "the-id", "the key that nobody may see"
	data := func(id, key string) map[string]any {
		encode := base64.StdEncoding.EncodeToString
		return map[string]any{"id": encode([]byte(id)), "key": encode([]byte(key))}
	}
	for _, test := range []struct {
		name     string
		noted    string
		secret   map[string]any
		restored string // a part of what it says
		lost     string // a part of the error
	}{
		{name: "all is there", noted: id, secret: data(id, key)},
		{name: "the Secret is gone", noted: id, restored: "Secret s/kupenstack-installation"},
		{name: "the annotation is gone", secret: data(id, key), restored: "the annotation"},
		{name: "both are gone", lost: "kubectl annotate namespace s kupenstack.io/installation=the-id"},
		{name: "another key", noted: id, secret: data(id, "another"), lost: "restore the Secret from a backup"},
		{name: "another installation", noted: id, secret: data("another", "another"), lost: "restore the Secret from a backup"},
		{name: "a damaged Secret", noted: id, secret: map[string]any{"id": "eA=="}, lost: "restore the Secret from a backup"},
		{name: "another id", noted: "another", secret: data(id, key), lost: "write that id there"},
		{name: "another id and no Secret", noted: "another", lost: "write that id there"},
		{name: "a person begins anew", noted: "new", secret: data(id, key)},
		{name: "a person begins anew without the Secret", noted: "new"},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := &keeper{noted: test.noted, secret: test.secret}
			server := httptest.NewServer(k)
			defer server.Close()
			c, err := kube.New(kube.Options{Access: kube.NewAccess(&rest.Config{Host: server.URL}), SystemNamespace: "s"})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			restored, err := c.KeepInstallation(t.Context(), id, redact.NewSecret(key))
			if !strings.Contains(restored, test.restored) || (restored == "") != (test.restored == "") {
				t.Errorf("restored %q", restored)
			}
			switch {
			case test.lost == "" && err != nil, test.lost != "" && !errors.Is(err, kube.ErrLost):
				t.Errorf("error: %v", err)
			case err != nil && (!strings.Contains(err.Error(), test.lost) || strings.Contains(err.Error(), "nobody may see")):
				t.Errorf("error: %v", err)
			}
			if len(k.writes) > 1 || (len(k.writes) > 0) != (test.restored != "") {
				t.Errorf("wrote %q", k.writes)
			}
			if test.restored != "" && (k.noted != id || k.secret["id"] != data(id, key)["id"] || k.secret["key"] != data(id, key)["key"]) {
				t.Errorf("it is %q, %v", k.noted, k.secret)
			}
		})
	}
}
