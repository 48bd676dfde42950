package faultproxy

import (
	"bytes"
	"io"
	"net/http"
)

// mostAhead bounds how much of a body is read ahead.
const mostAhead = 64 << 10

// ahead is a body whose beginning was read before it is forwarded.
type ahead struct {
	io.Reader // all of it
	io.Closer
	text []byte
}

// readAhead reads the body of a request, or its beginning where it is large, for [Body]. It fails when the client breaks off.
func readAhead(r *http.Request) error {
	text, err := io.ReadAll(io.LimitReader(r.Body, mostAhead))
	if err != nil {
		return err
	}
	r.Body = &ahead{Reader: io.MultiReader(bytes.NewReader(text), r.Body), Closer: r.Body, text: text}
	return nil
}

// Creates is for Options.Ahead: it selects requests whose bodies say what is to be created, by which chance goes.
func Creates(r *http.Request) bool { return r.Method == http.MethodPost }

// Body returns the body of a request that Options.Ahead selects, up to 64 KiB of it, and nil of others. What is forwarded
// stays the same, so that a Match.Request may look there.
func Body(r *http.Request) []byte {
	if body, is := r.Body.(*ahead); is {
		return body.text
	}
	return nil
}
