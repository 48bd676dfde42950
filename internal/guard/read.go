package guard

import (
	"context"
	"net/http"
)

// Rights are asked before a process sends anything. Nil for either of them allows everything.
type Rights struct {
	Write func() error // before what changes something
	Read  func() error // before all else: what lists, watches, fetches or logs in
}

// Read sends a request that changes nothing, as [Send] sends one that does. It may wait for its connection as long as it
// likes: who asks again does no harm.
func Read(next http.RoundTripper, request *http.Request, ask func() error) (*http.Response, error) {
	return send(next, request, ask, 0)
}

// Asked sends requests that change nothing, each of them while Ask lets it.
type Asked struct {
	Next http.RoundTripper
	Ask  func() error // nil allows everything
}

// RoundTrip sends a request, or none where Ask is against it before there is a connection.
func (a Asked) RoundTrip(request *http.Request) (*http.Response, error) {
	if a.Ask != nil {
		if err := a.Ask(); err != nil {
			return nil, Refused(request, err)
		}
	}
	return Read(a.Next, request, a.Ask)
}

// Refused is the error of a request that is not begun to be sent.
func Refused(request *http.Request, err error) error {
	if request.Body != nil {
		_ = request.Body.Close() // the contract of RoundTripper
	}
	return &NotSentError{Method: request.Method, Path: request.URL.Path, Err: err}
}

type waiting struct{}

// Waiting is for what a process asks while it waits to be in charge: what goes out with this context and changes nothing is no
// work, and asks nobody whether it may. Whoever was in charge and is no more asks it all the same.
func Waiting(ctx context.Context) context.Context { return context.WithValue(ctx, waiting{}, true) }

// Reading returns what is asked before something is sent that changes nothing, of what is asked before work.
func Reading(ctx context.Context, ask func() error) func() error {
	if ctx.Value(waiting{}) != nil {
		return nil
	}
	return ask
}
