package kube

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/test/await"
)

// watchedKeeper is an API server with the namespace and the Secret of an installation, and streams for both.
type watchedKeeper struct {
	mutex   sync.Mutex
	secret  map[string]any
	away    bool // nothing is answered
	refuses bool // there are no lists, and no streams
	asked   int  // for single objects
	streams int  // that are open
	over    chan struct{}
	events  chan map[string]any // to who watches Secrets
}

const keptID, keptKey = "the-id", "the key that nobody may see"

func keptSecret(version, key string) map[string]any {
	encode := base64.StdEncoding.EncodeToString
	return map[string]any{
		"kind": "Secret", "apiVersion": "v1", "data": map[string]any{"id": encode([]byte(keptID)), "key": encode([]byte(key))},
		"metadata": map[string]any{
			"name": installation, "namespace": "s", "uid": "u", "resourceVersion": version, "labels": map[string]any{LabelManagedBy: ManagedBy},
		},
	}
}

func statusDocument(code int, reason string) map[string]any {
	return map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason}
}

func (k *watchedKeeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const secrets, one = "/api/v1/namespaces/s/secrets", "/api/v1/namespaces/s/secrets/" + installation
	answer := func(status int, value map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value)
	}
	list := func(kind string, items ...any) {
		answer(http.StatusOK, map[string]any{"kind": kind, "apiVersion": "v1", "metadata": map[string]any{"resourceVersion": "1"}, "items": items})
	}
	resource := func(name, kind string, namespaced bool) any {
		return map[string]any{"name": name, "kind": kind, "namespaced": namespaced, "verbs": []string{"get", "list", "watch"}}
	}
	namespace := map[string]any{"kind": "Namespace", "apiVersion": "v1", "metadata": map[string]any{
		"name": "s", "uid": "n", "resourceVersion": "1", "annotations": map[string]any{annotationInstallation: keptID},
	}}
	k.mutex.Lock()
	secret, away, refuses := maps.Clone(k.secret), k.away, k.refuses
	if r.URL.Path == one || r.URL.Path == "/api/v1/namespaces/s" {
		k.asked++
	}
	k.mutex.Unlock()
	switch query := r.URL.Query(); {
	case away:
		answer(http.StatusInternalServerError, statusDocument(http.StatusInternalServerError, "InternalError"))
	case r.URL.Path == "/api/v1":
		answer(http.StatusOK, map[string]any{"kind": "APIResourceList", "groupVersion": "v1", "resources": []any{
			resource("secrets", "Secret", true), resource("namespaces", "Namespace", false),
		}})
	case r.URL.Path == "/api/v1/namespaces/s":
		answer(http.StatusOK, namespace)
	case r.URL.Path == one && secret != nil:
		answer(http.StatusOK, secret)
	case r.URL.Path == one:
		answer(http.StatusNotFound, statusDocument(http.StatusNotFound, "NotFound"))
	case refuses:
		answer(http.StatusForbidden, statusDocument(http.StatusForbidden, "Forbidden"))
	case query.Get("sendInitialEvents") != "": // as one that does not stream a first list
		answer(http.StatusUnprocessableEntity, statusDocument(http.StatusUnprocessableEntity, "Invalid"))
	case query.Get("watch") != "":
		k.stream(w, r, r.URL.Path == secrets)
	case r.URL.Path == secrets && secret != nil:
		list("SecretList", secret)
	case r.URL.Path == secrets:
		list("SecretList")
	default:
		list("NamespaceList", namespace)
	}
}

