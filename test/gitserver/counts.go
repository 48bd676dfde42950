package gitserver

import (
	"context"
	"fmt"
	"maps"
	"sync"
)

// Counts says how many requests of each kind arrived for one repository, those that
// met a fault included.
type Counts struct {
	ListRefs       int
	Fetch          int
	ListRefsToPush int
	Push           int
	// Refused requests are in no other number: they had no or wrong credentials, lacked
	// the permission, or named a repository that does not exist.
	Refused int
}

// counter counts requests by repository.
type counter struct {
	mu      sync.Mutex
	counts  map[string]Counts
	changed chan struct{} // closed at the next change
}

func newCounter() *counter {
	return &counter{counts: map[string]Counts{}, changed: make(chan struct{})}
}

// add counts a request. The operation 0 stands for a refused one.
func (c *counter) add(repository string, operation Operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := c.counts[repository]
	switch operation {
	case ListRefs:
		counts.ListRefs++
	case Fetch:
		counts.Fetch++
	case ListRefsToPush:
		counts.ListRefsToPush++
	case Push:
		counts.Push++
	default:
		counts.Refused++
	}
	c.counts[repository] = counts
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *counter) snapshot() (map[string]Counts, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.counts), c.changed
}

func (c *counter) await(ctx context.Context, repository string, enough func(Counts) bool) error {
	for {
		counts, changed := c.snapshot()
		if enough(counts[repository]) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("requests for %s are %+v: %w", repository, counts[repository], ctx.Err())
		}
	}
}
