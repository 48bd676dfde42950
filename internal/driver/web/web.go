package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"

	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Asker asks pages. Make it with [New].
type Asker struct {
	agent string
	may   func() error
}

// New returns an asker that names itself to servers. may is asked before each request, and again when that has its
// connection; nil allows everything.
func New(agent string, may func() error) *Asker { return &Asker{agent: agent, may: may} }

// Ask tells whether a gate's page answers with the status that it should, within the deadline of ctx. A page that
// cannot be reached is unknown, not refused; another attempt may succeed in either case.
func (a *Asker) Ask(ctx context.Context, g unit.Check) unit.Answer {
	transport, err := newTransport(g)
	if err != nil {
		return unit.Answer{Reach: unit.ReachRefuses, Message: fmt.Sprintf("%s: %v", g, err)}
	}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, g.URL, http.NoBody)
	if err != nil {
		return unit.Answer{Reach: unit.ReachRefuses, Message: fmt.Sprintf("%s: it is no URL that can be asked", g)}
	}
	request.Header.Set("User-Agent", a.agent)
	response, err := guard.Asked{Next: guard.Behind{Next: transport}, Ask: a.may}.RoundTrip(request) // a client would read, and may tell, where a page sends on to
	if err != nil {
		kind, detail := plain(err)
		return unit.Answer{Reach: unit.ReachUnknown, Message: fmt.Sprintf("%s: %s", g, kind), Detail: detail}
	}
	defer response.Body.Close()
	good := response.StatusCode == g.Status || g.Status == 0 && response.StatusCode/100 == 2
	if good {
		return unit.Answer{Reach: unit.ReachAnswers}
	}
	return unit.Answer{Reach: unit.ReachRefuses, Message: fmt.Sprintf("%s: %d %s", g, response.StatusCode, http.StatusText(response.StatusCode))}
}

// newTransport returns one for a single question, so that neither a connection nor a certificate outlives it.
func newTransport(g unit.Check) (*http.Transport, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if g.CA != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(g.CA)) {
			return nil, errors.New("ca has no certificate in PEM")
		}
	}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, OnProxyConnectResponse: guard.ProxyAnswer, TLSClientConfig: config, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10,
	}, nil
}

// plain says what kind of an error it is, in words that are the same with each attempt, and all of it but what a page
// says, with ports of ours and times.
func plain(err error) (kind, detail string) {
	var (
		certificate *tls.CertificateVerificationError
		name        *net.DNSError
	)
	switch {
	case guard.NotSent(err):
		return "it was not asked", err.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time", ""
	case errors.As(err, &certificate):
		return "its certificate is not trusted", certificate.Err.Error()
	case errors.As(err, &name):
		return "its name is not found", name.Err
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the connection is refused", ""
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed before an answer", ""
	case guard.NotHTTP(err):
		return "what it answers is no HTTP", ""
	}
	return "it cannot be reached", err.Error()
}
