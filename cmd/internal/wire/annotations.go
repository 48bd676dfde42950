package wire

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// annotations are those by which somebody asks for another look, on objects that show how things stand.
type annotations struct {
	mutex   sync.Mutex
	changed map[unit.ObjectRef]bool
	seen    map[unit.ObjectRef]string // what each said last; only who reads them uses it
}

// asking is what one request is about. name is the same for every process that finds it, and "" for a pass, which wants what
// was given up no more than any other look does.
type asking struct {
	name    string
	targets []addr.Address
}

// note notes that an object has changed. It returns at once.
func (a *annotations) note(ref unit.ObjectRef) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.changed[ref] = true
}

func (a *annotations) take() []unit.ObjectRef {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	refs := slices.Collect(maps.Keys(a.changed))
	clear(a.changed)
	return refs
}

// annotated returns what the annotations ask for that are new, each with the name of the request, in order. Those that
// cannot be read are read again with the next change.
func (s *System) annotated(ctx context.Context, a *annotations) []asking {
	refs := a.take()
	if len(refs) == 0 {
		return nil
	}
	now, err := s.cluster.AskedAt(ctx, refs...)
	if err != nil {
		for _, ref := range refs {
			a.note(ref)
		}
		s.Log.Debug().Err(err).Msg("what annotations ask for is noticed later")
		return nil
	}
	var targets []asking
	for ref, value := range now {
		if value == a.seen[ref] {
			continue
		}
		target := s.showed(ref)
		if target == nil {
			continue // no configuration is in force yet, or it does not have it any more
		}
		if a.seen[ref] = value; value != "" {
			targets = append(targets, asking{"annotation " + value, []addr.Address{target}})
		}
	}
	slices.SortFunc(targets, func(a, b asking) int { return addr.Compare(a.targets[0], b.targets[0]) })
	return targets
}

// showed returns what an object shows the standing of, nil for what nothing can be done about.
func (s *System) showed(ref unit.ObjectRef) addr.Address {
	m := s.Model()
	if m == nil {
		return nil
	}
	if ref == unit.ShownRef(unit.KindShownCloud, m.Cloud.Name) {
		return addr.Module{}
	}
	for i := range m.Cloud.Services {
		if one := &m.Cloud.Services[i]; ref == unit.ShownRef(unit.KindShownService, one.Name) {
			return one.Address
		}
	}
	for i := range m.Nodes {
		if one := &m.Nodes[i]; ref == unit.ShownRef(unit.KindShownNode, one.Name) {
			return one.Address
		}
	}
	return nil
}
