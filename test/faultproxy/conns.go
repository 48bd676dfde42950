package faultproxy

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// clientConn is a client's connection to a proxy.
type clientConn struct {
	net.Conn
	severed atomic.Bool // reset by the proxy: nothing of it is forwarded any more
}

// reset closes the connection with an RST. It goes to the TCP connection below TLS, since a
// closing TLS connection would send an alert first.
func (c *clientConn) reset() {
	c.severed.Store(true)
	below := c.Conn
	if encrypted, ok := below.(*tls.Conn); ok {
		below = encrypted.NetConn()
	}
	if tcp, ok := below.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = below.Close()
}

// clientConns is the set of a proxy's open connections.
type clientConns struct {
	mu   sync.Mutex
	open map[net.Conn]*clientConn
	all  sync.WaitGroup // of these
}

type connKey struct{}

// add is the server's ConnContext.
func (s *clientConns) add(ctx context.Context, conn net.Conn) context.Context {
	client := &clientConn{Conn: conn}
	s.all.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[conn] = client
	return context.WithValue(ctx, connKey{}, client)
}

// state is the server's ConnState.
func (s *clientConns) state(conn net.Conn, state http.ConnState) {
	if state == http.StateClosed || state == http.StateHijacked {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[conn] != nil {
			delete(s.open, conn)
			s.all.Done()
		}
	}
}

func (s *clientConns) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

func (s *clientConns) resetAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, client := range s.open {
		client.reset()
	}
}

// connOf returns the connection that a request came in by.
func connOf(r *http.Request) *clientConn {
	return r.Context().Value(connKey{}).(*clientConn)
}
