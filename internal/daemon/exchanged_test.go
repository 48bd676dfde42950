package daemon_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/webhook"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// writePair writes a certificate and its key, which are those of a server of tests.
func writePair(t *testing.T, dir string) {
	t.Helper()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	key, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	must(t, err)
	write(t, dir, "tls.crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	write(t, dir, "tls.key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
}

// lines are of a log.
type lines struct {
	mutex sync.Mutex
	all   []string
}

func (l *lines) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.all = append(l.all, string(line))
	return len(line), nil
}

// take returns those that came since it was called last.
func (l *lines) take() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	all := l.all
	l.all = nil
	return all
}

// TestExchangedFilesThatAreOfNoUse: that a secret or a certificate cannot be used which somebody put into its file while the
// daemon runs stands in /readyz for as long as it is so, and in the log once.
func TestExchangedFilesThatAreOfNoUse(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	writePair(t, dir)
	files, err := webhook.NewCertificate(cert, key)
	must(t, err)
	whole, err := os.ReadFile(cert)
	must(t, err)
	synctest.Test(t, func(t *testing.T) {
		log, secret := &lines{}, &atomic.Pointer[error]{}
		wrong := func(err error) { secret.Store(&err) }
		wrong(nil)
		d := &daemon.Daemon{
			Tracker: revision.NewTracker(nil, ".", noFacts, revision.Options{Language: schema.New()}), Publisher: &daemon.Publisher{}, Log: zerolog.New(log),
			Certificate: files, Hooks: &daemon.Hooks{Certificate: files, Secret: func() (redact.Secret, error) { return redact.Secret{}, *secret.Load() }},
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); d.ExaminesFiles(ctx) }()
		says := func(told int, parts ...string) {
			t.Helper()
			log.take()
			time.Sleep(20 * time.Minute)
			synctest.Wait()
			ready := strings.Join(d.Unready(), "\n")
			for _, part := range parts {
				if strings.Count(ready, part) != 1 {
					t.Errorf("%q is not there once in /readyz:\n%s", part, ready)
				}
			}
			if n := strings.Count(ready, "\n") + 1; ready != "" && n != len(parts) || ready == "" && len(parts) > 0 {
				t.Errorf("/readyz has other lines than %q:\n%s", parts, ready)
			}
			if got := log.take(); len(got) != told {
				t.Errorf("the log has %d lines, want %d:\n%s", len(got), told, got)
			}
		}
		says(0)
		wrong(errors.New("secret.txt has less than 16 characters"))
		says(1, "secret for webhooks: secret.txt has less than 16 characters")
		wrong(errors.New("secret.txt: no such file"))
		write(t, dir, "tls.crt", "junk")
		says(3, "secret for webhooks: secret.txt: no such file", "certificate: reading the certificate", "certificate for webhooks: reading the certificate")
		if given, err := files.Get(nil); err != nil || given == nil {
			t.Errorf("the certificate before it is not in use: %v", err)
		}
		wrong(nil)
		write(t, dir, "tls.crt", string(whole))
		says(3)
		stop()
		<-ended
	})
}
