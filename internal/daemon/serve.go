package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// serve answers /healthz, /readyz and /metrics until ctx ends. It returns at once, with the address
// it listens on.
func (d *Daemon) serve(ctx context.Context) (net.Addr, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", d.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen for health checks: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "ok\n") // who asked may be gone
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if problems := d.problems(); len(problems) > 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, strings.Join(problems, "\n")+"\n")
			return
		}
		_, _ = io.WriteString(w, "ok\n")
	})
	mux.Handle("GET /metrics", d.metrics.handler())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			d.Log.Error().Err(err).Msg("health checks are not answered any more")
		}
	}()
	context.AfterFunc(ctx, func() { _ = server.Close() }) // nobody waits for an answer from a process that ends
	return listener.Addr(), nil
}
