package daemon_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/webhook"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// issued is a certificate that a server has put before it, and what a client has to trust for that.
type issued struct {
	name      string
	cert, key []byte
	trusted   *x509.CertPool
}

// issueFor makes a certificate for an address of this machine.
func issueFor(t *testing.T, name string) issued {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	must(t, err)
	key, err := x509.MarshalPKCS8PrivateKey(private)
	must(t, err)
	i := issued{
		name: name, trusted: x509.NewCertPool(),
		cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
	}
	i.trusted.AppendCertsFromPEM(i.cert)
	return i
}

// mountPair exchanges the two files of a directory as a kubelet does with those of a Secret: both at once, by a link.
func mountPair(t *testing.T, dir string, cert, key []byte) {
	t.Helper()
	content, err := os.MkdirTemp(dir, "content-")
	must(t, err)
	write(t, content, "tls.crt", string(cert))
	write(t, content, "tls.key", string(key))
	next, data := filepath.Join(dir, "next"), filepath.Join(dir, "data")
	must(t, os.Symlink(content, next))
	must(t, os.Rename(next, data))
	for _, name := range []string{"tls.crt", "tls.key"} {
		if err := os.Symlink(filepath.Join(data, name), filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrExist) {
			t.Fatal(err)
		}
	}
}

// asking is a client that keeps its connection.
type asking struct {
	*http.Client
	url string
}

// connect makes a client that trusts one certificate alone.
func connect(t *testing.T, url string, trusted *x509.CertPool) asking {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}, MaxConnsPerHost: 1}
	t.Cleanup(transport.CloseIdleConnections)
	return asking{&http.Client{Transport: transport, Timeout: 10 * time.Second}, url}
}

// sees asks, and wants an answer over a connection that began with a certificate.
func (a asking) sees(t *testing.T, want issued) (text string) {
	t.Helper()
	response, err := a.Get(a.url)
	if err != nil {
		t.Errorf("whoever trusts %s: %v", want.name, err)
		return ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(t, err)
	if got := response.TLS.PeerCertificates[0].Subject.CommonName; got != want.name {
		t.Errorf("%s is shown, want %s", got, want.name)
	}
	return string(body)
}

// TestCertificatesAreExchanged: at each address that takes a certificate from files, connections get what is in there when they
// begin, those that are open go on, and files that are of no use change nothing but that it is told.
func TestCertificatesAreExchanged(t *testing.T) {
	t.Parallel()
	first, second := issueFor(t, "first"), issueFor(t, "second")
	health, hooks := t.TempDir(), t.TempDir()
	log := &lines{}
	certificate := func(dir string) *webhook.Certificate {
		mountPair(t, dir, first.cert, first.key)
		files, err := webhook.NewCertificate(filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))
		must(t, err)
		return files
	}
	d := &daemon.Daemon{
		Listen: "127.0.0.1:0", Certificate: certificate(health), Log: zerolog.New(log), Publisher: &daemon.Publisher{},
		Tracker: revision.NewTracker(nil, ".", noFacts, revision.Options{Language: schema.New()}),
		Hooks: &daemon.Hooks{
			Listen: "127.0.0.1:0", Certificate: certificate(hooks), Secret: func() (redact.Secret, error) { return redact.NewSecret("canary"), nil },
		},
	}
	d.Prepare()
	hooksAt, healthAt, err := d.Answers(t.Context())
	must(t, err)

	for _, at := range []struct{ what, dir, path, told string }{
		{"health checks", health, healthAt.String() + "/metrics", "certificate: reading the certificate"},
		{"webhooks", hooks, hooksAt.String() + "/webhook", "certificate for webhooks: reading the certificate"},
	} {
		t.Run(at.what, func(t *testing.T) {
			url := "https://" + at.path
			open := connect(t, url, first.trusted)
			before := open.sees(t, first)
			mountPair(t, at.dir, second.cert, second.key)
			connect(t, url, second.trusted).sees(t, second)
			if after := open.sees(t, first); (before == "") != (after == "") {
				t.Errorf("the connection that was open got %q, and %q after the exchange", before, after)
			}
			if response, err := connect(t, url, first.trusted).Get(url); err == nil {
				_ = response.Body.Close()
				t.Error("a new connection gets the certificate that was taken away")
			}
			unready := func() string {
				d.ExaminesFilesOnce()
				return strings.Join(d.Unready(), "\n")
			}
			if text := unready(); strings.Contains(text, "certificate") {
				t.Errorf("with a certificate that is in use, /readyz says\n%s", text)
			}

			told := 0
			for what, pair := range map[string][2][]byte{
				"junk": {[]byte("junk"), second.key}, "of two pairs": {first.cert, second.key}, "half": {second.cert[:len(second.cert)/2], second.key}, "empty": {nil, nil},
			} {
				mountPair(t, at.dir, pair[0], pair[1])
				connect(t, url, second.trusted).sees(t, second)
				log.take()
				d.ExaminesFilesOnce()
				ready := connect(t, "https://"+healthAt.String()+"/readyz", second.trusted)
				if text := ready.sees(t, second); strings.Count(text, at.told) != 1 || strings.Contains(text, "junk") {
					t.Errorf("files that are %s: /readyz says\n%s", what, text)
				}
				for _, line := range log.take() {
					if told++; !strings.Contains(line, "the one before it stays in use") {
						t.Errorf("files that are %s: the log says %s", what, line)
					}
				}
			}
			if told == 0 {
				t.Error("the log says nothing of files that are of no use")
			}
			mountPair(t, at.dir, first.cert, first.key)
			connect(t, url, first.trusted).sees(t, first)
			if text := unready(); strings.Contains(text, "certificate") {
				t.Errorf("with a certificate again, /readyz says\n%s", text)
			}
			mountPair(t, at.dir, second.cert, second.key) // whoever asks /readyz trusts that
		})
	}
}
