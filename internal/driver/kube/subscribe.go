package kube

import (
	"sync"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// subscribers are those who want to hear of changes.
type subscribers struct {
	mu   sync.RWMutex
	next int
	byID map[int]func(unit.ObjectRef)
}

// Subscribe has f called for each object that appears, changes or goes in a watch, after the
// watch's first list. f must return at once, and must not call Subscribe or the returned function,
// which ends the subscription.
func (c *Cluster) Subscribe(f func(unit.ObjectRef)) (cancel func()) {
	s := c.subscribers
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = map[int]func(unit.ObjectRef){}
	}
	s.next++
	id := s.next
	s.byID[id] = f
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.byID, id)
	}
}

func (s *subscribers) tell(ref unit.ObjectRef) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, f := range s.byID {
		f(ref)
	}
}
