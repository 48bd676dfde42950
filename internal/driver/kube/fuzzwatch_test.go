package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// fuzzStream is an API server in the process that has two ConfigMaps in whatever list. It answers one watch, the one that a list
// comes through or the one after a list, and says nothing on the next ones.
type fuzzStream struct {
	initial bool // it is the one that a list comes through
	status  int
	body    []byte

	mutex sync.Mutex
	told  int // how many times it was answered
}

const fuzzedKept = `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[` +
	`{"metadata":{"name":"a","namespace":"n","resourceVersion":"3","uid":"u"}},{"metadata":{"name":"b","namespace":"n","resourceVersion":"4"}}]}`

func (s *fuzzStream) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := func(status int, body io.Reader) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(body), Request: r}, nil
	}
	query := r.URL.Query()
	whole := query.Has("sendInitialEvents")
	switch {
	case !query.Has("watch"):
		return answer(http.StatusOK, bytes.NewReader([]byte(fuzzedKept)))
	case s.first(whole):
		return answer(s.status, bytes.NewReader(s.body))
	case whole:
		return answer(http.StatusUnprocessableEntity, bytes.NewReader([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)))
	}
	return answer(http.StatusOK, silent{r.Context()})
}

func (s *fuzzStream) first(whole bool) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if whole != s.initial || s.told > 0 {
		return false
	}
	s.told++
	return true
}

// silent is a body that nothing comes through.
type silent struct{ ctx context.Context }

func (s silent) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, context.Cause(s.ctx)
}

// fuzzedEvents are what a stream says of objects, as far as it can be read.
type fuzzedEvents struct {
	deleted, shown map[string]bool
	ends           bool // of what there is at first
}

func eventsOf(body []byte) fuzzedEvents {
	events := fuzzedEvents{deleted: map[string]bool{}, shown: map[string]bool{}}
	for decoder := json.NewDecoder(bytes.NewReader(body)); ; {
		var raw json.RawMessage
		if decoder.Decode(&raw) != nil {
			return events
		}
		var event map[string]any // the case of keys counts, other than in a struct
		if json.Unmarshal(raw, &event) != nil {
			continue
		}
		name, _, _ := unstructured.NestedString(event, "object", "metadata", "name")
		switch event["type"] {
		case "DELETED":
			events.deleted[name] = true
		case "ADDED", "MODIFIED":
			events.shown[name] = true
		case "BOOKMARK":
			events.ends = true
		}
	}
}

// FuzzWatch has an API server say anything on a watch: events, bookmarks, errors, halves of them. Whatever it is, nothing
// panics, the watch goes on, an object is gone only where the stream says that it was deleted or that it was all there is,
// and there is none that nobody told of.
func FuzzWatch(f *testing.F) {
	const (
		object   = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n","resourceVersion":"9","uid":"u"},"data":{"k":"v"}}`
		other    = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","namespace":"n","resourceVersion":"10"}}`
		bookmark = `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"12"}}}`
		end      = `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"12","annotations":{"k8s.io/initial-events-end":"true"}}}}`
		expired  = `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old resource version","reason":"Expired","code":410}}`
		failure  = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","reason":"NotFound","code":404}`
	)
	event := func(kind, object string) string { return `{"type":"` + kind + `","object":` + object + "}\n" }
	for _, initial := range []bool{false, true} {
		for i, body := range []string{
			``, `null`, `{}`, `[]`, "\x00\x00\x00\x05hello", event("MODIFIED", object), event("DELETED", object), event("ADDED", other) + event("DELETED", other), event("ADDED", object) + event("ADDED", other) + end,
			end, bookmark, expired, event("ADDED", other) + expired, event("ERROR", object), event("ERROR", `null`), event("ERROR", `{"kind":"Status","apiVersion":"v1","status":"Failure","code":500,"details":{"retryAfterSeconds":1}}`),
			event("DELETED", failure), event("ADDED", failure), event("ADDED", `null`), event("", object), event("OTHER", object), event("DELETED", `{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}`),
			event("DELETED", `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}`), event("DELETED", `{"metadata":{"name":"a","namespace":"n"}}`), event("MODIFIED", `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":7,"namespace":["n"],"labels":3}}`),
			event("ADDED", `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}`), event("DELETED", object)[:60], event("MODIFIED", `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a","namespace":"n"}}`), failure,
		} {
			f.Add(uint8(i), initial, []byte(body))
		}
	}
	statuses := []int{http.StatusOK, http.StatusOK, http.StatusOK, http.StatusNotFound, http.StatusGone, http.StatusInternalServerError, http.StatusNoContent, http.StatusTooManyRequests}
	f.Fuzz(func(t *testing.T, n uint8, initial bool, body []byte) {
		synctest.Test(t, func(t *testing.T) {
			s := &fuzzStream{initial: initial, status: statuses[int(n)%len(statuses)], body: body}
			client, err := dynamic.NewForConfig(&rest.Config{Host: "http://cluster.example.org", Transport: s})
			if err != nil {
				t.Fatal(err)
			}
			events := eventsOf(body)
			var told sync.Map
			w, err := newWatch(watchKey{apiVersion: "v1", kind: "ConfigMap", namespace: "n"}, client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace("n"), client,
				func(*watch) {}, func(old, object *unstructured.Unstructured, ref unit.ObjectRef) {
					if object == nil {
						told.Store(ref.Name, true)
					}
				})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { w.informer.RunWithContext(ctx) })
			defer running.Wait()
			defer cancel()
			time.Sleep(5 * time.Minute) // by the clock of the test: longer than it pauses after whatever failed, shorter than a stream lasts
			synctest.Wait()
			if !w.informer.HasSynced() || s.told == 0 {
				t.Fatalf("it has no list after %d answers of %q: %v", s.told, body, w.failure())
			}
			if err := w.failure(); err != nil {
				t.Errorf("it does not go on after %q: %v", body, err)
			}
			lists := initial && events.ends // what it says may be all there is
			for _, name := range []string{"a", "b"} {
				if w.get(name) == nil && !events.deleted[name] && !lists {
					t.Errorf("%s is gone by %q", name, body)
				}
			}
			told.Range(func(name, _ any) bool {
				if !events.deleted[name.(string)] && !events.shown[name.(string)] {
					t.Errorf("the end of %s is told by %q", name, body)
				}
				return true
			})
			for _, ref := range w.refs() {
				if ref.Name != "a" && ref.Name != "b" && !events.shown[ref.Name] {
					t.Errorf("there is %q by %q", ref.Name, body)
				}
			}
		})
	})
}
