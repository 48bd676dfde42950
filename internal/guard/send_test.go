package guard

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var errLost = errors.New("the lease is lost")

// right is the right to write, until it is lost.
type right struct{ lost atomic.Bool }

func (r *right) ask() error {
	if r.lost.Load() {
		return errLost
	}
	return nil
}

// site is a server to which the way may be long, and a client of it.
type site struct {
	protocol string
	url      string
	client   *http.Transport
	arrived  atomic.Int64 // requests
	bytes    atomic.Int64 // of bodies that came whole
	way      func()       // what happens while a connection is made
	by       func(http.RoundTripper, *http.Request, func() error) (*http.Response, error)
	close    func()
}

func open(t *testing.T, protocol string) *site {
	t.Helper()
	s := &site{protocol: protocol, way: func() {}, by: Send}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s.arrived.Add(1)
		if n, err := io.Copy(io.Discard, r.Body); err == nil {
			s.bytes.Add(n)
		}
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of connections that are closed
	server.EnableHTTP2 = protocol == "HTTP/2.0"
	if protocol == "plain" {
		server.Start()
		s.client = &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			s.way()
			return (&net.Dialer{}).DialContext(ctx, network, address)
		}}
	} else {
		server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			s.way()
			return nil, nil
		}}
		server.StartTLS()
		s.client = server.Client().Transport.(*http.Transport)
	}
	s.url, s.close = server.URL, server.Close
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		server.Close()
	})
	return s
}

// send sends a request with or without a body, and returns its protocol.
func (s *site) send(t *testing.T, method, body string, ask func() error) (string, error) {
	t.Helper()
	var content io.Reader = http.NoBody
	if body != "" {
		content = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, s.url+"/servers/1", content)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.by(s.client, request, ask)
	if err != nil {
		return "", err
	}
	_, _ = io.Copy(io.Discard, response.Body)
	return response.Proto, response.Body.Close()
}

// each runs a test with each protocol, with a body and without.
func each(t *testing.T, test func(t *testing.T, s *site, method, body string)) {
	t.Helper()
	for _, protocol := range []string{"plain", "HTTP/1.1", "HTTP/2.0"} {
		for method, body := range map[string]string{http.MethodGet: "", http.MethodDelete: "", http.MethodPost: "{}", http.MethodPut: strings.Repeat("x", 1<<20)} {
			t.Run(protocol+" "+method, func(t *testing.T) {
				s := open(t, protocol)
				if method == http.MethodGet {
					s.by = Read
				}
				test(t, s, method, body)
			})
		}
	}
}

// connect sends a first request, so that there is a connection.
func (s *site) connect(t *testing.T) {
	t.Helper()
	if proto, err := s.send(t, http.MethodGet, "", nil); err != nil || s.protocol != "plain" && proto != s.protocol {
		t.Fatalf("over %q: %v", proto, err)
	}
}

// withheld wants that only so many requests have arrived, without bodies.
func (s *site) withheld(t *testing.T, before int64, err error) {
	t.Helper()
	if !errors.Is(err, errLost) || !NotSent(err) {
		t.Errorf("got %v", err)
	}
	s.client.CloseIdleConnections()
	s.close() // waits for what the server still does
	if n, bytes := s.arrived.Load(), s.bytes.Load(); n != before || bytes != 0 {
		t.Errorf("%d requests arrived, with %d bytes", n, bytes)
	}
}

// A dial or a handshake hangs, and the lease is lost meanwhile.
func TestNothingIsSentOverAConnectionThatCameTooLate(t *testing.T) {
	each(t, func(t *testing.T, s *site, method, body string) {
		var r right
		s.way = func() { r.lost.Store(true) }
		_, err := s.send(t, method, body, r.ask)
		s.withheld(t, 0, err)
	})
}

// A connection is there already, and is not used; nor is a new one, whatever the guard says by then.
func TestNothingIsSentOverAnotherConnection(t *testing.T) {
	each(t, func(t *testing.T, s *site, method, body string) {
		s.connect(t)
		asked := false
		_, err := s.send(t, method, body, func() error {
			if asked {
				return nil
			}
			asked = true
			return errLost
		})
		s.withheld(t, 1, err)
	})
}

// The right is lost after there was a connection, while the request waits for its turn to be written.
func TestNothingIsSentWhenItsTurnComesTooLate(t *testing.T) {
	each(t, func(t *testing.T, s *site, method, body string) {
		s.connect(t)
		var r right
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { r.lost.Store(true) }})
		request, err := http.NewRequestWithContext(ctx, method, s.url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.by(s.client, request, r.ask)
		s.withheld(t, 1, err)
	})
}

// What was sent of a body is no whole request, and its end never comes.
func TestABodyIsCutOff(t *testing.T) {
	for _, protocol := range []string{"plain", "HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			s := open(t, protocol)
			var r right
			part := strings.Repeat("x", 1000)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.url, io.MultiReader(strings.NewReader(part), readerFunc(func([]byte) (int, error) {
				r.lost.Store(true)
				return 0, nil
			}), strings.NewReader(part)))
			if err != nil {
				t.Fatal(err)
			}
			request.ContentLength = int64(2 * len(part))
			response, err := Send(s.client, request, r.ask)
			if err == nil {
				response.Body.Close()
			}
			if !errors.Is(err, errLost) || NotSent(err) {
				t.Errorf("got %v", err)
			}
			s.close()
			if n := s.bytes.Load(); n > 0 {
				t.Errorf("a body of %d bytes arrived", n)
			}
		})
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A connection that does not come about is waited for within bounds, an answer is not.
func TestTheWaitForAConnectionIsBounded(t *testing.T) {
	for name, test := range map[string]struct {
		by       func(http.RoundTripper, *http.Request, func() error) (*http.Response, error)
		connects bool
		want     error
		after    time.Duration
		unsent   bool
	}{
		"no connection":            {Send, false, errNoConnection, connectLimit, true},
		"no answer":                {Send, true, context.DeadlineExceeded, time.Hour, false},
		"no connection to read by": {Read, false, context.DeadlineExceeded, time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				request, err := http.NewRequestWithContext(ctx, http.MethodDelete, "https://nova.example", http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				near, far := net.Pipe()
				defer far.Close()
				defer near.Close()
				began := time.Now()
				_, err = test.by(roundTripper(func(r *http.Request) (*http.Response, error) {
					trace := httptrace.ContextClientTrace(r.Context())
					trace.GetConn("nova.example:443")
					if test.connects {
						trace.GotConn(httptrace.GotConnInfo{Conn: near})
					}
					<-r.Context().Done()
					return nil, r.Context().Err()
				}), request, func() error { return nil })
				if took := time.Since(began); !errors.Is(err, test.want) || took != test.after || NotSent(err) != test.unsent {
					t.Errorf("after %v: %v", took, err)
				}
			})
		})
	}
}

// A request that was let through is sent as it is, and asks for nothing when nobody guards it.
func TestWhatIsLetThroughArrives(t *testing.T) {
	each(t, func(t *testing.T, s *site, method, body string) {
		asked := 0
		if _, err := s.send(t, method, body, func() error { asked++; return nil }); err != nil || asked == 0 {
			t.Errorf("asked %d times: %v", asked, err)
		}
		if _, err := s.send(t, method, body, nil); err != nil {
			t.Error(err)
		}
		if n, bytes := s.arrived.Load(), s.bytes.Load(); n != 2 || bytes != int64(2*len(body)) {
			t.Errorf("%d requests arrived, with %d bytes", n, bytes)
		}
	})
}
