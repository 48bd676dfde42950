package resolve

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// lookOver looks for mistakes in a block whose objects cannot be told, which is a mistake that was told:
// for each element that is known of what it is repeated for, or for one of which nothing is known.
func (r *resolver) lookOver(b *block) {
	r.lifecycle(b.config, b.kind.schema.Unique)
	r.waits(b.config)
	r.overEach(b.config.ForEach, b.address, func(address addr.Object) {
		r.scope.build(&instance{block: b, address: address, each: cty.NilVal})
	})
}

// overEach calls look with each set to every element that is known of a for_each, or without any.
func (r *resolver) overEach(forEach *config.Attribute, address addr.Object, look func(addr.Object)) {
	each, from, partly := r.scope.each, r.scope.eachFrom, r.scope.partly
	defer func() { r.scope.each, r.scope.eachFrom, r.scope.partly = each, from, partly }()
	r.scope.each, r.scope.eachFrom = cty.NilVal, nil
	var elements map[string]cty.Value
	if forEach != nil {
		elements, _, _ = r.forEach(forEach)
	}
	if r.objects += len(elements); len(elements) == 0 || r.objects > maxObjects {
		look(address)
		return
	}
	r.scope.partly = true
	for _, key := range slices.Sorted(maps.Keys(elements)) {
		of := address.WithKey(addr.StringKey(key))
		r.scope.each = eachObject(of, elements[key])
		look(of)
	}
}

// standIn makes an instance of a module about which it cannot be told which instances there are. What is in
// it is looked at as in any other, and nothing is made of it.
func (r *resolver) standIn(parent *module, c *call) {
	size := c.site.declared.size()
	path, err := parent.path.Child(c.site.call.Label(), addr.Key{})
	if err != nil || r.full || len(r.modules) > maxModules || r.parts+size > maxParts {
		return
	}
	r.parts += size
	m := r.instantiate(c.site, path)
	m.parent, m.each, m.standsIn = parent, cty.NilVal, true
}

// lookOverCircles looks at what is in blocks and values that refer to each other in a circle, once all else
// is evaluated.
func (r *resolver) lookOverCircles(order []node) {
	for _, n := range order {
		if !r.circular[n] {
			continue
		}
		switch at := n.entry().(type) {
		case addr.Value:
			for _, m := range n.site.instances {
				v := m.values[at]
				if v.attribute == nil {
					continue
				}
				leave := r.scope.enter(m, v.block)
				_, _, _ = r.scope.make(v)
				leave()
			}
		case addr.Object:
			for _, m := range n.site.instances {
				if b := m.blocks[at]; b.address.Kind() != profileKind {
					leave := r.scope.enter(m, b.config)
					r.lookOver(b)
					leave()
				}
			}
		}
	}
}

// lookOverCalls looks at what calls give to variables that there are not, or to a module that could not be
// loaded: nobody else does.
func (r *resolver) lookOverCalls() {
	for _, s := range r.all {
		for _, c := range s.config.Calls {
			taken := map[string]bool{}
			if c.Module != nil {
				for _, v := range c.Module.Variables {
					taken[v.Label()] = true
				}
			}
			for _, a := range c.Attributes {
				if taken[a.Name] {
					continue
				}
				for _, m := range s.instances {
					leave := r.scope.enter(m, c.Block)
					r.overEach(c.ForEach, addr.Object{}, func(addr.Object) { _, _, _ = r.scope.eval(a) })
					leave()
				}
			}
		}
	}
}
