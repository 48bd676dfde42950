package gitserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cgi"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// maxBody bounds the size of a push, which is read into memory.
const maxBody = 256 << 20

// HTTPServer serves a store over smart HTTP. It is safe for concurrent use.
type HTTPServer struct {
	*endpoint
	scheme string
	caPEM  []byte

	mu        sync.Mutex
	users     map[string]user
	anonymous Access
}

type user struct {
	password string
	access   Access
}

// StartHTTP serves the store over plain HTTP until the test ends. Nobody has access
// until SetUser or SetAnonymous says so.
func StartHTTP(t testing.TB, store *Store) *HTTPServer {
	t.Helper()
	s := &HTTPServer{scheme: "http", users: map[string]user{}}
	s.endpoint = newEndpoint(t, store, func(p *period) backend { return s.backend(p) })
	s.Start(t)
	return s
}

// StartHTTPS is StartHTTP with TLS, under a certificate of its own authority.
func StartHTTPS(t testing.TB, store *Store) *HTTPServer {
	t.Helper()
	config, caPEM, err := newTLSConfig()
	if err != nil {
		t.Fatalf("start a git server: make a certificate: %v", err)
	}
	s := &HTTPServer{scheme: "https", users: map[string]user{}, caPEM: caPEM}
	s.endpoint = newEndpoint(t, store, func(p *period) backend {
		server := s.backend(p)
		server.TLSConfig = config
		return tlsBackend{server}
	})
	s.Start(t)
	return s
}

// URL returns the URL of the repository, without credentials.
func (s *HTTPServer) URL(repository *Repository) string {
	return s.scheme + "://" + s.Addr() + "/" + repository.Name + ".git"
}

// CA returns the certificate that clients must trust, as PEM; nil without TLS.
func (s *HTTPServer) CA() []byte { return bytes.Clone(s.caPEM) }

// SetUser adds a user or changes the password and access of one.
func (s *HTTPServer) SetUser(name, password string, access Access) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users[name] = user{password: password, access: access}
}

// RemoveUser makes the name unknown.
func (s *HTTPServer) RemoveUser(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.users, name)
}

// SetAnonymous says what clients may do that send no credentials.
func (s *HTTPServer) SetAnonymous(access Access) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.anonymous = access
}

func (s *HTTPServer) backend(p *period) *http.Server {
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !p.enter() {
				panic(http.ErrAbortHandler)
			}
			defer p.leave()
			s.serve(w, r)
		}),
		BaseContext:       func(net.Listener) context.Context { return p.ctx },
		ErrorLog:          log.New(io.Discard, "", 0), // it may be written to after the test
		ReadHeaderTimeout: time.Minute,
		Protocols:         new(http.Protocols),
	}
	server.Protocols.SetHTTP1(true)
	return server
}

// serve answers one request. It panics with http.ErrAbortHandler, which net/http turns
// into a closed connection, where the client shall get no or no whole answer.
func (s *HTTPServer) serve(w http.ResponseWriter, r *http.Request) {
	name, operation := route(r)
	repository := s.store.lookup(name)
	status := s.authorize(r, operation)
	if status == http.StatusOK && (operation == 0 || repository == nil) {
		status = http.StatusNotFound
	}
	if status != http.StatusOK {
		s.counts.add(name, 0)
		refuse(w, status)
		return
	}
	// The git client sends an empty push first to see whether its credentials are good
	// for a big one.
	if probe := operation == Push && r.ContentLength == int64(len(flushPacket)); !probe {
		s.counts.add(name, operation)
	}
	f := s.faults.take(operation)
	// Only when the body was read does net/http notice that the client has gone.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil || f.hold(r.Context()) != nil {
		panic(http.ErrAbortHandler)
	}
	if f.Status != 0 {
		if f.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(f.RetryAfter/time.Second)))
		}
		refuse(w, f.Status)
		return
	}
	if f.transfer(r.Context(), len(body)) != nil {
		panic(http.ErrAbortHandler)
	}
	if operation == Push {
		if err := repository.beforePush(r.Context()); err != nil {
			http.Error(w, fmt.Sprintf("hook before the push: %v", err), http.StatusInternalServerError)
			return
		}
	}
	s.runGit(w, r, body, f)
}

// route returns the name of the repository and what is asked of it. The operation is
// zero when the request is not one of smart HTTP's.
func route(r *http.Request) (name string, operation Operation) {
	service := r.URL.Query().Get("service")
	for _, known := range []struct {
		method, path, service string
		operation             Operation
	}{
		{http.MethodGet, "/info/refs", uploadPack, ListRefs},
		{http.MethodGet, "/info/refs", receivePack, ListRefsToPush},
		{http.MethodPost, "/" + uploadPack, "", Fetch},
		{http.MethodPost, "/" + receivePack, "", Push},
	} {
		path, found := strings.CutSuffix(r.URL.Path, ".git"+known.path)
		if found && r.Method == known.method && service == known.service {
			return strings.TrimPrefix(path, "/"), known.operation
		}
	}
	return strings.TrimPrefix(r.URL.Path, "/"), 0
}

// authorize returns 200, 401 or 403.
func (s *HTTPServer) authorize(r *http.Request, operation Operation) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, password, sent := r.BasicAuth()
	if !sent {
		if s.anonymous >= operation.needs() {
			return http.StatusOK
		}
		return http.StatusUnauthorized
	}
	known, ok := s.users[name]
	switch {
	case !ok || known.password != password:
		return http.StatusUnauthorized
	case known.access < operation.needs():
		return http.StatusForbidden
	}
	return http.StatusOK
}

func refuse(w http.ResponseWriter, status int) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
	}
	http.Error(w, http.StatusText(status), status)
}

// runGit hands the request to git http-backend.
func (s *HTTPServer) runGit(w http.ResponseWriter, r *http.Request, body []byte, f fault) {
	request := r.Clone(r.Context())
	request.Body = io.NopCloser(bytes.NewReader(body))
	request.ContentLength, request.TransferEncoding = int64(len(body)), nil // CGI knows no chunks
	request.Header.Del("Authorization")
	request.Header.Del("Git-Protocol") // asks for another version of the protocol
	out := &answer{
		ctx:   r.Context(),
		to:    w,
		flush: func() { _ = http.NewResponseController(w).Flush() },
		fault: f,
	}
	handler := &cgi.Handler{
		Path:   s.store.git,
		Args:   []string{"http-backend"},
		Dir:    s.store.root,
		Env:    append(s.store.Env(), "GIT_PROJECT_ROOT="+s.store.root, "GIT_HTTP_EXPORT_ALL=1"),
		Logger: log.New(s.log, "", 0),
		Stderr: s.log,
	}
	handler.ServeHTTP(limitedWriter{w, out}, request)
	if out.wasCut() {
		panic(http.ErrAbortHandler)
	}
}

// limitedWriter is a ResponseWriter whose content goes through an answer.
type limitedWriter struct {
	http.ResponseWriter
	content *answer
}

func (w limitedWriter) Write(p []byte) (int, error) { return w.content.Write(p) }
