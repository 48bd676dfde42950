package webhook_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/webhook"
)

// issue makes a certificate with a name and its key.
func issue(t *testing.T, name string) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
}

// A certificate that is exchanged is used at once, and between the writing of its two files the one before it is.
func TestCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	moment := time.Now()
	write := func(name string, content []byte) {
		t.Helper()
		moment = moment.Add(time.Second) // a clock may be too coarse to tell two writes apart
		if err := errors.Join(os.WriteFile(name, content, 0o600), os.Chtimes(name, moment, moment)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := webhook.NewCertificate(cert, key); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without files: %v", err)
	}
	firstCert, firstKey := issue(t, "first")
	write(cert, firstCert)
	write(key, firstKey)
	files, err := webhook.NewCertificate(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	serves := func(want string) {
		t.Helper()
		got, err := files.Get(nil)
		if err != nil || got.Leaf.Subject.CommonName != want {
			t.Errorf("got %v, %v, want %s", got, err, want)
		}
	}
	serves("first")
	secondCert, secondKey := issue(t, "second")
	write(cert, secondCert)
	serves("first")
	if err := files.Examine(); err == nil {
		t.Error("nobody is told that the files are of no use")
	}
	write(key, secondKey)
	serves("second")
	if err := files.Examine(); err != nil {
		t.Error(err)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	serves("second")
}
