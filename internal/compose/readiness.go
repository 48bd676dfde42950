package compose

import (
	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// readiness knows which units have to be installed before another one can be ready, besides what it waits for
// itself.
type readiness struct {
	units map[addr.Object]*unit.Unit // those that need others for being ready
	known map[addr.Object][]addr.Object
}

func newReadiness(units []unit.Unit) *readiness {
	r := &readiness{units: map[addr.Object]*unit.Unit{}, known: map[addr.Object][]addr.Object{}}
	for i := range units {
		for _, e := range units[i].Edges {
			if e.Gate == unit.GateReady {
				r.units[units[i].Address] = &units[i]
			}
		}
	}
	return r
}

// of returns them, directly or through others that have to be ready for that.
func (r *readiness) of(a addr.Object) []addr.Object {
	if r.units[a] == nil {
		return nil
	}
	if found, ok := r.known[a]; ok {
		return found
	}
	var found []addr.Object
	seen, asked := map[addr.Object]bool{}, map[addr.Object]bool{}
	for queue := []addr.Object{a}; len(queue) > 0; queue = queue[1:] {
		u := r.units[queue[0]]
		if u == nil || asked[queue[0]] {
			continue
		}
		asked[queue[0]] = true
		for _, e := range u.Edges {
			if e.Gate != unit.GateReady {
				continue
			}
			if !seen[e.To] {
				seen[e.To] = true
				found = append(found, e.To)
			}
			if e.Until == unit.Ready {
				queue = append(queue, e.To)
			}
		}
	}
	r.known[a] = found
	return found
}
