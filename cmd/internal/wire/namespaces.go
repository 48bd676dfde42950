package wire

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// gathering is how long others are waited for after a namespace came, went or changed: each look may have all composed
// and planned anew, and who makes namespaces often makes several.
const gathering = 3 * time.Second

// mostTold is how many revisions may be composed of what was told at the same time: the newest, and the one in force.
const mostTold = 2

// namespaceWatch knows which namespaces compose was told of, by the labels that it asked for.
type namespaceWatch struct {
	heard chan struct{} // one is enough, however much happened

	mutex sync.Mutex
	told  []chosen // what was told last is at the end
	owed  bool     // others were told, but perhaps nothing was composed of them
}

// chosen are the namespaces that have certain labels.
type chosen struct {
	selector map[string]string
	names    []string
}

func newNamespaceWatch() *namespaceWatch {
	return &namespaceWatch{heard: make(chan struct{}, 1)}
}

// look has the namespaces looked at soon.
func (w *namespaceWatch) look() {
	select {
	case w.heard <- struct{}{}:
	default:
	}
}

// follow calls f each time that others are chosen than compose was told of, until ctx ends. What changes soon after each
// other is one call.
func (w *namespaceWatch) follow(ctx context.Context, now func(selector map[string]string) ([]string, error), f func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.heard:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(gathering):
		}
		select {
		case <-w.heard: // which is seen now
		default:
		}
		if w.news(now) {
			f()
		}
	}
}

// tell remembers what compose is told. What changes from then on is news, and so is what changed since the last time,
// as with the nodes. Selectors that nothing is composed of any more are forgotten.
func (w *namespaceWatch) tell(selector map[string]string, names []string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	i := slices.IndexFunc(w.told, func(t chosen) bool { return maps.Equal(t.selector, selector) })
	if i < 0 {
		w.look() // they may have changed when nobody listened
	} else {
		if !slices.Equal(w.told[i].names, names) {
			w.owed = true
			w.look()
		}
		w.told = slices.Delete(w.told, i, i+1)
	}
	w.told = append(w.told, chosen{selector: maps.Clone(selector), names: names})
	if len(w.told) > mostTold {
		w.told = slices.Delete(w.told, 0, len(w.told)-mostTold)
	}
}

// news tells whether others are chosen than compose was told of, once for each change. What cannot be seen is no news.
func (w *namespaceWatch) news(now func(selector map[string]string) ([]string, error)) bool {
	w.mutex.Lock()
	news, told := w.owed, slices.Clone(w.told)
	w.owed = false
	w.mutex.Unlock()
	for _, before := range told {
		names, err := now(before.selector)
		if err != nil || slices.Equal(names, before.names) {
			continue
		}
		news = true
		w.mutex.Lock()
		for i := range w.told {
			if maps.Equal(w.told[i].selector, before.selector) {
				w.told[i].names = names
			}
		}
		w.mutex.Unlock()
	}
	return news
}
