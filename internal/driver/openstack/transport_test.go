package openstack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTransportRepeatsOnlyWhatIsSafe(t *testing.T) {
	for _, test := range []struct {
		method string
		status int
		times  int
	}{
		{http.MethodGet, 503, attempts},
		{http.MethodGet, 500, attempts},
		{http.MethodGet, 404, 1},
		{http.MethodPost, 500, 1},
		{http.MethodPost, 503, 1},
		{http.MethodPut, 502, 1},
		{http.MethodPost, 429, attempts},
		{http.MethodDelete, 504, 1},
	} {
		t.Run(fmt.Sprint(test.method, " ", test.status), func(t *testing.T) {
			sent, counted := 0, 0
			answer := roundTripper(func(r *http.Request) (*http.Response, error) {
				sent++
				if body, _ := io.ReadAll(r.Body); r.Method == http.MethodPost && string(body) != "body" {
					t.Errorf("attempt %d has the body %q", sent, body)
				}
				return &http.Response{StatusCode: test.status, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
			})
			synctest.Test(t, func(t *testing.T) { // as there are pauses between the attempts
				client, began := &http.Client{Transport: &transport{base: answer, sent: func() { counted++ }}}, time.Now()
				request, _ := http.NewRequestWithContext(t.Context(), test.method, "http://nova.example", strings.NewReader("body"))
				response, err := client.Do(request)
				if err != nil || response.StatusCode != test.status || sent != test.times || counted != sent {
					t.Errorf("sent %d times, counted as %d, want %d (%v)", sent, counted, test.times, err)
				}
				least := firstPause * (1<<(test.times-1) - 1)
				if took := time.Since(began); took < least || took > least*5/4+time.Millisecond {
					t.Errorf("took %v, want %v and a little more", took, least)
				}
			})
		})
	}
}

func TestTransportAsksTheGuard(t *testing.T) {
	asked, sent := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	client := &http.Client{Transport: &transport{base: http.DefaultTransport, sent: func() { sent++ }, guard: func() error { asked++; return unit.ErrNotWriter }}}
	for _, test := range []struct {
		method, path string
		held         bool
	}{
		{http.MethodGet, "/v2.0/networks", false},
		{http.MethodPost, "/v3/auth/tokens", false},
		{http.MethodPost, "/v2.0/networks", true},
		{http.MethodPatch, "/v2/images/x", true},
		{http.MethodPut, "/v2.0/networks/x", true},
		{http.MethodDelete, "/v2.0/networks/x", true},
	} {
		request, _ := http.NewRequestWithContext(t.Context(), test.method, server.URL+test.path, http.NoBody)
		_, err := client.Do(request)
		if errors.Is(err, unit.ErrNotWriter) != test.held {
			t.Errorf("%s %s: %v", test.method, test.path, err)
		}
	}
	if asked != 4 || sent != 2 {
		t.Errorf("the guard was asked %d times, and %d requests were counted", asked, sent)
	}
	// What reads, a login included, asks another one.
	client = &http.Client{Transport: &transport{base: http.DefaultTransport, sent: func() { sent++ }, reads: func() error { return unit.ErrNotWriter }}}
	for method, path := range map[string]string{http.MethodGet: "/v2.0/networks", http.MethodHead: "/v3/users", http.MethodPost: "/v3/auth/tokens"} {
		request, _ := http.NewRequestWithContext(t.Context(), method, server.URL+path, http.NoBody)
		if _, err := client.Do(request); !errors.Is(err, unit.ErrNotWriter) {
			t.Errorf("%s %s: %v", method, path, err)
		}
	}
	if sent != 2 {
		t.Errorf("%d requests that read were counted", sent-2)
	}
}

func TestMessages(t *testing.T) {
	for body, want := range map[string]string{
		`{"NeutronError": {"type": "OverQuota", "message": "Quota exceeded", "detail": ""}}`:                         "Quota exceeded",
		`{"badRequest": {"code": 400, "message": "Invalid input for field user_data. Value: c2VjcmV0. Not base64"}}`: "Invalid input for field user_data.",
		`{"error": {"code": 409, "title": "Conflict", "message": "Duplicate  entry\nfound"}}`:                        "Duplicate entry found",
		`{"message": "no, its address<br /><br />\n\n", "code": 1}`:                                                  "no, its address",
		`<html><head><title>403</title></head><body><h1>403</h1>Image is &amp;</body></html>`:                        "403 Image is &",
		`surprise`: "",
	} {
		_, message := readMessage([]byte(body))
		if got := shorten(message); got != want {
			t.Errorf("%s gives %q, want %q", body, got, want)
		}
	}
	if got := shorten(strings.Repeat("ä", 1000)); len([]rune(got)) != longestMessage+1 {
		t.Errorf("%d characters", len([]rune(got)))
	}
}

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		err     *apiError
		during  step
		blocked bool
		later   bool
	}{
		{&apiError{status: 400}, creating, true, false},
		{&apiError{status: 403}, updating, true, false},
		{&apiError{status: 403, message: "Quota exceeded for cores"}, creating, false, true},
		{&apiError{status: 409}, creating, true, false},
		{&apiError{status: 409, service: serviceNetwork}, updating, true, false},
		{&apiError{status: 409, service: serviceCompute}, updating, false, false},
		{&apiError{status: 409}, deleting, false, false},
		{&apiError{status: 409, kind: "OverQuota"}, creating, false, true},
		{&apiError{status: 500}, creating, false, false},
	} {
		err := judge(test.err, test.during)
		if unit.IsBlocked(err) != test.blocked || (unit.RetryAfter(err) > 0) != test.later {
			t.Errorf("%+v: blocked %t, later %s", test.err, unit.IsBlocked(err), unit.RetryAfter(err))
		}
	}
}

