package helm

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestARepositoryThatHangsUpIsToldTheSame: whatever the port was at our end, as each report would be another one otherwise.
func TestARepositoryThatHangsUpIsToldTheSame(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		if tcp, is := conn.(*net.TCPConn); is {
			_ = tcp.SetLinger(0) // so that the connection is reset
		}
		_ = conn.Close()
	}))
	t.Cleanup(server.Close)
	s := site{base: &http.Transport{DisableKeepAlives: true}}
	told := map[string]bool{}
	for range 3 {
		err := s.read(server.URL+"/index.yaml?token=canary", 1<<10, errLargeIndex, func(io.Reader) error { return nil })
		var operation *net.OpError
		if !errors.As(err, &operation) || operation.Source == nil {
			t.Fatalf("it does not tell our end: %v", err)
		}
		told[err.Error()] = true
	}
	for text := range told {
		if len(told) > 1 || strings.Contains(text, "canary") || !strings.Contains(text, "reset") {
			t.Errorf("got %q", text)
		}
	}
}
