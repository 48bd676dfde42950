package kube

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kupenstack/kupenstack-sync/internal/guard"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestNothingIsSentAfterAHandshakeThatTookTooLong: the guard lets a request through, and the lease is lost while the server
// takes its time for the handshake.
func TestNothingIsSentAfterAHandshakeThatTookTooLong(t *testing.T) {
	requests := map[string]func(context.Context, kubernetes.Interface) error{
		"create": func(ctx context.Context, client kubernetes.Interface) error {
			_, err := client.CoreV1().ConfigMaps("n").Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}}, metav1.CreateOptions{})
			return err
		},
		"delete": func(ctx context.Context, client kubernetes.Interface) error {
			return client.CoreV1().ConfigMaps("n").Delete(ctx, "c", metav1.DeleteOptions{})
		},
		"dry run": func(ctx context.Context, client kubernetes.Interface) error {
			return client.CoreV1().ConfigMaps("n").Delete(ctx, "c", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
		},
		"get": func(ctx context.Context, client kubernetes.Interface) error {
			_, err := client.CoreV1().ConfigMaps("n").Get(ctx, "c", metav1.GetOptions{})
			return err
		},
		"watch": func(ctx context.Context, client kubernetes.Interface) error {
			_, err := client.CoreV1().ConfigMaps("n").Watch(ctx, metav1.ListOptions{})
			return err
		},
		"discovery": func(_ context.Context, client kubernetes.Interface) error {
			_, err := client.Discovery().ServerVersion()
			return err
		},
	}
	for _, protocol := range []string{"h2", "http/1.1"} {
		for name, send := range requests {
			t.Run(protocol+" "+name, func(t *testing.T) {
				var lost atomic.Bool
				var arrived atomic.Int64
				server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived.Add(1) }))
				server.EnableHTTP2 = true
				server.Config.ErrorLog = log.New(io.Discard, "", 0) // of the connection that is closed
				server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
					lost.Store(true)
					return nil, nil
				}}
				server.StartTLS()
				defer server.Close()
				access := NewAccess(&rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true, NextProtos: []string{protocol}}})
				may := func() error {
					if lost.Load() {
						return unit.ErrNotWriter
					}
					return nil
				}
				client, err := kubernetes.NewForConfig(guarded(Options{Access: access, Guard: may, Reads: may}, &clock{}))
				if err != nil {
					t.Fatal(err)
				}
				if err := send(t.Context(), client); !errors.Is(err, unit.ErrNotWriter) || !guard.NotSent(err) {
					t.Errorf("got %v", err)
				}
				server.CloseClientConnections()
				server.Close()
				if n := arrived.Load(); n > 0 {
					t.Errorf("%d requests arrived", n)
				}
			})
		}
	}
}
