package web_test

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/driver/web"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestAsk(t *testing.T) {
	var agent atomic.Value
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	hang := make(chan struct{})
	pages := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent.Store(r.UserAgent())
		if r.Method != http.MethodGet {
			t.Errorf("a %s was sent", r.Method)
		}
		switch r.URL.Path {
		case "/good":
			w.WriteHeader(http.StatusNoContent)
		case "/moved":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/hangs":
			<-hang
		default:
			http.Error(w, "the canary-password is wrong", http.StatusServiceUnavailable)
		}
	})
	plain, secure := httptest.NewServer(pages), httptest.NewTLSServer(pages)
	defer plain.Close()
	defer secure.Close()
	defer close(hang)
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}))
	for _, c := range []struct {
		name    string
		check   unit.Check
		reach   unit.Reach
		message string
	}{
		{"any good status", unit.Check{URL: plain.URL + "/good"}, unit.ReachAnswers, ""},
		{"the one that was asked for", unit.Check{URL: plain.URL + "/bad", Status: 503}, unit.ReachAnswers, ""},
		{"another one", unit.Check{URL: plain.URL + "/good", Status: 200}, unit.ReachRefuses, "/good: 204 No Content"},
		{"a bad one", unit.Check{URL: plain.URL + "/bad"}, unit.ReachRefuses, "/bad: 503 Service Unavailable"},
		{"a redirect", unit.Check{URL: plain.URL + "/moved"}, unit.ReachRefuses, "/moved: 302 Found"},
		{"a redirect that was asked for", unit.Check{URL: plain.URL + "/moved", Status: 302}, unit.ReachAnswers, ""},
		{"an authority that is known", unit.Check{URL: secure.URL + "/good", CA: ca}, unit.ReachAnswers, ""},
		{"one that is not", unit.Check{URL: secure.URL + "/good"}, unit.ReachUnknown, "its certificate is not trusted"},
		{"no authority", unit.Check{URL: secure.URL + "/good", CA: "none"}, unit.ReachRefuses, "ca has no certificate"},
		{"no answer", unit.Check{URL: plain.URL + "/hangs"}, unit.ReachUnknown, "/hangs: no answer in time"},
		{"nobody there", unit.Check{URL: "http://127.0.0.1:1/"}, unit.ReachUnknown, "the connection is refused"},
	} {
		limit := time.Minute
		if c.name == "no answer" {
			limit = 100 * time.Millisecond
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		answer := web.New("kupenstack-test/1", nil).Ask(ctx, c.check)
		cancel()
		if answer.Reach != c.reach || !strings.Contains(answer.Message, c.message) || strings.Contains(answer.Message, "canary") {
			t.Errorf("%s: got %q, %q", c.name, answer.Reach, answer.Message)
		}
	}
	if agent.Load() != "kupenstack-test/1" || elsewhere.Load() > 0 {
		t.Errorf("the agent is %q, and %d redirects were followed", agent.Load(), elsewhere.Load())
	}
}
