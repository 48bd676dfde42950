package gitserver

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Operation is a kind of request. Kinds are combined with | in Faults.
type Operation uint8

const (
	// ListRefs asks for the refs in order to read: one for each ls-remote, fetch or clone.
	ListRefs Operation = 1 << iota
	// Fetch asks for objects. The git client may need several for one fetch over HTTP.
	Fetch
	// ListRefsToPush asks for the refs in order to push: one for each push.
	ListRefsToPush
	// Push sends commands and objects. A push that changes nothing has none.
	Push
)

// needs returns the access that a client must have for the operation.
func (o Operation) needs() Access {
	if o&(ListRefsToPush|Push) != 0 {
		return ReadWrite
	}
	return ReadOnly
}

// Faults says how a server mistreats requests. Each request obeys the faults that are
// set when it arrives. Latency comes first, then Hang, then Status; BytesPerSecond and
// CutAfter concern the requests that Git answers. The zero value is a healthy server.
//
// One SSH session is one or two requests: the list of refs and, if the client goes on,
// the Fetch or Push.
type Faults struct {
	// On selects the kinds of requests; zero selects all of them.
	On Operation
	// Times is the number of requests to mistreat before the server is healthy again;
	// zero means all of them.
	Times int

	// Latency delays the request before Git sees it.
	Latency time.Duration
	// BytesPerSecond limits the transfer of the request's and the answer's content. Over
	// HTTP, Git does not see a request before the time has passed that its content takes.
	BytesPerSecond int
	// CutAfter closes the connection when so many bytes of Git's answer were sent, and
	// Git completes what it was asked for: a push is done though its answer is lost.
	CutAfter int
	// Status answers with this HTTP status without asking Git; 401 comes with a
	// challenge. Over SSH the command fails with a message that contains the status.
	Status int
	// RetryAfter is sent with Status over HTTP, in whole seconds.
	RetryAfter time.Duration
	// Hang leaves the request without answer until Release, when it is served, or until
	// SetFaults, Stop or Close, when its connection is closed without Git seeing it.
	Hang bool
}

// errCut ends requests that hung when the faults changed.
var errCut = errors.New("the faults changed")

// faultControl hands every request its faults.
type faultControl struct {
	mu       sync.Mutex
	faults   Faults
	left     int           // requests still to mistreat, if faults.Times limits them
	released chan struct{} // closed by release
	replaced chan struct{} // closed by set
}

func newFaultControl() *faultControl {
	return &faultControl{released: make(chan struct{}), replaced: make(chan struct{})}
}

func (c *faultControl) set(faults Faults) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults, c.left = faults, faults.Times
	close(c.replaced)
	c.replaced = make(chan struct{})
}

func (c *faultControl) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.released)
	c.released = make(chan struct{})
}

// take returns the faults of one request that arrives now.
func (c *faultControl) take(operation Operation) fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := fault{released: c.released, replaced: c.replaced}
	if c.faults.On != 0 && c.faults.On&operation == 0 {
		return f
	}
	if c.faults.Times > 0 {
		if c.left == 0 {
			return f
		}
		c.left--
	}
	f.Faults = c.faults
	return f
}

// fault is what happens to one request.
type fault struct {
	Faults
	released <-chan struct{}
	replaced <-chan struct{}
}

// hold waits as long as latency and hang demand. An error means that the request must
// not be served.
func (f fault) hold(ctx context.Context) error {
	if err := f.wait(ctx, f.Latency); err != nil {
		return err
	}
	if f.Hang {
		select {
		case <-f.released:
		case <-f.replaced:
			return errCut
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// slice returns how many bytes to transfer between two waits, out of n: a twentieth of
// a second's worth, if the transfer is limited.
func (f fault) slice(n int) int {
	if f.BytesPerSecond <= 0 {
		return n
	}
	return min(n, max(1, f.BytesPerSecond/20))
}

// transfer waits as long as n bytes take.
func (f fault) transfer(ctx context.Context, n int) error {
	if f.BytesPerSecond <= 0 {
		return ctx.Err()
	}
	return f.wait(ctx, time.Duration(n)*time.Second/time.Duration(f.BytesPerSecond))
}

// wait returns after d, or at once when the request is released.
func (f fault) wait(ctx context.Context, d time.Duration) error {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-f.released:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}
