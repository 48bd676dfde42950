//go:build beds

package faultproxy_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// TestRulesThatLookIntoBodies has rules go by what a request says in its body, where the proxy reads that ahead. The server
// gets all of it, also where it is more than rules see.
func TestRulesThatLookIntoBodies(t *testing.T) {
	large := strings.Repeat("l", 100<<10)
	got := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- string(text)
	}))
	t.Cleanup(server.Close)
	proxy := faultproxy.Start(t, faultproxy.Options{
		Target: server.URL, Ahead: func(r *http.Request) bool { return r.URL.Path == "/action" },
	})
	rule := func(text string) *faultproxy.Fault {
		return proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Request: func(r *http.Request) bool { return bytes.HasPrefix(faultproxy.Body(r), []byte(text)) }}})
	}
	stop, start, long := rule("stop"), rule("start"), rule("l")
	client := newClient(t, nil)
	for _, sent := range []struct{ path, body string }{{"/action", "stop"}, {"/action", "start"}, {"/action", "start"}, {"/action", large}, {"/other", "stop"}, {"/action", ""}} {
		status, _, _, err := do(t, client, http.MethodPost, proxy.URL()+sent.path, strings.NewReader(sent.body))
		if err != nil || status != http.StatusOK {
			t.Fatalf("%d, %v", status, err)
		}
		if text := <-got; text != sent.body {
			t.Errorf("of %d bytes to %s the server got %d", len(sent.body), sent.path, len(text))
		}
	}
	if seen := []int{stop.Seen(), start.Seen(), long.Seen()}; !slices.Equal(seen, []int{1, 2, 1}) {
		t.Errorf("the rules took so many requests: %v", seen)
	}
}

// TestBodiesThatBreakOff: a request whose client goes away before all of its body came is none.
func TestBodiesThatBreakOff(t *testing.T) {
	server := startTarget(t)
	looked := make(chan struct{})
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL, Ahead: func(*http.Request) bool { close(looked); return true }})
	address, err := url.Parse(proxy.URL())
	if err != nil {
		t.Fatal(err)
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", address.Host)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, "POST /action HTTP/1.1\r\nHost: "+address.Host+"\r\nContent-Length: 10\r\n\r\nhalf"); err != nil {
		t.Fatal(err)
	}
	<-looked
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	proxy.Close() // returns once nothing of it runs
	if len(proxy.Requests()) != 0 || len(server.requests()) != 0 {
		t.Errorf("it was taken for %v, and the server got %q", proxy.Requests(), server.requests())
	}
}
