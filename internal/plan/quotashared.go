package plan

import (
	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// shared is a thing that several objects refer to, and the limit of how many may.
type shared struct {
	thing addr.Object
	limit string
}

// share takes how many objects refer to the things that a new object refers to.
func (s *scales) share(in *demand, kind *schema.Block, c *Change, want known) {
	for limit, name := range kind.Quota.Shared {
		if thing, _ := s.refers(kind, name, want, s.places[c.Address].unit); !thing.IsZero() {
			in.one(limit, s.sharers()[shared{thing, limit}])
		}
	}
}

// sharers are how many of the units refer to one thing, by the things that have a limit for that.
func (s *scales) sharers() map[shared]int64 {
	if s.sharing != nil {
		return s.sharing
	}
	s.sharing = map[shared]int64{}
	for i := range s.Units {
		u := &s.Units[i]
		r, ok := u.Spec.(*unit.Resource)
		if !ok || r.Lookup {
			continue
		}
		kind := s.Language.Resource(r.Kind)
		if kind == nil || kind.Quota == nil {
			continue
		}
		for limit, name := range kind.Quota.Shared {
			if thing, _ := s.refers(kind, name, s.wanted(u.Address), u); !thing.IsZero() {
				s.sharing[shared{thing, limit}]++
			}
		}
	}
	return s.sharing
}
