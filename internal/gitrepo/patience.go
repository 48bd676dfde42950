package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
)

const (
	// headway is how many bytes of objects have to come within [Options.Timeout] for a download to go on: Git's own
	// http.lowSpeedLimit and http.lowSpeedTime are of this kind. Without it a repository that needs more than one timeout
	// would begin anew each time, and never arrive.
	headway = 1 << 20
	// longest is how many timeouts a download may take in all, as who sends a byte at a time must not be waited for.
	longest = 10
)

var errStalled = errors.New("less came than has to")

// patience ends a call's context when the timeout is over without headway, and in the end in any case.
type patience struct {
	limit time.Duration // of the whole call while there is no headway
	whole time.Duration // of the whole call
	end   context.CancelFunc

	mu    sync.Mutex
	timer *time.Timer // nil once the call has ended
	came  int         // bytes, or bytes that were read of what had come, since the timer was set
	went  bool        // there was headway
}

// patient returns a context that ends with the timeout, unless [patience.counted] sees headway by then.
func patient(ctx context.Context, timeout time.Duration) (context.Context, *patience) {
	p := &patience{limit: timeout, whole: longest * timeout}
	if ends, ok := ctx.Deadline(); ok { // the caller may have less time
		left := time.Until(ends).Round(100 * time.Millisecond)
		p.limit, p.whole = min(p.limit, left), min(p.whole, left)
	}
	ctx, stop := context.WithTimeout(ctx, longest*timeout)
	ctx, cancel := context.WithCancelCause(ctx)
	p.end = func() {
		cancel(context.Canceled)
		stop()
	}
	p.timer = time.AfterFunc(timeout, contain.Callback(func() { cancel(errStalled) }))
	return ctx, p
}

// stop ends the context. Nothing is left of it then.
func (p *patience) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer.Stop()
	p.timer = nil
	p.end()
}

// late says what a call did not do in time.
func (p *patience) late(ctx context.Context) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.went:
		return "no answer within " + p.limit.String()
	case errors.Is(context.Cause(ctx), errStalled):
		return fmt.Sprintf("less than %d bytes came within %s", headway, p.limit)
	}
	return "not done within " + p.whole.String()
}

// counted is r, of which enough bytes are headway.
func (p *patience) counted(r io.Reader) io.Reader { return &countedReader{from: r, by: p} }

type countedReader struct {
	from io.Reader
	by   *patience
}

func (c *countedReader) Read(b []byte) (int, error) {
	n, err := c.from.Read(b)
	c.by.note(n)
	return n, err
}

// note counts bytes; a call without patience has none.
func (p *patience) note(n int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.came += n; p.came >= headway && p.timer != nil && p.timer.Stop() {
		p.came, p.went = 0, true
		p.timer.Reset(p.limit)
	}
}
