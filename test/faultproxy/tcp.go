package faultproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TCPFaults is what a TCP forwarder does to connections. The zero value forwards faithfully.
type TCPFaults struct {
	Delay          time.Duration // before each piece is passed on, in both directions
	BytesPerSecond int           // in each direction of each connection; 0 means unlimited
	CutSent        int64         // cut the connection once the client has sent this many bytes, which are passed on; 0 means never
	CutReceived    int64         // the same for what the client has received
	Reset          bool          // cut with an RST; without CutSent and CutReceived: as soon as the connection is accepted
	Refuse         bool          // refuse new connections, as a server that is not running
}

// TCP forwards connections to a server and spoils them on demand. It is safe for concurrent
// use.
type TCP struct {
	target   string
	address  string
	hold     int // a socket that never listens and keeps the port when the listener is closed
	lifetime context.Context
	end      context.CancelFunc
	work     sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener // nil while connections are refused
	faults   TCPFaults
	links    map[*link]struct{}
	accepted int
}

// StartTCP starts a forwarder to target, a host and port, that is closed when the test ends.
func StartTCP(t testing.TB, target string) *TCP {
	t.Helper()
	p, err := NewTCP(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// NewTCP starts a forwarder to target, a host and port. The caller closes it.
func NewTCP(target string) (*TCP, error) {
	hold, port, err := holdPort()
	if err != nil {
		return nil, fmt.Errorf("forwarder to %s: %w", target, err)
	}
	p := &TCP{target: target, hold: hold, address: fmt.Sprintf("127.0.0.1:%d", port), links: map[*link]struct{}{}}
	p.lifetime, p.end = context.WithCancel(context.Background())
	if err := p.Set(TCPFaults{}); err != nil {
		_ = unix.Close(hold)
		return nil, err
	}
	return p, nil
}

// Addr is the host and port for clients. It stays the same while connections are refused.
func (p *TCP) Addr() string { return p.address }

// Accepted is how many connections were accepted so far.
func (p *TCP) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// Set replaces the faults. All but Refuse concern only connections that are accepted from
// now on. It fails when the port cannot be listened on again.
func (p *TCP) Set(faults TCPFaults) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = faults
	switch {
	case faults.Refuse && p.listener != nil:
		_ = p.listener.Close()
		p.listener = nil
	case !faults.Refuse && p.listener == nil:
		config := net.ListenConfig{Control: func(_, _ string, conn syscall.RawConn) error { return onSocket(conn, sharePort) }}
		listener, err := config.Listen(p.lifetime, "tcp", p.address)
		if err != nil {
			return fmt.Errorf("forwarder to %s: %w", p.target, err)
		}
		p.listener = listener
		p.work.Go(func() { p.accept(listener) })
	}
	return nil
}

// ResetConnections resets all connections that are open now, on both sides.
func (p *TCP) ResetConnections() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.cut(true)
	}
}

// Close ends all connections and returns when nothing of the forwarder runs any more.
func (p *TCP) Close() {
	p.end()
	_ = p.Set(TCPFaults{Refuse: true})
	p.mu.Lock()
	for l := range p.links {
		l.cut(false)
	}
	p.mu.Unlock()
	p.work.Wait()
	_ = unix.Close(p.hold)
}

func (p *TCP) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.accepted++
		l := &link{tcp: p, faults: p.faults, client: conn.(*net.TCPConn)}
		l.ctx, l.stop = context.WithCancel(p.lifetime)
		p.links[l] = struct{}{}
		p.mu.Unlock()
		p.work.Go(func() {
			defer func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				delete(p.links, l)
			}()
			l.run()
		})
	}
}

// holdPort binds a socket to a free loopback port without listening: connections are refused,
// and the kernel gives the port to nobody else.
func holdPort() (socket, port int, err error) {
	socket, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, 0, fmt.Errorf("make a socket: %w", err)
	}
	err = sharePort(socket)
	if err == nil {
		err = unix.Bind(socket, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	var name unix.Sockaddr
	if err == nil {
		name, err = unix.Getsockname(socket)
	}
	if err != nil {
		_ = unix.Close(socket)
		return 0, 0, fmt.Errorf("hold a port: %w", err)
	}
	return socket, name.(*unix.SockaddrInet4).Port, nil
}

// sharePort lets the holding socket and the listener be bound to one port.
func sharePort(socket int) error {
	return unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
}

func onSocket(conn syscall.RawConn, do func(socket int) error) error {
	var done error
	err := conn.Control(func(socket uintptr) { done = do(int(socket)) })
	return errors.Join(err, done)
}
