package guard

import (
	"bytes"
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
)

// What tells this test's binary that it is the process that is paused.
const (
	pausedURL  = "GUARD_TEST_URL"
	pausedLost = "GUARD_TEST_LOST" // a file that is there once the lease is lost
)

// TestPaused is the process that is paused. It wants its request withheld.
func TestPaused(t *testing.T) {
	address, lost := os.Getenv(pausedURL), os.Getenv(pausedLost)
	if address == "" {
		t.Skip("nobody pauses it")
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	response, err := Send(client, request, func() error {
		if _, err := os.Stat(lost); err == nil {
			return errLost
		}
		return nil
	})
	if err == nil {
		response.Body.Close()
	}
	if !NotSent(err) {
		t.Errorf("got %v", err)
	}
}

// A process is paused in the midst of a handshake, and wakes when the lease is another one's.
func TestNothingIsSentByAProcessThatWasPaused(t *testing.T) {
	var arrived atomic.Int64
	reached, release := make(chan struct{}), make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived.Add(1) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		close(reached)
		<-release
		return nil, nil
	}}
	server.StartTLS()
	defer server.Close()
	lost := filepath.Join(t.TempDir(), "lost")
	var output bytes.Buffer
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestPaused$", "-test.count", "1", "-test.v")
	child.Env = append(os.Environ(), pausedURL+"="+server.URL, pausedLost+"="+lost)
	child.Stdout, child.Stderr = &output, &output
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	<-reached
	must(t, child.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(child.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("it did not stop: %v, %v", status, err)
	}
	must(t, os.WriteFile(lost, nil, 0o600))
	close(release)
	must(t, child.Process.Signal(syscall.SIGCONT))
	if err := child.Wait(); err != nil {
		t.Errorf("%v: %s", err, output.String())
	}
	server.Close()
	if n := arrived.Load(); n > 0 {
		t.Errorf("%d requests arrived", n)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
