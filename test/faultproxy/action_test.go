//go:build beds

package faultproxy_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

func TestResets(t *testing.T) {
	tests := []struct {
		name     string
		action   faultproxy.Action
		upstream int // requests that the target saw
	}{
		{"before", faultproxy.ResetBefore(), 0},
		{"after", faultproxy.ResetAfter(), 1},
	}
	for _, test := range tests {
		for _, encrypted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, TLS %v", test.name, encrypted), func(t *testing.T) {
				server := startTarget(t)
				proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL, TLS: encrypted})
				authorities := x509.NewCertPool()
				authorities.AppendCertsFromPEM(proxy.CA())
				client := newClient(t, &tls.Config{RootCAs: authorities})
				fault := proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "POST"}, Limit: 1, Action: test.action})
				if _, _, _, err := do(t, client, "POST", proxy.URL()+"/x", strings.NewReader("body")); !errors.Is(err, syscall.ECONNRESET) {
					t.Errorf("got %v, want a reset", err)
				}
				if got := len(server.requests()); got != test.upstream {
					t.Errorf("the target saw %d requests, want %d", got, test.upstream)
				}
				record := proxy.Requests()[0]
				if fault.Fired() != 1 || record.Status != 0 || record.Forwarded != (test.upstream == 1) || len(record.Faults) != 1 || record.Faults[0] != "reset "+test.name {
					t.Errorf("fired %d, recorded %+v", fault.Fired(), record)
				}
				if status, _, _, err := do(t, client, "POST", proxy.URL()+"/x", strings.NewReader("body")); status != 200 {
					t.Errorf("after the fault: %d %v", status, err)
				}
			})
		}
	}
}

func TestDelays(t *testing.T) {
	server, client := startTarget(t), newClient(t, nil)
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
	proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Path: "/fixed"}, Action: faultproxy.Delay(60 * time.Millisecond)})
	proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Path: "/random"}, Action: faultproxy.DelayBetween(40*time.Millisecond, 80*time.Millisecond)})
	for path, least := range map[string]time.Duration{"/fixed": 60 * time.Millisecond, "/random": 40 * time.Millisecond} {
		begin := time.Now()
		if status, _, _, err := do(t, client, "GET", proxy.URL()+path, nil); status != 200 {
			t.Fatalf("%d %v", status, err)
		}
		if took := time.Since(begin); took < least {
			t.Errorf("%s took %v, want at least %v", path, took, least)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, chunked := range []bool{false, true} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if chunked {
				_ = http.NewResponseController(w).Flush()
			}
			_, _ = io.WriteString(w, "0123456789")
		}))
		client := newClient(t, nil)
		proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
		for n, want := range map[int64]string{0: "", 4: "0123", 9: "012345678"} {
			fault := proxy.Add(faultproxy.Rule{Action: faultproxy.Truncate(n)})
			_, body, _, err := do(t, client, "GET", proxy.URL(), nil)
			if body != want || err == nil {
				t.Errorf("chunked %v, %d bytes: got %q, %v", chunked, n, body, err)
			}
			fault.Remove()
		}
		proxy.Add(faultproxy.Rule{Action: faultproxy.Truncate(10)})
		if _, body, _, err := do(t, client, "GET", proxy.URL(), nil); body != "0123456789" || err != nil {
			t.Errorf("chunked %v, as many bytes as there are: got %q, %v", chunked, body, err)
		}
		server.Close()
	}
}

