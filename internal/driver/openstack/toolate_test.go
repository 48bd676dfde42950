package openstack

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// The guard lets a request through, and the lease is lost while the server takes its time for the handshake: nothing is
// sent, which is known of a request that creates something, too.
func TestNothingIsSentAfterAHandshakeThatTookTooLong(t *testing.T) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		for method, body := range map[string]string{http.MethodPost: `{"server": {}}`, http.MethodDelete: "", http.MethodGet: ""} {
			t.Run(protocol+" "+method, func(t *testing.T) {
				var lost atomic.Bool
				var arrived atomic.Int64
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived.Add(1) }))
				server.EnableHTTP2 = protocol == "HTTP/2.0"
				server.Config.ErrorLog = log.New(io.Discard, "", 0) // of the connection that is closed
				server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
					lost.Store(true)
					return nil, nil
				}}
				server.StartTLS()
				defer server.Close()
				may := func() error {
					if lost.Load() {
						return unit.ErrNotWriter
					}
					return nil
				}
				client := &http.Client{Transport: &transport{base: server.Client().Transport, guard: may, reads: may}}
				var content io.Reader = http.NoBody
				if body != "" {
					content = strings.NewReader(body)
				}
				o := newOutcomes(settleTime)
				_, err := o.attempt(t.Context(), unit.Target{UID: "u", Attempted: true}, func(ctx context.Context) (*object, error) {
					request, err := http.NewRequestWithContext(ctx, method, server.URL+"/v2.1/servers", content)
					if err != nil {
						return nil, err
					}
					response, err := client.Do(request)
					if err == nil {
						response.Body.Close()
					}
					return nil, err
				})
				if left := o.left(unit.Target{UID: "u", Attempted: true}); !errors.Is(err, unit.ErrNotWriter) || left != 0 {
					t.Errorf("%v, and %v to wait", err, left)
				}
				server.Close()
				if n := arrived.Load(); n > 0 {
					t.Errorf("%d requests arrived", n)
				}
			})
		}
	}
}
