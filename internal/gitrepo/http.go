package gitrepo

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	nethttp "net/http"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/plumbing/transport/http"

	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// maxErrorBody bounds what is read of a page that says why a request failed.
const maxErrorBody = 64 << 10

var errTooLarge = errors.New("the limit of bytes is reached")

// web keeps the connections to an HTTP server. They are made anew when the authorities change.
type web struct {
	mu        sync.Mutex
	bundle    []byte
	transport *nethttp.Transport
}

// client returns a client for one call within its bounds.
func (w *web) client(bundle []byte, bounds *limited) (transport.Transport, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.transport == nil || !bytes.Equal(w.bundle, bundle) {
		made, err := newTransport(bundle)
		if err != nil {
			return nil, err
		}
		if w.transport != nil {
			w.transport.CloseIdleConnections()
		}
		w.transport, w.bundle = made, bytes.Clone(bundle)
	}
	bounds.to = guard.Behind{Next: w.transport}
	return http.NewClient(&nethttp.Client{Transport: bounds}), nil
}

func newTransport(bundle []byte) (*nethttp.Transport, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(bundle) > 0 {
		pool, err := x509.SystemCertPool()
		if err != nil || pool == nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(bundle) {
			return nil, errors.New("the bundle of authorities has no certificate in PEM")
		}
		config.RootCAs = pool
	}
	return &nethttp.Transport{
		Proxy:                  nethttp.ProxyFromEnvironment,
		OnProxyConnectResponse: guard.ProxyAnswer,
		TLSClientConfig:        config,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    2,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    20 * time.Second,
		ExpectContinueTimeout:  time.Second,
	}, nil
}

// limited bounds what one call receives, keeps redirects from leaving TLS, and sends what changes something only while
// it may.
type limited struct {
	to    nethttp.RoundTripper
	may   *leave // of the whole conversation
	leave *leave // of a push; nil for any other call

	mu   sync.Mutex
	left int64
}

func (l *limited) RoundTrip(request *nethttp.Request) (*nethttp.Response, error) {
	if request.URL.Scheme != schemeHTTPS && !isLoopback(request.URL.Hostname()) {
		return nil, errors.New("the server sent the request on to plain http, which is refused")
	}
	response, err := l.send(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= nethttp.StatusMultipleChoices {
		response.Body = &boundedBody{Reader: redact.Bounded(response.Body, maxErrorBody), Closer: response.Body}
		return response, nil
	}
	body := listed(request.Context(), &budgetReader{from: response.Body, take: l.take})
	response.Body = &boundedBody{Reader: body, Closer: response.Body}
	return response, nil
}

// send asks at the connection and for each part of the body.
func (l *limited) send(request *nethttp.Request) (*nethttp.Response, error) {
	if l.leave == nil || request.Method != nethttp.MethodPost {
		return guard.Asked{Next: l.to, Ask: l.may.pass}.RoundTrip(request)
	}
	response, err := guard.Send(l.to, request, l.leave.pass)
	if !guard.NotSent(err) {
		l.leave.begin()
	}
	return response, err
}

// take says whether n more bytes may be received.
func (l *limited) take(n int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left -= int64(n)
	return l.left >= 0
}

type boundedBody struct {
	io.Reader
	io.Closer
}

// budgetReader fails when more is received than take grants.
type budgetReader struct {
	from io.Reader
	take func(int) bool
}

func (b *budgetReader) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if !b.take(n) {
		return 0, errTooLarge
	}
	return n, err
}

// webAuth returns how requests authenticate, nil for not at all.
func webAuth(at location, c Credentials) transport.AuthMethod {
	switch {
	case !c.Bearer.IsEmpty():
		return &http.TokenAuth{Token: c.Bearer.Reveal()}
	case !c.Password.IsEmpty():
		name := c.Username
		if name == "" {
			name = "git" // forges want some name beside a token
		}
		return &http.BasicAuth{Username: name, Password: c.Password.Reveal()}
	case at.user != "":
		return &http.BasicAuth{Username: at.user, Password: at.password}
	}
	return nil
}
