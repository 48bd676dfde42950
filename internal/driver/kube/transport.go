package kube

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/guard"
)

// requestTimeout is what any request may take that is not a watch; the API server itself gives up
// after a minute.
const requestTimeout = 60 * time.Second

// transport asks a guard before each request, and again when that has its connection, and bounds the
// time of every request that is not meant to stay open. Answers tell the time.
type transport struct {
	next    http.RoundTripper
	guard   func() error // nil allows everything
	reads   func() error // the same before requests that change nothing
	sent    func()       // nil when nobody counts
	clock   *clock
	timeout time.Duration
}

// RoundTrip sends the request unless the guard is against it.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	ask, send := guard.Reading(request.Context(), t.reads), guard.Read
	if mutates(request) {
		ask, send = t.guard, guard.Send
	}
	if ask != nil {
		if err := ask(); err != nil {
			return nil, guard.Refused(request, err)
		}
	}
	if t.sent != nil {
		t.sent()
	}
	if staysOpen(request.URL) {
		response, err := send(t.next, request, ask)
		if err == nil {
			t.clock.hear(response.Header)
		}
		return response, err
	}
	ctx, cancel := context.WithTimeout(request.Context(), t.timeout)
	response, err := send(t.next, request.WithContext(ctx), ask)
	if err != nil {
		cancel()
		return nil, err
	}
	t.clock.hear(response.Header)
	response.Body = &cancelBody{ReadCloser: response.Body, cancel: cancel}
	return response, nil
}

// WrappedRoundTripper lets client-go find the transport below, as its own wrappers do.
func (t *transport) WrappedRoundTripper() http.RoundTripper { return t.next }

// mutates tells whether a request changes something; reviews of access and dry runs do not. The lease that the guard goes
// by is written past the guard, and no other one is.
func mutates(request *http.Request) bool {
	switch request.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		return false
	}
	if slices.Contains(request.URL.Query()["dryRun"], "All") {
		return false
	}
	parts := strings.Split(strings.Trim(request.URL.Path, "/"), "/")
	if at := slices.Index(parts, "apis"); at >= 0 && len(parts) > at+1 {
		switch parts[at+1] {
		case "authorization.k8s.io", "authentication.k8s.io":
			return false
		}
	}
	return true
}

// staysOpen tells whether a request is for a stream: a watch or a log that is followed.
func staysOpen(u *url.URL) bool {
	query := u.Query()
	return isTrue(query.Get("watch")) || isTrue(query.Get("follow"))
}

func isTrue(value string) bool { return value == "true" || value == "1" }

// cancelBody ends the deadline of a request once its answer has been read.
type cancelBody struct {
	io.ReadCloser
	cancel context.CancelFunc
	once   sync.Once
}

// Close closes the body and frees the timer.
func (b *cancelBody) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(b.cancel)
	return err
}