func TestNextPage(t *testing.T) {
	for name, answer := range map[string]map[string]any{
		"neutron":  {"networks_links": []any{map[string]any{"rel": "previous", "href": "http://x/?marker=a"}, map[string]any{"rel": "next", "href": "http://inside:9696/v2.0/networks?limit=2&marker=b"}}},
		"glance":   {"next": "/v2/images?limit=2&marker=b"},
		"keystone": {"links": map[string]any{"next": "http://x/v3/projects?limit=2&marker=b"}},
	} {
		if got, more := nextPage(answer, "networks"); !more || got.Get("marker") != "b" || got.Get("limit") != "2" {
			t.Errorf("%s: %v, %t", name, got, more)
		}
	}
	if got, more := nextPage(map[string]any{"links": map[string]any{"next": nil}}, "projects"); more {
		t.Errorf("the last page leads to %v", got)
	}
	for _, unreadable := range []string{"%", "/v2/images"} {
		if got, more := nextPage(map[string]any{"next": unreadable}, "images"); !more || got != nil {
			t.Errorf("%q leads to %v, %t", unreadable, got, more)
		}
	}
}

func TestVerifiedKeepsTheEndBack(t *testing.T) {
	for _, size := range []int{0, 1, verifyChunk, verifyChunk + 1, 3 * verifyChunk} {
		content := strings.Repeat("x", size)
		good, err := newVerified(strings.NewReader(content), "sha256:"+digestOf(content), func() {})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(good); err != nil || string(got) != content || good.problem() != nil {
			t.Errorf("%d bytes: %d came, %v, %v", size, len(got), err, good.problem())
		}
		bad, err := newVerified(strings.NewReader(content), "sha256:"+digestOf("other"), func() {})
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(bad)
		if !unit.IsBlocked(err) || !unit.IsBlocked(bad.problem()) || size > 0 && len(got) >= size {
			t.Errorf("%d wrong bytes: %d came, %v", size, len(got), err)
		}
	}
}

func TestTransportLogsWhoSaidNo(t *testing.T) {
	const id = "req-01234567-89ab-cdef-0123-456789abcdef"
	for _, test := range []struct {
		status     int
		header, id string
		want       string
	}{
		{500, "X-Openstack-Request-Id", id, `{"level":"info","method":"POST","host":"nova.example","path":"/servers","status":500,"request_id":"` + id + `","message":"OpenStack says no"}`},
		{409, "X-Compute-Request-Id", id, `{"level":"info","method":"POST","host":"nova.example","path":"/servers","status":409,"request_id":"` + id + `","message":"OpenStack says no"}`},
		{400, "X-Openstack-Request-Id", id, `{"level":"info","method":"POST","host":"nova.example","path":"/servers","status":400,"request_id":"` + id + `","message":"OpenStack says no"}`},
		{403, "X-Openstack-Request-Id", id, `{"level":"info","method":"POST","host":"nova.example","path":"/servers","status":403,"request_id":"` + id + `","message":"OpenStack says no"}`},
		{413, "X-Openstack-Request-Id", id, `{"level":"info","method":"POST","host":"nova.example","path":"/servers","status":413,"request_id":"` + id + `","message":"OpenStack says no"}`},
		{401, "X-Openstack-Request-Id", id, `{"level":"debug","method":"POST","host":"nova.example","path":"/servers","status":401,"request_id":"` + id + `","message":"OpenStack says no"}`},
		{409, "X-Openstack-Request-Id", "req-canary", `{"level":"info","method":"POST","host":"nova.example","path":"/servers","status":409,"request_id":"","message":"OpenStack says no"}`},
		{404, "X-Openstack-Request-Id", id, ""},
		{201, "X-Openstack-Request-Id", id, ""},
	} {
		var log bytes.Buffer
		answer := roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: test.status, Header: http.Header{test.header: {test.id}}, Body: http.NoBody, Request: r}, nil
		})
		client := &http.Client{Transport: &transport{base: answer, log: zerolog.New(&log)}}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://nova.example/servers?token=canary", strings.NewReader("canary"))
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if got := strings.TrimSpace(log.String()); got != test.want {
			t.Errorf("%d: got %s, want %s", test.status, got, test.want)
		}
	}
}
