package helm

import (
	"context"
	"sync"
	"time"
)

// listingAge is how long one list of releases answers for: the many credentials of one look ask
// about the same few releases.
const listingAge = 2 * time.Second

// listings remember the last list of each namespace. As nobody else installs releases, what this
// driver changes itself makes them stale at once.
type listings struct {
	mu      sync.Mutex // held over the request, so that those who ask at once share it
	last    map[string]listing
	remains map[string]remaining // what keeps the values of releases, by namespace
}

type listing struct {
	at        time.Time
	histories map[string][]stored
}

// history returns the revisions of one release.
func (d *Driver) history(ctx context.Context, namespace, name string) ([]stored, error) {
	l := &d.listings
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.last[namespace]
	if !ok || time.Since(known.at) > listingAge {
		histories, err := d.list(ctx, namespace, "")
		if err != nil {
			return nil, err
		}
		d.prefetch(ctx, namespace, histories)
		known = listing{at: time.Now(), histories: histories}
		if l.last == nil {
			l.last = map[string]listing{}
		}
		l.last[namespace] = known
	}
	return known.histories[namespace+"/"+name], nil
}

// forget drops what was listed, before and after a change.
func (l *listings) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last, l.remains = nil, nil
}
