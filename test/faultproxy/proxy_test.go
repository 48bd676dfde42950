//go:build beds

package faultproxy_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// target is a server that notes what reaches it and answers "done PATH".
type target struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func startTarget(t *testing.T) *target {
	t.Helper()
	s := &target{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		fmt.Fprintf(w, "done %s", r.URL.Path)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *target) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// newClient returns a client with connections of its own.
func newClient(t *testing.T, config *tls.Config) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 5 * time.Minute}
}

// do returns the answer's status and body.
func do(t *testing.T, client *http.Client, method, url string, body io.Reader) (int, string, http.Header, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("User-Agent", "tester")
	response, err := client.Do(request)
	if err != nil {
		return 0, "", nil, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response.StatusCode, string(data), response.Header, err
}

func TestRequestsAreForwardedRecordedAndCounted(t *testing.T) {
	server, client := startTarget(t), newClient(t, nil)
	proxy := faultproxy.Start(t, faultproxy.Options{
		Target: server.URL + "/base", Name: "front", Classify: faultproxy.ClassifyOpenStack,
		Ignore: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/lease") },
	})
	const id = "0b0f9a52-6a3c-4ee9-9e0b-1f4c7f4c5d11"
	get := func(path string) {
		t.Helper()
		status, body, _, err := do(t, client, "GET", proxy.URL()+path, nil)
		if want := "done /base" + strings.SplitN(path, "?", 2)[0]; err != nil || status != 200 || body != want {
			t.Fatalf("got %d %q %v, want %q", status, body, err, want)
		}
	}
	get("/things?limit=2")
	get("/my/lease")
	before := proxy.Counts()
	get("/things/" + id)
	get("/things/" + id)

	requests := proxy.Requests()
	if len(requests) != 3 || len(server.requests()) != 4 {
		t.Fatalf("recorded %v, target saw %v", requests, server.requests())
	}
	first := requests[0]
	if first.Sequence != 1 || first.Proxy != "front" || first.Verb != "GET" || first.Path != "/things" || first.Query != "limit=2" ||
		first.UserAgent != "tester" || first.Status != 200 || first.Upstream != 200 || !first.Forwarded || time.Since(first.Time) > time.Hour {
		t.Errorf("first is %+v", first)
	}
	if requests[2].Sequence != 3 || requests[2].URLPath != "/things/"+id {
		t.Errorf("last is %+v", requests[2])
	}
	counts := proxy.Counts()
	if counts.Of("GET", "/things/{id}") != 2 || counts.Total("GET") != 3 || counts.Total("POST") != 0 {
		t.Errorf("counts are %v", counts)
	}
	if got := counts.Since(before).String(); got != "front GET /things/{id} 2" {
		t.Errorf("difference is %q", got)
	}
	if got := (faultproxy.Counts{}).Since(before).Total(); got != -1 {
		t.Errorf("backward difference is %d", got)
	}
}

// A client sees each piece as soon as the server has sent it, whether or not the server has
// said how much there will be.
func TestAnswersAreStreamed(t *testing.T) {
	const pieces, piece = 3, "piece 0\n"
	proceed := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sized" {
			w.Header().Set("Content-Length", fmt.Sprint(pieces*len(piece)))
		}
		for i := range pieces {
			fmt.Fprintf(w, "piece %d\n", i)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-proceed:
			case <-r.Context().Done():
			}
		}
	}))
	defer server.Close()
	for _, path := range []string{"/", "/sized", "/?watch=true"} {
		proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
		client := newClient(t, nil)
		client.Timeout = time.Minute // a piece that is held back never comes
		response, err := client.Get(proxy.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range pieces {
			got := make([]byte, len(piece))
			if _, err := io.ReadFull(response.Body, got); err != nil || string(got) != fmt.Sprintf("piece %d\n", i) {
				t.Fatalf("%s: got %q, %v", path, got, err)
			}
			proceed <- struct{}{} // the server goes on only now
		}
		if _, err := io.ReadAll(response.Body); err != nil {
			t.Error(err)
		}
		_ = response.Body.Close()
	}
}

