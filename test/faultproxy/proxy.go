package faultproxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options says what a proxy stands before and how.
type Options struct {
	// Target is the base URL of the server; a path in it is put before every request's path.
	Target string
	// Transport reaches the target, with whatever credentials that takes. When it is nil,
	// TargetTLS (which may be nil too) is used for https targets.
	Transport http.RoundTripper
	TargetTLS *tls.Config

	TLS   bool // serve https, under a certificate authority made for this proxy: see Proxy.CA
	HTTP2 bool // with TLS: offer HTTP/2 as well

	// Name tells this proxy's requests from those of others that share the Control.
	Name string
	// Control is shared with other proxies; nil means one of the proxy's own.
	Control *Control
	// Classify says under which verb and path a request is recorded and counted; nil means
	// the method and the URL's path. It must not read the body.
	Classify func(*http.Request) (verb, path string)
	// Ignore selects requests, such as the renewal of leases, that are forwarded but neither
	// recorded nor subject to rules. It must not read the body.
	Ignore func(*http.Request) bool
	// Ahead selects requests whose bodies are read before rules are asked about them, as these hold back all others
	// meanwhile: see Body. It must not read the body itself.
	Ahead func(*http.Request) bool
	// Rewrite replaces the servers' own addresses in answers; nil leaves answers alone.
	Rewrite Rewrite
}

// Proxy is an HTTP proxy before one server. The embedded Control has the rules and the record,
// of all proxies when several share it.
type Proxy struct {
	*Control
	options  Options
	target   *url.URL
	listener net.Listener
	ca       []byte
	server   *http.Server
	reverse  *httputil.ReverseProxy
	conns    clientConns

	closing  sync.Mutex // guards the beginning of handlers against the end of lifetime
	handlers sync.WaitGroup
	lifetime context.Context // ends when the proxy is closed
	end      context.CancelFunc
	idle     func() // closes idle connections to the target
}

// Start starts a proxy that is closed when the test ends. Without options.Control it makes
// one with the run's seed.
func Start(t testing.TB, options Options) *Proxy {
	t.Helper()
	if options.Control == nil {
		options.Control = NewControl(Seed(t))
	}
	p, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// New starts a proxy; options.Control must be set. The caller closes it.
func New(options Options) (*Proxy, error) {
	p, err := listen(options)
	if err != nil {
		return nil, fmt.Errorf("proxy before %s: %w", options.Target, err)
	}
	p.serve()
	return p, nil
}

// listen makes a proxy that has its address but does not answer yet.
func listen(options Options) (*Proxy, error) {
	target, err := url.Parse(options.Target)
	if err != nil {
		return nil, err
	}
	if target.Scheme != "http" && target.Scheme != "https" || target.Host == "" {
		return nil, errors.New("the target is not an http or https URL")
	}
	if options.Control == nil {
		return nil, errors.New("no control")
	}
	if options.Classify == nil {
		options.Classify = classifyPlain
	}
	p := &Proxy{Control: options.Control, options: options, target: target, idle: func() {}}
	p.conns.open = map[net.Conn]*clientConn{}
	if p.options.Transport == nil {
		// Bodies pass as they are, so no compression of our own.
		transport := &http.Transport{
			TLSClientConfig: options.TargetTLS, DisableCompression: true, MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute,
			DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext, TLSHandshakeTimeout: 10 * time.Second,
		}
		p.options.Transport, p.idle = transport, transport.CloseIdleConnections
	}
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	if options.TLS {
		var config *tls.Config
		if config, p.ca, err = selfSigned(); err != nil {
			_ = p.listener.Close()
			return nil, err
		}
		if options.HTTP2 {
			config.NextProtos = []string{"h2", "http/1.1"}
		} else {
			config.NextProtos = []string{"http/1.1"}
		}
		p.listener = tls.NewListener(p.listener, config)
	}
	return p, nil
}

func (p *Proxy) serve() {
	p.lifetime, p.end = context.WithCancel(context.Background())
	silent := log.New(io.Discard, "", 0) // broken connections are what this package is for
	p.reverse = &httputil.ReverseProxy{
		Transport: p.options.Transport, FlushInterval: -1, ErrorLog: silent,
		Rewrite: p.outgoing, ModifyResponse: p.incoming, ErrorHandler: p.unreachable,
	}
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(p.options.TLS && p.options.HTTP2)
	p.server = &http.Server{
		Handler: http.HandlerFunc(p.handle), Protocols: protocols, ErrorLog: silent,
		ReadHeaderTimeout: time.Minute,
		BaseContext:       func(net.Listener) context.Context { return p.lifetime },
		ConnContext:       p.conns.add, ConnState: p.conns.state,
	}
	p.join(p)
	p.handlers.Go(func() { _ = p.server.Serve(p.listener) })
}

// URL is the base URL for clients, with the target's path left out: that is added again
// when a request is forwarded.
func (p *Proxy) URL() string {
	if p.options.TLS {
		return "https://" + p.listener.Addr().String()
	}
	return "http://" + p.listener.Addr().String()
}

// CA is the certificate, in PEM, by which clients know a proxy with Options.TLS; nil without.
func (p *Proxy) CA() []byte { return p.ca }

// ResetConnections resets the connections that all clients have to this proxy at the moment.
func (p *Proxy) ResetConnections() { p.conns.resetAll() }

// Connections is how many connections all clients have to this proxy at the moment.
func (p *Proxy) Connections() int { return p.conns.count() }

// Close ends all connections and returns when nothing of the proxy runs any more. The
// record stays readable.
func (p *Proxy) Close() {
	p.closing.Lock()
	p.end()
	p.closing.Unlock()
	_ = p.server.Close()
	p.handlers.Wait()
	p.conns.all.Wait() // the server tells of their end a moment after it has closed them
	p.idle()
}

// exchange is one request and what the rules have decided about it.
type exchange struct {
	proxy   *Proxy
	conn    *clientConn
	request *http.Request
	ignored bool
	record  *Request // guarded by Control.mu
	steps   []step
	freezes bool
	alone   bool // no further rule may take it
	watch   watchPlan
}

// step is one rule that took the request.
type step struct {
	name   string
	action Action
	chance *rand.Rand
}

type exchangeKey struct{}

func (p *Proxy) handle(w http.ResponseWriter, r *http.Request) {
	if !p.enter() {
		panic(http.ErrAbortHandler)
	}
	defer p.handlers.Done()
	// Else net/http swallows what is left of the request's body as soon as the answer begins,
	// and a target that answers early gets half of the request. HTTP/2 needs no asking.
	_ = http.NewResponseController(w).EnableFullDuplex()
	if p.options.Ahead != nil && p.options.Ahead(r) && readAhead(r) != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	x := p.begin(p, r)
	if x == nil {
		panic(http.ErrAbortHandler)
	}
	defer p.finish(x)
	r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
	x.after(0).ServeHTTP(&recordingWriter{ResponseWriter: w, x: x}, r)
}

// enter counts a handler that Close waits for, unless Close has been called.
func (p *Proxy) enter() bool {
	p.closing.Lock()
	defer p.closing.Unlock()
	if p.lifetime.Err() != nil {
		return false
	}
	p.handlers.Add(1)
	return true
}

// after returns the steps from number i on, and the forwarding behind them.
func (x *exchange) after(i int) http.Handler {
	if i == len(x.steps) {
		return http.HandlerFunc(x.proxy.forward)
	}
	step := x.steps[i]
	if step.action.run == nil {
		return x.after(i + 1)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		step.action.run(call{w: w, r: r, x: x, chance: step.chance, next: x.after(i + 1)})
	})
}

