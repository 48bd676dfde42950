package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The authorities of --chart-ca-file count as they are now, also for who began with others, and for connections that are
// open. Without any there is nothing to begin with.
func TestChartAuthoritiesAreReadAgain(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	other, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	write := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	authority := func(der []byte) []byte { return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}) }
	flags := &Flags{CacheDir: t.TempDir(), ChartCA: file}
	if _, err := flags.charts(); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "--chart-ca-file: ") {
		t.Errorf("without a file: %v", err)
	}
	write([]byte("nonsense"))
	if _, err := flags.charts(); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "no certificate in "+file) {
		t.Errorf("without a certificate: %v", err)
	}

	write(authority(other))
	options, err := flags.charts()
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: options.Transport}
	ask := func(what, want string) {
		t.Helper()
		answer, err := client.Get(server.URL)
		if err == nil {
			_ = answer.Body.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	ask("another authority", "unknown authority")
	write(authority(server.Certificate().Raw))
	ask("its authority", "")
	ask("again", "")
	write(nil)
	ask("none", "no certificate in "+file)
	write(authority(other))
	ask("another one again", "unknown authority")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	ask("without the file", "--chart-ca-file: ")
}