// A server may answer before it has read the whole request: the rest still belongs to it.
func TestEarlyAnswerLeavesTheRequestWhole(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.EnableFullDuplex()
		_ = control.Flush() // the answer begins before anything is read
		_, _ = io.Copy(w, r.Body)
	}))
	defer server.Close()
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
	body, rest := io.Pipe()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, proxy.URL(), body)
	if err != nil {
		t.Fatal(err)
	}
	request.ContentLength = int64(len("first second"))
	go func() { _, _ = io.WriteString(rest, "first ") }()
	client := newClient(t, nil)
	client.Timeout = time.Minute
	response, err := client.Do(request) // returns at the header of the answer
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	go func() {
		_, _ = io.WriteString(rest, "second")
		_ = rest.Close()
	}()
	if got, err := io.ReadAll(response.Body); string(got) != "first second" || err != nil {
		t.Errorf("the server got %q, %v", got, err)
	}
}

func TestLargeBodiesPassUnchanged(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	defer server.Close()
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
	sent := make([]byte, 4<<20)
	_, _ = rand.Read(sent)
	response, err := newClient(t, nil).Post(proxy.URL(), "application/octet-stream", bytes.NewReader(sent))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil || sha256.Sum256(got) != sha256.Sum256(sent) {
		t.Errorf("%d of %d bytes came back changed: %v", len(got), len(sent), err)
	}
}

func TestTLSOnBothSides(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%d certificates", len(r.TLS.PeerCertificates))
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	defer server.Close()
	targets := x509.NewCertPool()
	targets.AddCert(server.Certificate())
	for _, http2 := range []bool{false, true} {
		proxy := faultproxy.Start(t, faultproxy.Options{
			Target: server.URL, TargetTLS: &tls.Config{RootCAs: targets, Certificates: server.TLS.Certificates}, TLS: true, HTTP2: http2,
		})
		authorities := x509.NewCertPool()
		if !authorities.AppendCertsFromPEM(proxy.CA()) {
			t.Fatal("the authority is no PEM")
		}
		response, err := newClient(t, &tls.Config{RootCAs: authorities}).Get(proxy.URL())
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if body, err := io.ReadAll(response.Body); err != nil || string(body) != "1 certificates" {
			t.Errorf("got %q, %v", body, err)
		}
		if (response.ProtoMajor == 2) != http2 {
			t.Errorf("HTTP2 is %v, the client speaks %s", http2, response.Proto)
		}
		if _, err := newClient(t, nil).Get(proxy.URL()); err == nil {
			t.Error("a client that does not know the authority got through")
		}
	}
}

func TestTargetThatIsGoneLooksGone(t *testing.T) {
	server := startTarget(t)
	proxy := faultproxy.Start(t, faultproxy.Options{Target: server.URL})
	server.Close()
	if status, _, _, err := do(t, newClient(t, nil), "GET", proxy.URL(), nil); err == nil {
		t.Errorf("got status %d, want a broken connection", status)
	}
	if got := proxy.Requests()[0]; got.Err == "" || got.Status != 0 {
		t.Errorf("recorded %+v", got)
	}
}

func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	var open atomic.Int32
	arrived := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		open.Add(1)
		defer open.Add(-1)
		close(arrived)
		<-r.Context().Done()
	}))
	control := faultproxy.NewControl(1)
	proxy, err := faultproxy.New(faultproxy.Options{Target: server.URL, Control: control})
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		request, _ := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, proxy.URL(), nil)
		response, err := (&http.Client{Transport: &http.Transport{}}).Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		failed <- err
	}()
	<-arrived
	proxy.Close()
	if err := <-failed; err == nil {
		t.Error("the client got an answer")
	}
	server.Close() // waits for the handler
	if open.Load() != 0 {
		t.Error("the target still works on the request")
	}
}

func TestImpossibleOptionsAreRefused(t *testing.T) {
	for _, options := range []faultproxy.Options{
		{Target: "http://127.0.0.1:1"},
		{Target: "127.0.0.1:1", Control: faultproxy.NewControl(1)},
		{Target: "ftp://127.0.0.1:1", Control: faultproxy.NewControl(1)},
	} {
		if proxy, err := faultproxy.New(options); err == nil {
			proxy.Close()
			t.Errorf("%q was accepted", options.Target)
		}
	}
}
