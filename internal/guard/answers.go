package guard

import (
	"errors"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
)

// errNowhere is in place of what the library says, which tells all of a header that may hold a password or a signature.
var errNowhere = errors.New("it sends on to what is no address")

// Onward sends requests, and tells nothing of where an answer sends on to when that is no address.
type Onward struct{ Next http.RoundTripper }

// RoundTrip sends a request.
func (o Onward) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := o.Next.RoundTrip(request)
	if err != nil || response.StatusCode/100 != 3 {
		return response, err
	}
	if _, err := request.URL.Parse(response.Header.Get("Location")); err != nil {
		_ = response.Body.Close()
		return nil, errNowhere
	}
	return response, nil
}

// NotHTTP tells whether an error is that what was answered is no HTTP. The library's text has parts of the answer.
func NotHTTP(err error) bool {
	var header textproto.ProtocolError
	return errors.As(err, &header) || slices.ContainsFunc(
		[]string{"malformed HTTP ", "transfer encoding", "Content-Length", "invalid Trailer key"},
		func(part string) bool { return strings.Contains(err.Error(), part) })
}
