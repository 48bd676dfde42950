package gitserver

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/test/freeport"
)

// stopTimeout bounds how long Stop and Close wait for git commands to end after their
// connections were closed.
const stopTimeout = 2 * time.Minute

// Access says what a user or a key may do.
type Access int

const (
	// NoAccess is the zero value: every request is refused.
	NoAccess Access = iota
	// ReadOnly lists refs and fetches.
	ReadOnly
	// ReadWrite pushes as well.
	ReadWrite
)

// endpoint is what the HTTP and the SSH server have in common: one address, the
// requests that arrive there, and the faults they meet.
type endpoint struct {
	store  *Store
	addr   string // host:port, the same after Stop and Start
	open   func(*period) backend
	faults *faultControl
	counts *counter
	ports  freeport.Allocator
	log    *testLog

	mu      sync.Mutex
	current *period // nil while the server is stopped
	closed  bool
}

// backend serves connections until its Close.
type backend interface {
	Serve(net.Listener) error
	Close() error
}

// newEndpoint makes an endpoint for Start. The port is reserved for as long as the test
// runs, so that Start finds it free after Stop.
func newEndpoint(t testing.TB, store *Store, open func(*period) backend) *endpoint {
	t.Helper()
	e := &endpoint{store: store, open: open, faults: newFaultControl(), counts: newCounter(), log: &testLog{t: t}}
	ports, err := e.ports.Take(1)
	if err != nil {
		t.Fatalf("start a git server: %v", err)
	}
	e.addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[0]))
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close the git server on %s: %v", e.addr, err)
		}
	})
	return e
}

// Addr returns host and port. They stay the same after Stop and Start.
func (e *endpoint) Addr() string { return e.addr }

// SetFaults changes how the server mistreats requests that arrive from now on. It
// closes the connections of requests that hang; those under way keep their faults.
func (e *endpoint) SetFaults(faults Faults) { e.faults.set(faults) }

// Release lets every request go on at once that hangs, waits for its latency to pass
// or is slowed down. Requests that arrive later meet the faults again.
func (e *endpoint) Release() { e.faults.release() }

// Requests returns the number of requests so far by the name of the repository.
func (e *endpoint) Requests() map[string]Counts {
	counts, _ := e.counts.snapshot()
	return counts
}

// AwaitRequests returns when the requests for the named repository are enough. It fails
// when ctx ends first. A request counts when it arrives, before it meets a fault.
func (e *endpoint) AwaitRequests(ctx context.Context, repository string, enough func(Counts) bool) error {
	return e.counts.await(ctx, repository, enough)
}

// Start listens again after Stop.
func (e *endpoint) Start(t testing.TB) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.current != nil || e.closed {
		t.Fatalf("start the git server on %s: it runs already or was closed", e.addr)
	}
	l, err := listen(e.addr)
	if err != nil {
		t.Fatalf("start a git server: %v", err)
	}
	p := &period{listener: l, served: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.backend = e.open(p)
	go func() {
		defer close(p.served)
		_ = p.backend.Serve(p.listener) // ends with stop, which is no error
	}()
	e.current = p
}

// Stop makes the server unreachable: it closes every connection and refuses new ones
// until Start. Git commands that run are ended or completed before it returns.
func (e *endpoint) Stop(t testing.TB) {
	t.Helper()
	if err := e.stop(); err != nil {
		t.Fatalf("stop the git server on %s: %v", e.addr, err)
	}
}

// Close stops the server for good and gives its port back. It is called when the test
// ends and may be called before, and more than once. It takes seconds at most.
func (e *endpoint) Close() error {
	err := e.stop()
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.closed = true
		e.ports.Release()
	}
	return err
}

func (e *endpoint) stop() error {
	e.mu.Lock()
	p := e.current
	e.current = nil
	e.mu.Unlock()
	if p == nil {
		return nil
	}
	return p.end()
}

// period is the time between a Start and the next Stop.
type period struct {
	ctx      context.Context // ends at Stop
	cancel   context.CancelFunc
	backend  backend
	listener *listener
	served   chan struct{} // closed when the backend accepts no more connections

	mu     sync.Mutex
	ended  bool
	active sync.WaitGroup // requests being served
}

// enter announces a request that is about to be served. It returns false when the
// period is over; otherwise leave must follow.
func (p *period) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return false
	}
	p.active.Add(1)
	return true
}

func (p *period) leave() { p.active.Done() }

func (p *period) end() error {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.listener.refuse()
	p.cancel()
	_ = p.backend.Close()
	p.listener.closeAll()

	idle := make(chan struct{})
	go func() {
		<-p.served
		p.active.Wait()
		close(idle)
	}()
	timer := time.NewTimer(stopTimeout)
	defer timer.Stop()
	select {
	case <-idle:
		return nil
	case <-timer.C:
		return fmt.Errorf("requests are still running after %s", stopTimeout)
	}
}

// testLog writes what Git complains about to the log of the test.
type testLog struct{ t testing.TB }

func (l *testLog) Write(p []byte) (int, error) {
	l.t.Logf("git server: %s", strings.TrimRight(string(p), "\n"))
	return len(p), nil
}
