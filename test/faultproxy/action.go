package faultproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

// Action is what a rule does to a request that it takes. The functions of this package make
// them; the zero Action lets the request pass.
type Action struct {
	name    string
	freezes bool // no other request may begin until this one has ended
	run     func(c call)
}

// String names the action as Request.Faults does where the rule has no name of its own.
func (a Action) String() string { return a.name }

// call is one request on its way through the actions that took it.
type call struct {
	w      http.ResponseWriter
	r      *http.Request
	x      *exchange
	chance *rand.Rand
	next   http.Handler // the later actions, and at last the forwarding
}

// Delay holds the request back before it is forwarded.
func Delay(duration time.Duration) Action {
	return Action{name: "delay", run: func(c call) { c.wait(duration) }}
}

// DelayBetween holds the request back for a time that the seed chooses from min up to max.
func DelayBetween(minimum, maximum time.Duration) Action {
	return Action{name: "delay", run: func(c call) {
		c.wait(minimum + time.Duration(c.chance.Float64()*float64(maximum-minimum)))
	}}
}

// ResetBefore resets the client's connection; the target never sees the request. Over
// HTTP/2 this ends every request of the connection.
func ResetBefore() Action {
	return Action{name: "reset before", run: func(c call) { c.reset() }}
}

// ResetAfter forwards the request, reads the whole answer, and then resets the client's
// connection: the target did it, the client does not know. Of a watch, whose answer does not
// end, only the header is read.
func ResetAfter() Action {
	return Action{name: "reset after", run: func(c call) {
		c.forwardUnseen()
		c.reset()
	}}
}

// After forwards the request, reads the whole answer, and has another action give the client one in its place: the target
// did it, and the client hears of something else, as where what stands between sends a request again that was carried out.
func After(answers Action) Action {
	return Action{name: answers.name + " after", run: func(c call) {
		c.forwardUnseen()
		answers.run(c)
	}}
}

// Truncate closes the connection after the first n bytes of the answer's body. An answer
// that is no longer than that passes unharmed.
func Truncate(n int64) Action {
	return Action{name: "truncate", run: func(c call) {
		c.next.ServeHTTP(&truncatingWriter{ResponseWriter: c.w, left: n}, c.r)
	}}
}

// KillBefore runs kill in the request's stead: the target never sees the request. The
// function must end the process that sent it, and return when it is gone. Meanwhile no other
// request of any proxy of the Control is forwarded; afterwards the connections of all
// clients are reset.
func KillBefore(kill func()) Action {
	return Action{name: "kill before", freezes: true, run: func(c call) {
		kill()
		c.x.proxy.sever()
		panic(http.ErrAbortHandler)
	}}
}

// KillAfter forwards the request, reads the whole answer, passes nothing of it to the
// client, and then does what KillBefore does. Of a watch only the answer's header is read.
func KillAfter(kill func()) Action {
	return Action{name: "kill after", freezes: true, run: func(c call) {
		c.forwardUnseen()
		kill()
		c.x.proxy.sever()
		panic(http.ErrAbortHandler)
	}}
}

// EndWatchAfter ends a watch cleanly once it has sent n events, bookmarks included. It does
// nothing to other requests.
func EndWatchAfter(n int) Action {
	return Action{name: "end watch", run: func(c call) {
		c.x.watch = watchPlan{limited: true, events: n}
		c.next.ServeHTTP(c.w, c.r)
	}}
}

// ExpireWatchAfter ends a watch, once it has sent n events, with an ERROR event of code 410
// and reason Expired. It does nothing to other requests.
func ExpireWatchAfter(n int) Action {
	return Action{name: "expire watch", run: func(c call) {
		c.x.watch = watchPlan{limited: true, events: n, expire: true}
		c.next.ServeHTTP(c.w, c.r)
	}}
}

// Wrap makes an action of any middleware. Calling next forwards the request; a panic with
// http.ErrAbortHandler closes the connection.
func Wrap(name string, middleware func(next http.Handler) http.Handler) Action {
	return Action{name: name, run: func(c call) { middleware(c.next).ServeHTTP(c.w, c.r) }}
}

func (c call) wait(duration time.Duration) {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		c.next.ServeHTTP(c.w, c.r)
	case <-c.r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}

func (c call) reset() {
	c.x.conn.reset()
	panic(http.ErrAbortHandler) // ends the handler without an answer
}

// forwardLimit bounds a forwarding that the client cannot end by going away.
const forwardLimit = time.Minute

// forwardUnseen forwards the request until the target has answered completely, whether or
// not the client is still there, and keeps the answer from the client.
func (c call) forwardUnseen() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), forwardLimit)
	defer cancel()
	defer context.AfterFunc(c.x.proxy.lifetime, cancel)()
	w := &unseenWriter{header: http.Header{}}
	if isWatch(c.r) {
		w.answered = cancel
	}
	if err := catchAbort(func() { c.next.ServeHTTP(w, c.r.WithContext(ctx)) }); err != nil && !isWatch(c.r) {
		c.x.proxy.update(c.x, func(record *Request) {
			if record.Err == "" {
				record.Err = err.Error()
			}
		})
	}
}

// catchAbort turns the panic by which a reverse proxy tells of a broken answer into an error.
func catchAbort(serve func()) (err error) {
	defer func() {
		if cause := recover(); cause == http.ErrAbortHandler { //nolint:errorlint // a panic's value, compared as net/http does
			err = errors.New("the target's answer broke off")
		} else if cause != nil {
			panic(cause)
		}
	}()
	serve()
	return nil
}

// answer is what the functions in answer.go build on.
func answer(name string, status int, header http.Header, body []byte) Action {
	return Action{name: fmt.Sprintf("%s %d", name, status), run: func(c call) {
		// A client may not look for an answer before it has sent its body.
		_, _ = io.Copy(io.Discard, c.r.Body)
		for key, values := range header {
			c.w.Header()[http.CanonicalHeaderKey(key)] = values
		}
		c.w.WriteHeader(status)
		_, _ = c.w.Write(body)
	}}
}
