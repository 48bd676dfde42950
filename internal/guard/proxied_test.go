package guard_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/guard"
)

// What a proxy writes in place of a server has nobody's password, in whichever part of the answer; what is none of the proxy's stays.
func TestBehind(t *testing.T) {
	const (
		login      = "robot:canary-proxy"
		maxRefusal = 1 << 20 // of which more is not read
	)
	encoded := base64.StdEncoding.EncodeToString([]byte(login))
	status, before, said := http.StatusForbidden, "", "no entry for "+login+", who sent "+encoded
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Said", r.Header.Get("Proxy-Authorization"))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, before+said)
	}))
	defer proxy.Close()
	address, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword("robot", "canary-proxy")
	leads := http.ProxyURL(address)
	client := http.Client{Transport: guard.Behind{Next: &http.Transport{Proxy: leads}, Proxy: leads}}
	ask := func(to string) (*http.Response, string, error) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, to, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(request)
		if err != nil {
			return nil, "", err
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		return answer, string(text), err
	}
	answer, text, err := ask("http://cloud.example.org/v3")
	if err != nil || answer.StatusCode != status || !strings.HasPrefix(text, "no entry for ") {
		t.Fatalf("got %q, %v", text, err)
	}
	for _, part := range []string{text, answer.Header.Get("X-Said"), answer.Status} {
		if strings.Contains(part, "canary") || strings.Contains(part, encoded) {
			t.Errorf("it is told: %s", part)
		}
	}
	for _, rest := range []int{maxRefusal - 20, maxRefusal - len(said) + 12} {
		before = strings.Repeat(" ", rest)
		if _, text, err := ask("http://cloud.example.org/v3"); err != nil || len(text) < rest || strings.Contains(text, "robot") || strings.Contains(text, encoded[:8]) {
			t.Errorf("of a long answer, behind %d bytes, it is told: %v, %s", rest, err, strings.TrimSpace(text))
		}
	}
	before = ""
	status = http.StatusOK
	if _, text, err := ask("http://cloud.example.org/v3"); err != nil || !strings.Contains(text, login) {
		t.Errorf("a good answer is another one: %q, %v", text, err)
	}
	client.Transport = guard.Behind{Next: failing{errors.Join(io.ErrUnexpectedEOF, errors.New("no entry for "+login))}, Proxy: leads}
	if _, _, err := ask("https://cluster.example.org/"); err == nil || strings.Contains(err.Error(), "canary") || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
	for _, timeout := range []bool{true, false} {
		said := &net.DNSError{Err: "no entry for " + login, IsTimeout: timeout}
		client.Transport = guard.Behind{Next: failing{fmt.Errorf("dial: %w", said)}, Proxy: leads}
		_, _, err := ask("https://cluster.example.org/")
		var of net.Error // by which libraries tell what is worth another attempt
		if !errors.As(err, &of) || of.Timeout() != timeout || strings.Contains(of.Error(), "canary") {
			t.Errorf("of one that is a timeout (%t) it is told: %v", timeout, err)
		}
	}
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }
