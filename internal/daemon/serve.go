package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/webhook"
)

// Hooks say where webhooks are answered.
type Hooks struct {
	Listen      string
	Certificate *webhook.Certificate // nil for plain HTTP
	// Secret returns what requests are signed with; it is asked for each.
	Secret func() (redact.Secret, error)
	// Listening is told the address that they are answered on; nil for nobody.
	Listening func(net.Addr)
}

// serve answers /healthz, /readyz and /metrics until ctx ends. It returns at once, with the address
// it listens on.
func (d *Daemon) serve(ctx context.Context) (net.Addr, error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok\n") // who asked may be gone
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if problems := d.unready(); len(problems) > 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, strings.Join(problems, "\n")+"\n")
			return
		}
		_, _ = io.WriteString(w, "ok\n")
	})
	mux.Handle("GET /metrics", d.metrics.handler())
	address, err := d.answer(ctx, d.Listen, d.Certificate, mux, "health checks")
	if err != nil {
		return nil, fmt.Errorf("listen for health checks: %w", err)
	}
	return address, nil
}

// serveHooks answers the requests of webhooks until ctx ends, at an address of its own: whoever may push is
// not who may look at how the daemon does.
func (d *Daemon) serveHooks(ctx context.Context) (net.Addr, error) {
	mux := http.NewServeMux()
	mux.Handle("POST /webhook", &webhook.Receiver{
		Secret:  d.hookSecret,
		Counted: func(result webhook.Result) { d.metrics.hooks.WithLabelValues(string(result)).Inc() },
		Pushed:  d.heardOfPush,
	})
	address, err := d.answer(ctx, d.Hooks.Listen, d.Hooks.Certificate, mux, "webhooks")
	if err != nil {
		return nil, fmt.Errorf("listen for webhooks: %w", err)
	}
	return address, nil
}

// contained is a handler of which a panic ends the request alone, as always, and is told without its value: the library would
// tell all of it, or nobody.
func (d *Daemon) contained(handler http.Handler, what string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := contain.Do(func() error { handler.ServeHTTP(w, r); return nil })
		if p := (*contain.Panic)(nil); errors.As(err, &p) {
			d.Log.Error().Str("work", what).Str("panic", p.What).Str("stack", p.Stack).Msg("a panic was contained")
			panic(http.ErrAbortHandler) // the connection is closed, and nothing is told
		}
	})
}

// answer has a handler answer requests at an address until ctx ends, over TLS where there is a certificate. It
// returns at once, with the address it listens on. What clients take is bounded at each address apart, so that a crowd
// at the one for webhooks, which mostly is reachable from outside, keeps no probe of health from the other.
func (d *Daemon) answer(ctx context.Context, listen string, certificate *webhook.Certificate, handler http.Handler, what string) (net.Addr, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, err
	}
	address := listener.Addr()
	listener = newBounded(listener, maxConnections)
	if certificate != nil {
		listener = tls.NewListener(listener, &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate.Get})
	}
	server := &http.Server{
		Handler: d.contained(handler, what), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: 15 * time.Second,
		MaxHeaderBytes: maxHeader, ErrorLog: stdlog.New(io.Discard, "", 0), // whoever connects could fill the log
	}
	contain.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			d.Log.Error().Err(err).Msg(what + " are not answered any more")
		}
	})
	context.AfterFunc(ctx, contain.Callback(func() { _ = server.Close() })) // nobody waits for an answer from a process that ends
	return address, nil
}
