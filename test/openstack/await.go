package openstack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/process"
)

// await asks until ready says yes. It fails when ctx ends, and at once when one of the named
// processes has ended, with the end of its log. An error of ready is a no; the last one is
// part of the error.
func (r record) await(ctx context.Context, what string, servers []server, ready func(context.Context) (bool, error)) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		done, err := ready(ctx)
		if done && err == nil {
			return nil
		}
		if dead := r.dead(servers); dead != nil {
			return fmt.Errorf("wait for %s: %w", what, dead)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, errors.Join(ctx.Err(), err))
		case <-tick.C:
		}
	}
}

// dead returns an error with the log of the first of the servers that has ended.
func (r record) dead(servers []server) error {
	for _, s := range servers {
		p, err := process.Load(r.runDir(), s.name)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s was stopped", s.name)
		}
		if err != nil {
			return err
		}
		if !p.Alive() {
			return fmt.Errorf("%s ended; its log ends with:\n%s", s.name, strings.TrimSpace(p.LogTail(4000)))
		}
	}
	return nil
}

// awaitURLs waits until every server that has a URL answers it, with whatever status.
func (r record) awaitURLs(ctx context.Context, servers []server) error {
	client := &http.Client{Timeout: 10 * time.Second}
	defer client.CloseIdleConnections()
	for _, s := range servers {
		if s.url == "" {
			continue
		}
		err := r.await(ctx, s.name, servers, func(ctx context.Context) (bool, error) {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
			if err != nil {
				return false, err
			}
			response, err := client.Do(request)
			if err != nil {
				return false, err
			}
			return true, response.Body.Close()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// awaitPort waits until something listens on a port.
func (r record) awaitPort(ctx context.Context, what string, port int, servers []server) error {
	return r.await(ctx, what, servers, func(ctx context.Context) (bool, error) {
		dialer := net.Dialer{Timeout: 5 * time.Second}
		connection, err := dialer.DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return false, err
		}
		return true, connection.Close()
	})
}