func (p *Proxy) forward(w http.ResponseWriter, r *http.Request) {
	x := exchangeOf(r)
	if x.conn.severed.Load() {
		panic(http.ErrAbortHandler) // the client was killed while a rule held its request back
	}
	p.update(x, func(record *Request) { record.Forwarded = true })
	p.reverse.ServeHTTP(w, r)
}

// outgoing prepares what is sent to the target.
func (p *Proxy) outgoing(r *httputil.ProxyRequest) {
	r.SetURL(p.target)
	r.Out.URL.RawQuery = r.In.URL.RawQuery // the reverse proxy drops what it cannot parse
	if p.options.Rewrite != nil {
		r.Out.Header.Set("Accept-Encoding", "identity") // else there is nothing legible to rewrite
	}
}

// incoming looks at the target's answer before the client gets it.
func (p *Proxy) incoming(response *http.Response) error {
	x := exchangeOf(response.Request)
	p.update(x, func(record *Request) { record.Upstream = response.StatusCode })
	if isWatch(response.Request) && response.StatusCode == http.StatusOK {
		response.Body = p.watch(x, response)
		return nil
	}
	if p.options.Rewrite == nil {
		return nil
	}
	body, err := p.options.Rewrite.apply(response)
	if err == nil && response.Request.Method == http.MethodPost {
		p.learn(body)
	}
	return err
}

// unreachable treats the client as a server that breaks off would.
func (p *Proxy) unreachable(_ http.ResponseWriter, r *http.Request, err error) {
	p.update(exchangeOf(r), func(record *Request) { record.Err = err.Error() })
	panic(http.ErrAbortHandler)
}

func exchangeOf(r *http.Request) *exchange {
	return r.Context().Value(exchangeKey{}).(*exchange)
}

// isWatch tells whether a request asks for a Kubernetes watch.
func isWatch(r *http.Request) bool {
	if r.Method != http.MethodGet || !strings.Contains(r.URL.RawQuery, "watch=") {
		return false
	}
	value := r.URL.Query().Get("watch")
	return value == "1" || value == "true"
}
