package gitserver

import (
	"context"
	"errors"
	"net"
	"sync"
	"syscall"
	"time"
)

// listenTimeout bounds how long a server waits for its port.
const listenTimeout = 2 * time.Minute

// listen listens on a port that is reserved for the caller. A process that this one
// forks holds a copy of every socket until it executes its program, so a port may be
// taken for a moment after its socket was closed. Nothing tells when that ends.
func listen(addr string) (*listener, error) {
	ctx, cancel := context.WithTimeout(context.Background(), listenTimeout)
	defer cancel()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for {
		inner, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
		if err == nil {
			return &listener{Listener: inner, conns: map[net.Conn]struct{}{}}, nil
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return nil, err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}

// listener knows its connections: neither server closes those it has not read from.
type listener struct {
	net.Listener

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]struct{}
}

// refuse makes the kernel refuse connections. Closing alone does not do that as long as
// a forked process holds a copy of the socket.
func (l *listener) refuse() {
	if tcp, ok := l.Listener.(*net.TCPListener); ok {
		if raw, err := tcp.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) { _ = syscall.Shutdown(int(fd), syscall.SHUT_RD) })
		}
	}
}

func (l *listener) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		_ = inner.Close()
		return nil, net.ErrClosed
	}
	c := &conn{Conn: inner, listener: l}
	l.conns[c] = struct{}{}
	return c, nil
}

func (l *listener) closeAll() {
	_ = l.Close()
	l.mu.Lock()
	l.closed = true
	conns := l.conns
	l.conns = map[net.Conn]struct{}{}
	l.mu.Unlock()
	for c := range conns {
		_ = c.Close()
	}
}

type conn struct {
	net.Conn
	listener *listener
}

func (c *conn) Close() error {
	c.listener.mu.Lock()
	delete(c.listener.conns, c)
	c.listener.mu.Unlock()
	if err := c.Conn.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