func (k *watchedKeeper) stream(w http.ResponseWriter, r *http.Request, ofSecrets bool) {
	k.mutex.Lock()
	over, events := k.over, k.events
	k.streams++
	k.mutex.Unlock()
	defer func() {
		k.mutex.Lock()
		defer k.mutex.Unlock()
		k.streams--
	}()
	if !ofSecrets {
		events = nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	for {
		_ = http.NewResponseController(w).Flush()
		select {
		case event := <-events:
			_ = json.NewEncoder(w).Encode(event)
		case <-over:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// set changes the server, and returns how often it was asked for single objects before.
func (k *watchedKeeper) set(change func()) (asked int) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	change()
	return k.asked
}

// What the watches show of the installation is believed as long as they are in order and all is well by them. However a
// watch is broken, the cluster is asked, or the change is told, and what is not known is not lost.
func TestTheInstallationAsWatched(t *testing.T) {
	type bed struct {
		*watchedKeeper
		t     *testing.T
		c     *Cluster
		heard chan struct{}
	}
	down := func(b *bed) { // the watches notice
		b.set(func() { close(b.over) })
		for _, key := range []watchKey{{apiVersion: "v1", kind: "Secret", namespace: "s"}, {apiVersion: "v1", kind: "Namespace"}} {
			await.Until(b.t, "the end of the watch of "+key.String(), func() bool { return b.c.watches.byKey[key].failure() != nil })
		}
	}
	for name, test := range map[string]struct {
		happens func(*bed)
		asked   bool   // for the objects
		fails   string // a part of the error
		lost    bool
	}{
		"nothing": {happens: func(*bed) {}},
		"another key": {happens: func(b *bed) {
			b.set(func() { b.secret = keptSecret("2", "another") })
			b.events <- map[string]any{"type": "MODIFIED", "object": keptSecret("2", "another")}
			await.Receive(b.t, b.heard, "word of it")
		}, asked: true, lost: true, fails: "is not the one that this process was started with"},
		"the Secret loses its label": {happens: func(b *bed) {
			b.events <- map[string]any{"type": "DELETED", "object": keptSecret("2", keptKey)}
			await.Receive(b.t, b.heard, "word of it")
		}, asked: true},
		"no watches": {happens: func(b *bed) {
			b.set(func() { b.refuses = true })
			down(b)
		}, asked: true},
		"no watches, and another key": {happens: func(b *bed) {
			b.set(func() { b.refuses, b.secret = true, keptSecret("2", "another") })
			down(b)
		}, asked: true, lost: true, fails: "is not the one"},
		"no server": {happens: func(b *bed) {
			b.set(func() { b.away, b.secret = true, nil })
			down(b)
		}, asked: true, fails: "read"},
		"another key, and the version that is watched from is too old": {happens: func(b *bed) {
			b.set(func() { b.secret = keptSecret("9", "another") })
			b.events <- map[string]any{"type": "ERROR", "object": statusDocument(http.StatusGone, "Expired")}
			await.Receive(b.t, b.heard, "word of it")
		}, asked: true, lost: true, fails: "is not the one"},
		"another key, and a stream that says nothing and does not end": {happens: func(b *bed) {
			b.set(func() { b.secret = keptSecret("2", "another") })
			w := b.c.watches.byKey[watchKey{apiVersion: "v1", kind: "Secret", namespace: "s"}]
			w.mu.Lock()
			defer w.mu.Unlock()
			w.reached = w.reached.Add(-streamLife - time.Second)
		}, asked: true, lost: true, fails: "is not the one"},
		"another key before this process": {happens: func(b *bed) {
			b.set(func() { b.secret = keptSecret("2", "another") })
			b.c = b.connect(t, b.heard)
		}, asked: true, lost: true, fails: "is not the one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &watchedKeeper{secret: keptSecret("1", keptKey), over: make(chan struct{}), events: make(chan map[string]any, 1)}
			b := &bed{watchedKeeper: k, t: t, heard: make(chan struct{}, 8)}
			b.c = k.connect(t, b.heard)
			await.Until(t, "both streams", func() (open bool) {
				k.set(func() { open = k.streams == 2 })
				return open
			})
			if _, err := b.c.KeepInstallation(t.Context(), keptID, redact.NewSecret(keptKey)); err != nil || k.set(func() {}) > 0 {
				t.Fatalf("while all is well: %v, and %d requests", err, k.asked)
			}
			test.happens(b)
			restored, err := b.c.KeepInstallation(t.Context(), keptID, redact.NewSecret(keptKey))
			if (k.set(func() {}) > 0) != test.asked || restored != "" {
				t.Errorf("%d requests for objects, restored %q", k.asked, restored)
			}
			if (err != nil) != (test.fails != "") || err != nil && !strings.Contains(err.Error(), test.fails) || errors.Is(err, ErrLost) != test.lost {
				t.Errorf("error: %v", err)
			}
		})
	}
}

// connect returns a new process's connection that watches the installation.
func (k *watchedKeeper) connect(t *testing.T, heard chan<- struct{}) *Cluster {
	t.Helper()
	server := httptest.NewServer(k)
	c, err := New(Options{Access: NewAccess(&rest.Config{Host: server.URL}), SystemNamespace: "s"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		server.Close()
	})
	cancel, err := c.InstallationChanged(t.Context(), func() { heard <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cancel)
	return c
}
