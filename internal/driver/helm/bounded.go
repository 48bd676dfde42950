package helm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/guard"
)

const (
	// maxIndex bounds the index of a repository in bytes. Those of hundreds of charts have some MiB.
	maxIndex = 32 << 20
	// maxDownload bounds a packed chart, with all else that a registry says on the way to it. A release, which a Secret of 1 MiB holds,
	// has the chart in it.
	maxDownload = 20 << 20
)

var (
	errLargeIndex = fmt.Errorf("it is larger than %d MiB: publish the chart in a repository with fewer charts and versions, or in a registry (oci://), "+
		"or put it into a directory of the configuration", maxIndex>>20)
	errLargeChart = fmt.Errorf("what the repository sends is larger than %d MiB, and no chart of that size can be deployed: take what is no part of it out of the chart (.helmignore)", maxDownload>>20)
)

// bounded lets so many bytes of answers through, and then fails with an error of its own: whoever asks reads all into memory.
type bounded struct {
	base http.RoundTripper
	left atomic.Int64
	err  error
}

func newBounded(base http.RoundTripper, most int64, err error) *bounded {
	b := &bounded{base: base, err: err}
	b.left.Store(most)
	return b
}

// RoundTrip refuses an answer that is announced to be too large without reading it.
func (b *bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := b.base.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if answer.ContentLength > b.left.Load() {
		_ = answer.Body.Close() // nothing of it is wanted
		return nil, b.err
	}
	answer.Body = &boundedBody{answer.Body, b}
	return answer, nil
}

type boundedBody struct {
	io.ReadCloser
	of *bounded
}

func (r *boundedBody) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if r.of.left.Add(-int64(n)) < 0 {
		return 0, r.of.err
	}
	return n, err
}

// site is the host of a repository, with what it is asked with.
type site struct {
	base           http.RoundTripper
	host           string
	user, password string
}

// read gives an answer to a function that reads it. The credentials go to the repository's own host only.
func (s *site) read(address string, most int64, tooLarge error, take func(io.Reader) error) error {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil) // the time of the client bounds it
	if err != nil {
		return errors.New("its address cannot be read")
	}
	request.Header.Set("User-Agent", "kupenstack-sync")
	if s.user != "" && s.own(request.URL) {
		request.SetBasicAuth(s.user, s.password)
	}
	client := http.Client{Timeout: downloadTimeout, Transport: newBounded(s.base, most, tooLarge), CheckRedirect: s.sentOn}
	answer, err := client.Do(request)
	var failed *url.Error
	switch {
	case errors.As(err, &failed):
		return fmt.Errorf("get %s: %w", shown(failed.URL), outwardly{failed.Err})
	case err != nil:
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("get %s: %s", shown(address), answer.Status)
	}
	return take(answer.Body)
}

// own tells whether an address is at the repository's own host. Some servers write the port that https has anyway as they send on.
func (s *site) own(at *url.URL) bool {
	return at.Scheme == "https" && strings.EqualFold(strings.TrimSuffix(at.Host, ":443"), strings.TrimSuffix(s.host, ":443"))
}

// shown is an address without what stands behind a ?, which can be a token.
func shown(address string) string {
	address, _, _ = strings.Cut(address, "?")
	return address
}

// query is what stands behind a ? of an address in a text.
var query = regexp.MustCompile(`(https?://[^\s"?]+)\?[^\s"]*`)

// ownPort is our end of a connection, as Go's errors of the network name it: another one with each try, and so would be what is
// told of the same outage.
var ownPort = regexp.MustCompile(`([0-9\])]):\d+->`)

// outwardly is an error of a library that tells whole addresses, and our end of the connection.
type outwardly struct{ err error }

func (e outwardly) Error() string {
	return ownPort.ReplaceAllString(query.ReplaceAllString(e.err.Error(), "$1"), "$1->")
}
func (e outwardly) Unwrap() error { return e.err }

// asItIs has answers not be unpacked on the way, whatever they are asked over: a transport that is not told asks for gzip
// itself, and unpacks a chart of a server that says that packed charts are compressed.
type asItIs struct {
	base http.RoundTripper
}

// RoundTrip asks for what lies there.
func (a asItIs) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Accept-Encoding", "identity")
	return a.base.RoundTrip(request)
}

// newTransport is what repositories are asked with unless something else is given.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, OnProxyConnectResponse: guard.ProxyAnswer, ForceAttemptHTTP2: true,
		IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
	}
}
