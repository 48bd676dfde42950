package kube

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestMutates(t *testing.T) {
	tests := []struct {
		request string
		want    bool
	}{
		{"GET /api/v1/namespaces/n/secrets", false},
		{"POST /api/v1/namespaces/n/secrets", true},
		{"POST /api/v1/namespaces", true},
		{"DELETE /api/v1/namespaces/events", true}, // a namespace of that name
		{"PUT /apis/apps/v1/namespaces/n/deployments/d", true},
		{"PATCH /apis/apps/v1/namespaces/n/deployments/d?fieldManager=x&force=true", true},
		{"PATCH /apis/apps/v1/namespaces/n/deployments/d?dryRun=All", false},
		{"PUT /apis/coordination.k8s.io/v1/namespaces/n/leases/l", true},
		{"DELETE /apis/coordination.k8s.io/v1/namespaces/n/leases/l", true},
		{"POST /api/v1/namespaces/n/events", true},
		{"PATCH /api/v1/namespaces/n/events/e", true},
		{"POST /apis/events.k8s.io/v1/namespaces/n/events", true},
		{"POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews", false},
		{"POST /proxied/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", false},
		{"DELETE /proxied/api/v1/namespaces/n/configmaps/c", true},
		{"POST /proxied/api/v1/namespaces/n/events", true},
		{"PATCH /api/v1/nodes/events", true},
	}
	for _, test := range tests {
		method, target, _ := strings.Cut(test.request, " ")
		if got := mutates(httptest.NewRequest(method, target, nil)); got != test.want {
			t.Errorf("%s: got %v", test.request, got)
		}
	}
}

func TestTransportGuardsAndBounds(t *testing.T) {
	release := make(chan struct{})
	sent := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		sent <- r.URL.RawQuery
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	var counted atomic.Int64
	client := &http.Client{Transport: &transport{
		clock: &clock{},
		sent:  func() { counted.Add(1) },
		next:  http.DefaultTransport, timeout: 50 * time.Millisecond, guard: func() error { return unit.ErrNotWriter },
	}}
	do := func(method, target string, body io.Reader) error {
		request, err := http.NewRequestWithContext(context.Background(), method, server.URL+target, body)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err == nil {
			response.Body.Close()
		}
		return err
	}
	body := &closed{Reader: strings.NewReader("{}")}
	if err := do(http.MethodPost, "/api/v1/namespaces", body); !errors.Is(err, unit.ErrNotWriter) || len(sent) > 0 || !body.closed {
		t.Errorf("guarded: %v, sent %d, body closed %v", err, len(sent), body.closed)
	}
	if n := counted.Load(); n != 0 {
		t.Errorf("what was not sent was counted %d times", n)
	}
	if err := do(http.MethodGet, "/api/v1/namespaces", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server that does not answer: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- do(http.MethodGet, "/api/v1/namespaces?watch=true", nil) }()
	for <-sent != "watch=true" { // the time of the first one may have been over before it got there
	}
	select {
	case err := <-done:
		t.Errorf("the watch ended: %v", err)
	case <-time.After(200 * time.Millisecond): // four times what others may take
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := counted.Load(); n != 2 {
		t.Errorf("a request and a watch were counted as %d", n)
	}
}

type closed struct {
	io.Reader
	closed bool
}

func (c *closed) Close() error {
	c.closed = true
	return nil
}
