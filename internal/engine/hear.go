package engine

import (
	"context"
	"sync"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// Notify says that something changed in the world that belongs to these units. Addresses that the
// engine does not know are passed over. It may be called from any goroutine, and never blocks: watches go on while the
// engine is busy, and what they tell is not forgotten.
func (e *Engine) Notify(addresses ...addr.Object) {
	e.heard.put(addresses)
	select {
	case e.wake <- struct{}{}:
	default: // it is awake
	}
}

// hear takes up what was heard.
func (e *Engine) hear() {
	for a := range e.heard.take() {
		if l := e.loops[a]; l != nil {
			l.stale, l.dirty, l.heard = true, true, l.heard || l.refused()
		} else if e.records != nil {
			e.records.due[a] = true
		}
	}
}

// heard are units that something changed of.
type heard struct {
	mutex sync.Mutex
	units map[addr.Object]bool
}

func (h *heard) put(addresses []addr.Object) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.units == nil {
		h.units = map[addr.Object]bool{}
	}
	for _, a := range addresses {
		h.units[a] = true
	}
}

func (h *heard) take() map[addr.Object]bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	units := h.units
	h.units = nil
	return units
}

// Heard returns when all that the engine was told before has been taken up. The error is the context's.
func (e *Engine) Heard(ctx context.Context) error {
	done := make(chan struct{})
	if err := e.send(ctx, func() { close(done) }); err != nil {
		return err
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