func TestAnswers(t *testing.T) {
	server, client := startTarget(t), newClient(t, nil)
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
	get := func(action faultproxy.Action) (int, string, http.Header) {
		t.Helper()
		defer proxy.Add(faultproxy.Rule{Action: action}).Remove()
		status, body, header, err := do(t, client, "PUT", proxy.URL(), strings.NewReader(strings.Repeat("x", 1<<20)))
		if err != nil {
			t.Fatal(err)
		}
		return status, body, header
	}
	status, body, header := get(faultproxy.AnswerKubernetes(429, metav1.StatusReasonTooManyRequests, "slow down", 1500*time.Millisecond))
	var object metav1.Status
	if err := json.Unmarshal([]byte(body), &object); err != nil {
		t.Fatal(err)
	}
	if status != 429 || header.Get("Retry-After") != "2" || object.Kind != "Status" || object.Code != 429 ||
		object.Reason != metav1.StatusReasonTooManyRequests || object.Details.RetryAfterSeconds != 2 {
		t.Errorf("got %d %v %+v", status, header, object)
	}
	status, body, header = get(faultproxy.AnswerOpenStack(503, "maintenance", 0))
	if status != 503 || header.Get("Retry-After") != "" || body != `{"error":{"code":503,"message":"maintenance","title":"Service Unavailable"}}` {
		t.Errorf("got %d %v %s", status, header, body)
	}
	status, body, header = get(faultproxy.Answer(401, http.Header{"www-authenticate": {"Basic"}}, []byte("who?")))
	if status != 401 || header.Get("WWW-Authenticate") != "Basic" || body != "who?" {
		t.Errorf("got %d %v %s", status, header, body)
	}
	status, body, _ = get(faultproxy.AnswerKubernetes(409, metav1.StatusReasonConflict, "changed meanwhile", 0))
	if status != 409 || !strings.Contains(body, `"reason":"Conflict"`) {
		t.Errorf("got %d %s", status, body)
	}
	if seen := server.requests(); len(seen) != 0 {
		t.Errorf("the target saw %v", seen)
	}
	status, body, _ = get(faultproxy.After(faultproxy.Answer(409, nil, []byte("it is there"))))
	if seen := server.requests(); status != 409 || body != "it is there" || len(seen) != 1 {
		t.Errorf("got %d %s, and the target saw %v", status, body, seen)
	}
	if got := proxy.Requests()[len(proxy.Requests())-1]; !slices.Equal(got.Faults, []string{"answer 409 after"}) || !got.Forwarded {
		t.Errorf("recorded %+v", got)
	}
}

func TestWrapAndOrderOfActions(t *testing.T) {
	server, client := startTarget(t), newClient(t, nil)
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
	proxy.Add(faultproxy.Rule{Action: faultproxy.Wrap("mark", func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Marked", "yes")
			next.ServeHTTP(w, r)
		})
	})})
	proxy.Add(faultproxy.Rule{Action: faultproxy.Answer(500, nil, nil)})
	hidden := proxy.Add(faultproxy.Rule{Action: faultproxy.ResetBefore()})
	status, _, header, err := do(t, client, "GET", proxy.URL(), nil)
	if status != 500 || header.Get("Marked") != "yes" || err != nil {
		t.Errorf("got %d %v %v", status, header, err)
	}
	if got := strings.Join(proxy.Requests()[0].Faults, ","); got != "mark,answer 500,reset before" || hidden.Fired() != 1 {
		t.Errorf("recorded %q, the hidden one fired %d times", got, hidden.Fired())
	}
}

// Many clients at once: what is forwarded until the kill is exactly the chosen number, and
// afterwards nothing of the killed clients comes through.
func TestKillIsASharpCut(t *testing.T) {
	const at, clients = 7, 10
	for name, test := range map[string]struct {
		action   func(func()) faultproxy.Action
		upstream int
	}{
		"before": {faultproxy.KillBefore, at - 1},
		"after":  {faultproxy.KillAfter, at},
	} {
		t.Run(name, func(t *testing.T) {
			server := startTarget(t)
			proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
			alive, die := context.WithCancel(t.Context())
			defer die()
			kills, seenAtKill := 0, 0
			fault := proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "POST"}, Nth: at, Action: test.action(func() {
				kills++
				die()
				seenAtKill = len(server.requests())
			})})
			var all sync.WaitGroup
			for range clients {
				client := newClient(t, nil)
				all.Go(func() {
					// Not until the first error: net/http sends again by itself what went to a connection just closed.
					for alive.Err() == nil {
						request, _ := http.NewRequestWithContext(alive, http.MethodPost, proxy.URL()+"/x", nil)
						if response, err := client.Do(request); err == nil {
							_, _ = io.Copy(io.Discard, response.Body)
							_ = response.Body.Close()
						}
					}
				})
			}
			all.Wait()
			if err := proxy.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if kills != 1 || fault.Fired() != 1 {
				t.Errorf("%d kills, fired %d times", kills, fault.Fired())
			}
			// The target notes a request when it gets it; requests before the seventh may still be on their way.
			if seenAtKill > test.upstream || len(server.requests()) > test.upstream {
				t.Errorf("the target saw %d requests at the kill and %d in the end, want at most %d", seenAtKill, len(server.requests()), test.upstream)
			}
			if status, _, _, err := do(t, newClient(t, nil), "POST", proxy.URL()+"/x", nil); status != 200 {
				t.Errorf("a new client got %d, %v", status, err)
			}
		})
	}
}
