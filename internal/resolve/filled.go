package resolve

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// filled evaluates a text with nothing in it but references to values and to attributes of single objects,
// which most texts are. A context would hold an object within an object within an object for each.
// It returns false for everything else, and when there may be something to tell.
func (s *scope) filled(a *config.Attribute) (cty.Value, uses, bool) {
	if s.late {
		return cty.NilVal, uses{}, false
	}
	var used uses
	v, ok := a.Fill(s.budget, func(ref config.Reference, steps int) (cty.Value, bool) {
		switch to := ref.Target.(type) {
		case addr.Value:
			if steps == 2 {
				return s.value(s.module.values[to], &used)
			}
		case addr.Object:
			b := s.module.blocks[to]
			if steps != 3 || !ref.Key.IsZero() || to.Mode() != addr.Managed || b == nil || b.broken || b.only == nil || !b.kind.object.HasAttribute(ref.Attribute) {
				break
			}
			if !slices.Contains(used.objects, b.address) {
				used.objects = append(used.objects, b.address)
			}
			return b.only.one(ref.Attribute), true
		}
		return cty.NilVal, false
	})
	return v, used, ok
}

// group gathers what stands behind var or local in one expression. Most have one value there, and many
// have the same one, so the object with it alone is made once.
type group struct {
	first *named // nil before there is one
	name  string
	value cty.Value
	all   map[string]cty.Value // nil unless there are several
}

func (g *group) put(n *named, name string, v cty.Value) {
	switch {
	case g.first == nil:
		g.first, g.name, g.value = n, name, v
	case g.all == nil && g.first == n:
	default:
		if g.all == nil {
			g.all = map[string]cty.Value{g.name: g.value}
		}
		g.all[name] = v
	}
}

func (g *group) object() cty.Value {
	switch {
	case g.all != nil:
		return cty.ObjectVal(g.all)
	case !g.first.known: // at the second stage it may be another value each time
		return cty.ObjectVal(map[string]cty.Value{g.name: g.value})
	default:
		g.first.once.Do(func() { g.first.alone = cty.ObjectVal(map[string]cty.Value{g.name: g.value}) })
		return g.first.alone
	}
}
