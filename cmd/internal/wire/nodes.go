package wire

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/driver/helm"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Facts are what compose has to know of the cluster.
func (s *System) Facts(ctx context.Context) (compose.Facts, error) {
	facts := compose.Facts{OpenStackGiven: s.Flags.OSCloud != "", Checks: s.checks, ChartFiles: helm.FilesOf}
	labels, err := s.cluster.NodeLabels(ctx)
	if err != nil {
		return facts, err
	}
	s.nodes.tell(labels)
	facts.Nodes = slices.AppendSeq(make([]string, 0, len(labels)), maps.Keys(labels)) // not nil, as they are known
	slices.Sort(facts.Nodes)
	facts.Labels = func(keys []string) map[string]map[string]string {
		s.nodes.count(keys)
		return labels
	}
	facts.Choose = func(selector map[string]string) ([]string, error) {
		names, err := s.cluster.Namespaces(ctx, selector)
		if err == nil {
			s.namespaces.tell(selector, names)
		}
		return names, err
	}
	return facts, nil
}

// FactsChanged calls f each time that nodes came or went since Facts told of them, or have other labels among those
// that somebody asked for, or that other namespaces are chosen, until ctx ends. f may be called twice at the same time.
func (s *System) FactsChanged(ctx context.Context, f func()) {
	cancel := s.cluster.Subscribe(func(ref unit.ObjectRef) {
		switch ref.Kind {
		case "Node":
			s.nodes.look()
		case "Namespace":
			s.namespaces.look()
		}
	})
	defer cancel()
	var group contain.Background
	defer group.Wait()
	group.Go(func() {
		s.namespaces.follow(ctx, func(selector map[string]string) ([]string, error) { return s.cluster.Namespaces(ctx, selector) }, f)
	})
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.nodes.heard:
			if labels, err := s.cluster.NodeLabels(ctx); err == nil && s.nodes.news(labels) {
				f()
			}
		}
	}
}

// nodeWatch knows what compose was told of the nodes, and what of that counts. Other labels change for nobody here:
// those that we set ourselves are among them, and each time that something counts, everything is looked at again.
type nodeWatch struct {
	heard chan struct{} // one is enough, however much happened

	mutex sync.Mutex
	told  map[string]map[string]string // nil before the first time
	keys  map[string]bool
	owed  bool // something that counts was told, but perhaps nothing was composed of it
}

func newNodeWatch() *nodeWatch {
	return &nodeWatch{heard: make(chan struct{}, 1), keys: map[string]bool{}}
}

// look has the nodes looked at soon.
func (w *nodeWatch) look() {
	select {
	case w.heard <- struct{}{}:
	default:
	}
}

// tell remembers what compose is told. What changes from then on is news, and so is what changed since the last time:
// when a revision has mistakes nothing is composed of what it is told, and the one in force has yet to hear of it.
func (w *nodeWatch) tell(labels map[string]map[string]string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.told != nil && !maps.EqualFunc(labels, w.told, w.same) {
		w.owed = true
		w.look()
	}
	w.told = labels
}

// count has these labels count. They may have changed since compose was told of them, when nobody listened.
func (w *nodeWatch) count(keys []string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, key := range keys {
		if !w.keys[key] {
			w.keys[key] = true
			w.look()
		}
	}
}

// news tells whether what counts is not as compose was told, once for each change.
func (w *nodeWatch) news(labels map[string]map[string]string) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.told == nil {
		return false // nobody was told anything that could have changed
	}
	if !w.owed && maps.EqualFunc(labels, w.told, w.same) {
		return false
	}
	w.told, w.owed = labels, false
	return true
}

// same compares the labels that count. Without one is not the same as with an empty one.
func (w *nodeWatch) same(a, b map[string]string) bool {
	for key := range w.keys {
		before, had := a[key]
		now, has := b[key]
		if had != has || before != now {
			return false
		}
	}
	return true
}
