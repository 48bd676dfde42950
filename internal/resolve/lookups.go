package resolve

import (
	"maps"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// lookUps notes of what is looked up which attributes the configuration refers to: OpenStack is asked for some of them by
// requests of their own, which what nobody needs is not worth.
func (r *resolver) lookUps() {
	for _, s := range r.all {
		used := s.used()
		for _, m := range s.instances {
			for at, names := range used {
				b := m.blocks[at]
				if b == nil {
					continue // which was told
				}
				for _, i := range b.instances {
					i.resource.Uses = slices.Sorted(maps.Keys(names))
				}
			}
		}
	}
}

// used are the attributes of each look-up of a module that something in it refers to. All of them may be meant where the
// object as a whole is, unless an attribute takes one output of it.
func (s *site) used() map[addr.Object]map[string]bool {
	used := map[addr.Object]map[string]bool{}
	s.everyExpression(func(a *config.Attribute) {
		for _, ref := range a.References {
			object, is := ref.Object()
			if !is || object.Mode() != addr.Data {
				continue
			}
			name := ref.Attribute
			switch {
			case name != "":
			case a.Naming && a.Schema != nil && a.Schema.Reference != nil:
				name = a.Schema.Reference.Output
			default:
				name = model.Everything
			}
			if used[object.Block()] == nil {
				used[object.Block()] = map[string]bool{}
			}
			used[object.Block()][name] = true
		}
	})
	return used
}

// everyExpression calls visit for all attributes of a module that are evaluated.
func (s *site) everyExpression(visit func(*config.Attribute)) {
	for _, b := range s.declared.blocks {
		everyAttribute(b, visit)
	}
	for _, b := range slices.Concat(s.config.Variables, s.config.Outputs) {
		everyAttribute(b, visit)
	}
	for _, l := range s.config.Locals {
		visit(l)
	}
	for _, c := range s.config.Calls {
		everyAttribute(c.Block, visit)
	}
}
