package guard

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
)

// connectLimit is how long a request may wait for its connection: the lookup of a name, a dial, a proxy and a handshake
// together. It is a few seconds less than calls have to end when the lease is lost, so that those which wait for
// a connection then still tell that nothing was sent.
const connectLimit = 20 * time.Second

var errNoConnection = fmt.Errorf("there was no connection within %v", connectLimit)

// NotSentError says that nothing of a request was sent that could be carried out.
type NotSentError struct {
	Method, Path string
	Err          error // of the guard, or why there was no connection
}

// Error implements error.
func (e *NotSentError) Error() string {
	return fmt.Sprintf("%s %s was not sent: %v", e.Method, e.Path, e.Err)
}

// Unwrap returns why it was not sent.
func (e *NotSentError) Unwrap() error { return e.Err }

// Send sends a request unless ask is against it when it has its connection. Then the error is a [NotSentError], as it is
// when there is no connection in time. A body of which a part was sent is cut off, with the error of ask. Nil for ask allows
// everything.
func Send(next http.RoundTripper, request *http.Request, ask func() error) (*http.Response, error) {
	return send(next, request, ask, connectLimit)
}

// send is Send whose connection has to be there within a time, 0 for any.
func send(next http.RoundTripper, request *http.Request, ask func() error, limit time.Duration) (*http.Response, error) {
	if ask == nil {
		return next.RoundTrip(request)
	}
	ctx, cancel := context.WithCancelCause(request.Context())
	g := &gate{ask: ask, cancel: cancel, limit: limit}
	response, err := next.RoundTrip(charge(request.WithContext(httptrace.WithClientTrace(ctx, g.trace())), ask))
	refusal := g.done()
	if err != nil {
		cancel(nil)
		if refusal != nil {
			err = &NotSentError{Method: request.Method, Path: request.URL.Path, Err: refusal}
		}
		return nil, err
	}
	response.Body = &answer{ReadCloser: response.Body, end: func() { cancel(nil) }}
	return response, nil
}

// gate is what a request has to pass. Hooks cannot stop a request. The end of its context does with HTTP/2, which looks at that
// before it writes headers. HTTP/1 may write all the same, so that the connection, which is the request's alone, is
// closed before; the context keeps the request from being sent over another one.
type gate struct {
	ask    func() error
	cancel context.CancelCauseFunc
	limit  time.Duration // 0 for none

	mutex   sync.Mutex
	late    *time.Timer // runs while there is no connection
	conn    net.Conn    // nil while there is none
	refusal error       // once it is there, it stays
}

// trace has the gate asked when there is a connection, and, as the request may wait for its turn there, once more
// with its headers, which are collected right before they are written.
func (g *gate) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn:          func(string) { g.wait() },
		GotConn:          func(info httptrace.GotConnInfo) { g.got(info.Conn) },
		WroteHeaderField: func(string, []string) { g.pass(false) },
	}
}

// wait begins the time within which there has to be a connection.
func (g *gate) wait() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.stop()
	g.conn = nil
	if g.limit > 0 {
		g.late = time.AfterFunc(g.limit, contain.Callback(g.overdue))
	}
}

func (g *gate) overdue() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.late != nil && g.conn == nil {
		g.refuse(errNoConnection)
	}
}

func (g *gate) got(conn net.Conn) {
	g.mutex.Lock()
	g.stop()
	g.conn = conn
	g.mutex.Unlock()
	encrypted, is := conn.(*tls.Conn)
	g.pass(is && encrypted.ConnectionState().NegotiatedProtocol == "h2")
}

// pass asks. early is true where the end of the context is enough to stop the request; otherwise its connection
// is closed, with all that goes over it.
func (g *gate) pass(early bool) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.refusal == nil {
		if err := g.ask(); err != nil {
			g.refuse(err)
		}
	}
	if g.refusal != nil && !early && g.conn != nil {
		_ = g.conn.Close() // so that nothing can be written
	}
}

func (g *gate) refuse(err error) {
	g.refusal = err
	g.cancel(err)
}

func (g *gate) stop() {
	if g.late != nil {
		g.late.Stop()
		g.late = nil
	}
}

// done ends the wait, and returns why the request was not sent.
func (g *gate) done() error {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.stop()
	return g.refusal
}

// charge has the guard asked for each part of the body: the upload of an image takes longer than a lease, and whoever has
// that by now may have begun one of its own.
func charge(request *http.Request, ask func() error) *http.Request {
	if request.Body == nil || request.Body == http.NoBody {
		return request
	}
	request.Body = &body{ReadCloser: request.Body, ask: ask}
	if again := request.GetBody; again != nil {
		request.GetBody = func() (io.ReadCloser, error) {
			fresh, err := again()
			if err != nil {
				return nil, err
			}
			return &body{ReadCloser: fresh, ask: ask}, nil
		}
	}
	return request
}

// body gives bytes away only while the guard lets it.
type body struct {
	io.ReadCloser
	ask func() error
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (n int, err error) {
	if err := b.ask(); err != nil {
		return 0, err
	}
	// Go's client reads it in a goroutine of its own.
	contain.Callback(func() { n, err = b.ReadCloser.Read(p) })()
	return n, err
}

// answer ends the context of its request when it was read.
type answer struct {
	io.ReadCloser
	end func()
}

// Close closes the answer's body.
func (a *answer) Close() error {
	err := a.ReadCloser.Close()
	a.end()
	return err
}

// NotSent tells whether an error says for sure that a request was not sent.
func NotSent(err error) bool {
	var e *NotSentError
	return errors.As(err, &e)
}
