package helm

import (
	"errors"
	"fmt"
	"net/http"
)

// maxRedirects is how often a repository may send a request on, as for every client of Go.
const maxRedirects = 10

var (
	errPlainRedirect = errors.New("the server sent the request on to this address, and plain http is refused, as everybody on the way could read the password and " +
		"change the chart: have it send to https (a server behind a proxy that ends TLS has to be told its own address), or write where it sends to, with https, as the repository")
	errPlainAddress = errors.New("plain http is refused, as everybody on the way could change the chart: publish the chart with an address in the index that begins " +
		"with https, as helm repo index --url does, or with none but its file's name")
)

// overTLS keeps requests from leaving TLS, whether a server sends them on or an index names such an address.
// Only to this machine itself plain http is allowed.
type overTLS struct {
	base http.RoundTripper
}

// RoundTrip asks nothing of a server without TLS.
func (o overTLS) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Scheme == "https" || loopback(request.URL.Hostname()) {
		return o.base.RoundTrip(request)
	}
	if request.Body != nil {
		_ = request.Body.Close() // as a RoundTripper has to
	}
	if request.Response != nil {
		return nil, errPlainRedirect
	}
	return nil, errPlainAddress
}

// sentOn takes the password from a request that another server than the repository's own gets. Go's client would leave it for
// subdomains and other ports.
func (s *site) sentOn(next *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirects {
		return fmt.Errorf("the request was sent on %d times", maxRedirects)
	}
	if !s.own(next.URL) {
		next.Header.Del("Authorization")
	}
	return nil
}
