package kube

import (
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestProxyThatTellsWhomItRefuses: the API server is behind a proxy that repeats the name and the password that it was given, as the
// reason beside its code and as its text.
func TestProxyThatTellsWhomItRefuses(t *testing.T) {
	const login = "robot:canary-proxy"
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		said := "no entry for " + login + " " + base64.StdEncoding.EncodeToString([]byte(login))
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 403 %s\r\nContent-Length: %d\r\n\r\n%[1]s", said, len(said))
		_ = conn.(*net.TCPConn).CloseWrite()
	}))
	defer proxy.Close()
	through, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	through.User = url.UserPassword("robot", "canary-proxy")
	for _, host := range []string{"https://cluster.example.org", "http://cluster.example.org"} {
		access := NewAccess(&rest.Config{Host: host, Proxy: http.ProxyURL(through)})
		c, err := New(Options{Access: access, Log: zerolog.Nop()})
		if err != nil {
			t.Fatal(err)
		}
		_, asked := c.read(t.Context(), unit.ObjectRef{APIVersion: "v1", Kind: "Secret", Namespace: "n", Name: "s"})
		lease, err := (&Lease{Access: access}).connect()
		if err != nil {
			t.Fatal(err)
		}
		_, leased := lease.CoordinationV1().Leases("n").Get(t.Context(), "l", metav1.GetOptions{})
		for what, err := range map[string]error{"a request": asked, "the lease": leased} {
			switch {
			case err == nil:
				t.Errorf("%s of %s had no error", what, host)
			case strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), base64.StdEncoding.EncodeToString([]byte(login))):
				t.Errorf("%s of %s: %v", what, host, err)
			}
		}
	}
}
