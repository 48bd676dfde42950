package gitserver

import (
	"context"
	"io"
	"sync"
)

// answer passes Git's output to the client, under the limit and the cut of a fault.
type answer struct {
	ctx   context.Context // ends when the client has gone or the server stops
	to    io.Writer
	flush func() // sends on what was written; may be nil
	onCut func() // may be nil

	mu    sync.Mutex
	fault fault
	sent  int // bytes since the fault applies
	cut   bool
}

// under makes another fault apply to what is written from now on.
func (a *answer) under(f fault) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fault, a.sent = f, 0
}

// wasCut says whether the answer was cut off.
func (a *answer) wasCut() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.cut
}

// Write swallows everything after a cut, so that Git completes its work undisturbed.
func (a *answer) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for done := 0; done < len(p) && !a.cut; {
		n := a.fault.slice(len(p) - done)
		if a.fault.CutAfter > 0 {
			n = min(n, a.fault.CutAfter-a.sent)
		}
		if err := a.fault.transfer(a.ctx, n); err != nil {
			return done, err
		}
		if _, err := a.to.Write(p[done : done+n]); err != nil {
			return done, err
		}
		done += n
		a.sent += n
		a.cut = a.fault.CutAfter > 0 && a.sent >= a.fault.CutAfter
		if a.flush != nil && (a.cut || a.fault.BytesPerSecond > 0) {
			a.flush()
		}
	}
	if a.cut && a.onCut != nil {
		a.onCut()
		a.onCut = nil
	}
	return len(p), nil
}
