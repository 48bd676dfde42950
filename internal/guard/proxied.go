package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/kupenstack/kupenstack-sync/internal/redact"
)

// maxRefusal bounds what is read of an answer that may be a proxy's.
const maxRefusal = 1 << 20

// Behind sends requests through a proxy, and takes the name and the password that the proxy was given out of what it
// may have written: an error of the connection, and without TLS, where nobody can tell whose answer it is, each answer but a
// good one.
type Behind struct {
	Next http.RoundTripper
	// Proxy is what Next is led by; nil for the environment.
	Proxy func(*http.Request) (*url.URL, error)
}

// RoundTrip sends a request.
func (b Behind) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.Next.RoundTrip(request)
	failed := err != nil
	if !failed && (request.URL.Scheme != "http" || response.StatusCode < http.StatusMultipleChoices) {
		return response, nil
	}
	masker := b.masker(request)
	switch {
	case masker == nil:
		return response, err
	case failed:
		return nil, &maskedError{text: masker.Text(err.Error()).String(), err: err}
	}
	response.Status = fmt.Sprintf("%d %s", response.StatusCode, http.StatusText(response.StatusCode))
	for _, values := range response.Header {
		for i, value := range values {
			values[i] = masker.Text(value).String()
		}
	}
	text, err := io.ReadAll(redact.Bounded(response.Body, maxRefusal))
	_ = response.Body.Close()
	response.Body = io.NopCloser(io.MultiReader(bytes.NewReader([]byte(masker.Text(string(text)).String())), broken{err}))
	response.ContentLength = -1
	response.Header.Del("Content-Length")
	return response, nil
}

// WrappedRoundTripper lets client-go find the transport below, as its own wrappers do.
func (b Behind) WrappedRoundTripper() http.RoundTripper { return b.Next }

// masker knows what the proxy of a request was given; nil where that is nothing.
func (b Behind) masker(request *http.Request) *redact.Masker {
	proxy := b.Proxy
	if proxy == nil {
		proxy = http.ProxyFromEnvironment
	}
	through, err := proxy(request)
	if err != nil || through == nil || through.User == nil {
		return nil
	}
	password, _ := through.User.Password()
	masker := redact.NewMasker()
	masker.Add(redact.NewSecret(password), redact.NewSecret(through.User.Username()+":"+password), redact.NewSecret(through.User.String()))
	return masker
}

// broken ends a body with an error, or as it ended.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	return 0, io.EOF
}

// maskedError is one whose text has lost what nobody may see.
type maskedError struct {
	text string
	err  error
}

func (m *maskedError) Error() string { return m.text }

// Timeout is as [net.Error] has it: [url.Error], which a client makes of this one, asks nobody below it.
func (m *maskedError) Timeout() bool {
	var below interface{ Timeout() bool }
	return errors.As(m.err, &below) && below.Timeout()
}

// Is tells whether the error below is another one. That is not handed out, as it tells all.
func (m *maskedError) Is(target error) bool { return errors.Is(m.err, target) }

// As finds one below that holds no text of a proxy.
func (m *maskedError) As(target any) bool {
	if _, asked := target.(**url.Error); asked {
		return false
	}
	return errors.As(m.err, target)
}
