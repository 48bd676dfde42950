//go:build beds

package faultproxy_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// startAPI is as much of an API server as a watch needs: it sends config map 1, 2, 3 as
// events and then keeps the watch open.
func startAPI(t *testing.T, contentType string) *httptest.Server {
	t.Helper()
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), contentType)
	if !ok {
		t.Fatalf("client-go does not know %s", contentType)
	}
	encoder := scheme.Codecs.EncoderForVersion(info.Serializer, corev1.SchemeGroupVersion)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType+";stream=watch")
		frames := info.StreamSerializer.NewFrameWriter(w)
		for i := 1; i <= 3; i++ {
			object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: strconv.Itoa(i)}, Data: map[string]string{"k": strings.Repeat("v", 10000)}}
			raw, err := runtime.Encode(encoder, object)
			if err != nil {
				t.Error(err)
			}
			event := metav1.WatchEvent{Type: string(watch.Added), Object: runtime.RawExtension{Raw: raw}}
			if err := info.StreamSerializer.Encode(&event, frames); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	return server
}

// receive returns the next event; ok is false at the end of the watch.
func receive(t *testing.T, w watch.Interface) (event watch.Event, ok bool) {
	t.Helper()
	select {
	case event, ok = <-w.ResultChan():
		return event, ok
	case <-time.After(5 * time.Minute):
		t.Fatal("nothing came from the watch")
		return watch.Event{}, false
	}
}

func TestWatchesEndAndExpire(t *testing.T) {
	tests := []struct {
		name    string
		action  faultproxy.Action             // of a rule, or else
		now     func(*faultproxy.Control) int // ends open watches and tells how many
		events  int                           // that come before the end
		expired bool
	}{
		{name: "end at once", action: faultproxy.EndWatchAfter(0)},
		{name: "end after 2", action: faultproxy.EndWatchAfter(2), events: 2},
		{name: "expire at once", action: faultproxy.ExpireWatchAfter(0), expired: true},
		{name: "expire after 2", action: faultproxy.ExpireWatchAfter(2), events: 2, expired: true},
		{name: "end now", now: func(c *faultproxy.Control) int { return c.EndWatches(faultproxy.Match{Path: "/api/**"}) }, events: 3},
		{name: "expire now", now: func(c *faultproxy.Control) int { return c.ExpireWatches(faultproxy.Match{Verb: "watch"}) }, events: 3, expired: true},
	}
	for _, contentType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		server := startAPI(t, contentType)
		for _, test := range tests {
			t.Run(contentType+", "+test.name, func(t *testing.T) {
				proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL, Classify: faultproxy.ClassifyKubernetes})
				proxy.Add(faultproxy.Rule{Action: test.action})
				client, err := kubernetes.NewForConfig(&rest.Config{Host: proxy.URL()})
				if err != nil {
					t.Fatal(err)
				}
				w, err := client.CoreV1().ConfigMaps("default").Watch(t.Context(), metav1.ListOptions{})
				if err != nil {
					t.Fatal(err)
				}
				defer w.Stop()
				for i := 1; i <= test.events; i++ {
					event, _ := receive(t, w)
					if object, ok := event.Object.(*corev1.ConfigMap); !ok || event.Type != watch.Added || object.Name != strconv.Itoa(i) {
						t.Fatalf("event %d is %+v", i, event)
					}
				}
				if test.now != nil {
					if watches, connections := proxy.Watches(), proxy.Connections(); watches != 1 || connections != 1 {
						t.Errorf("%d watches and %d connections are open, want one of each", watches, connections)
					}
					if ended := proxy.EndWatches(faultproxy.Match{Path: "/nowhere"}); ended != 0 {
						t.Errorf("%d watches match a path that nobody watches", ended)
					}
					if ended := test.now(proxy.Control); ended != 1 {
						t.Errorf("%d watches match, want one", ended)
					}
				}
				event, ok := receive(t, w)
				if test.expired {
					status, isStatus := event.Object.(*metav1.Status)
					if event.Type != watch.Error || !isStatus || status.Code != 410 || !apierrors.IsResourceExpired(apierrors.FromObject(event.Object)) {
						t.Errorf("got %+v, want an expiry", event)
					}
					event, ok = receive(t, w)
				}
				if ok {
					t.Errorf("got %+v, want the end", event)
				}
				if ended := proxy.EndWatches(faultproxy.Match{}); test.now == nil && ended != 0 {
					t.Errorf("%d watches are open after the end", ended)
				}
				if counts := proxy.Counts(); counts.Of("watch", "/api/v1/namespaces/{namespace}/configmaps") != 1 || counts.Total() != 1 {
					t.Errorf("counts are\n%v", counts)
				}
				proxy.Close() // waits for the answer to be over
				if watches, connections := proxy.Watches(), proxy.Connections(); watches != 0 || connections != 0 {
					t.Errorf("%d watches and %d connections are open after the end", watches, connections)
				}
			})
		}
	}
}

// What is no watch of a known form is passed on, ended if need be, but never given an event.
func TestWatchOfUnknownForm(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/cbor-seq")
		_, _ = io.WriteString(w, "some bytes")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
	proxy.Add(faultproxy.Rule{Action: faultproxy.ExpireWatchAfter(1)})
	_, body, _, err := do(t, newClient(t, nil), "GET", proxy.URL()+"?watch=1", nil)
	if body != "some bytes" || err != nil {
		t.Errorf("got %q, %v", body, err)
	}
	if record := proxy.Requests()[0]; !strings.Contains(record.Err, "application/cbor-seq") {
		t.Errorf("recorded %v", record)
	}
}

// A watch that breaks off at the server breaks off at the client: that is no clean end.
func TestWatchThatBreaksOff(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", runtime.ContentTypeJSON)
		_, _ = io.WriteString(w, "{}\n{")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
	_, body, _, err := do(t, newClient(t, nil), "GET", proxy.URL()+"?watch=1", nil)
	if body != "{}\n{" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v", body, err)
	}
}

// Losing the answer to a watch must not wait for the watch's end.
func TestKillAndResetAfterAWatchBegan(t *testing.T) {
	server := startAPI(t, runtime.ContentTypeJSON)
	killed := false
	for _, action := range []faultproxy.Action{faultproxy.KillAfter(func() { killed = true }), faultproxy.ResetAfter()} {
		proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
		proxy.Add(faultproxy.Rule{Limit: 1, Action: action})
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, proxy.URL()+"?watch=1", nil)
		if err != nil {
			t.Fatal(err)
		}
		// One try only: net/http would send a GET again.
		request.Header.Set("Connection", "close")
		if response, err := newClient(t, nil).Do(request); err == nil {
			_ = response.Body.Close()
			t.Error("the client got an answer")
		}
		if record := proxy.Requests()[0]; record.Upstream != 200 || record.Status != 0 || record.Err != "" {
			t.Errorf("recorded %v", record)
		}
	}
	if !killed {
		t.Error("nothing was killed")
	}
}
