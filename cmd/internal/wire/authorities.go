package wire

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/guard"
)

// authorities reaches servers whose certificates are of the system's authorities or of those in a file. That is read for
// each request, so that others can take their place. While it cannot be read, or has none, nothing is asked: another try may
// help. It may be used by many goroutines.
type authorities struct {
	file string

	mutex   sync.Mutex
	text    []byte
	through *http.Transport // that trusts text
}

// RoundTrip asks over connections of those who are trusted now.
func (a *authorities) RoundTrip(request *http.Request) (*http.Response, error) {
	through, err := a.now()
	if err != nil {
		if request.Body != nil {
			_ = request.Body.Close() // as a RoundTripper has to
		}
		return nil, err
	}
	return through.RoundTrip(request)
}

func (a *authorities) now() (*http.Transport, error) {
	text, err := os.ReadFile(a.file)
	if err != nil {
		return nil, fmt.Errorf("--chart-ca-file: %w", err)
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.through != nil && bytes.Equal(a.text, text) {
		return a.through, nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--chart-ca-file: there is no certificate in %s", a.file)
	}
	if a.through != nil {
		a.through.CloseIdleConnections()
	}
	a.text, a.through = text, &http.Transport{
		Proxy: http.ProxyFromEnvironment, OnProxyConnectResponse: guard.ProxyAnswer, ForceAttemptHTTP2: true, DisableCompression: true, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}
	return a.through, nil
}
