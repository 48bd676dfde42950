package guard_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/guard"
)

// A proxy that names whom it refuses has nobody's password told.
func TestProxyAnswer(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		sent, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(request.Header.Get("Proxy-Authorization"), "Basic "))
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 407 no entry for %s\r\nContent-Length: 0\r\n\r\n", sent)
	}()
	proxy := &url.URL{Scheme: "http", User: url.UserPassword("robot", "canary"), Host: listener.Addr().String()}
	client := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), OnProxyConnectResponse: guard.ProxyAnswer}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://git.example.org/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err == nil {
		_ = answer.Body.Close()
	}
	if err == nil || strings.Contains(err.Error(), "canary") || !strings.Contains(err.Error(), "the proxy answered 407 Proxy Authentication Required") {
		t.Errorf("got %v", err)
	}
	_ = listener.Close()
	<-done
}
