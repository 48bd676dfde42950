package resolve

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// What modules can multiply. Everything that a module declares counts once for each instance of it.
const (
	maxNesting = 16      // modules inside each other
	maxModules = 1000    // instances of modules
	maxParts   = 100_000 // variables, locals, outputs, blocks and calls in all instances together
	maxObjects = 20_000  // objects that for_each and modules make, all together
)

// site is one place in the tree of calls, for all instances of the module there. What can be told
// without evaluating anything, such as the order of evaluation, is told of sites.
type site struct {
	path      addr.Module // without keys
	config    *config.Module
	declared  *declared
	call      *config.Call // nil for the root
	parent    *site        // nil for the root
	calls     []*site      // in the order of the blocks; without modules that could not be loaded
	byName    map[addr.Module]*site
	instances []*module             // in the order of their paths
	made      map[*config.Block]int // how many objects each block stands for, in all instances
	first     int                   // the number of its first step
}

// module is one instance of a module, the root included. Everything in it is found by its address
// within the module.
type module struct {
	site   *site
	path   addr.Module
	parent *module   // nil for the root
	each   cty.Value // each.value in the block of the call; cty.NilVal without for_each
	values map[addr.Value]*named
	blocks map[addr.Object]*block
	calls  map[addr.Module]*call
	waits  []model.Edge // what everything inside depends on
	// standsIn says that it is not known which instances there are: this one is only looked at.
	standsIn bool
}

// call is the block of a call in one instance of the caller.
type call struct {
	site      *site
	forEach   *named // nil without
	instances []*module
	byKey     map[addr.Key]*module
	broken    bool
}

// repeated tells whether the call stands for one instance by each key.
func (c *call) repeated() bool { return c.site.call.ForEach != nil }

// sites builds the tree of calls. A module that is called from two places has two sites.
func (r *resolver) sites() *site {
	known := map[*config.Module]*declared{}
	full := false
	var build func(s *site, depth int)
	build = func(s *site, depth int) {
		if known[s.config] == nil {
			known[s.config] = declare(s.config)
		}
		s.declared, s.byName = known[s.config], map[addr.Module]*site{}
		r.all = append(r.all, s)
		for _, c := range s.config.Calls {
			if c.Module == nil || full {
				continue
			}
			path, err := s.path.Child(c.Label(), addr.Key{})
			switch {
			case err != nil:
				continue
			case depth == maxNesting:
				r.scope.fail(codeTooLarge, c.Range, "modules are nested too deep", fmt.Sprintf("there can be at most %d modules inside each other, and %s is one more", maxNesting, path), "call the inner modules from further outside")
				continue
			case len(r.all) > maxModules:
				full = true
				r.tooMany(c)
				continue
			}
			inner := &site{path: path, config: c.Module, call: c, parent: s}
			s.calls = append(s.calls, inner)
			s.byName[c.Name] = inner
			build(inner, depth+1)
		}
	}
	root := &site{config: &r.config.Module}
	build(root, 0)
	return root
}

func (r *resolver) tooMany(c *config.Call) {
	r.scope.fail(codeTooLarge, c.Range, "too many modules", fmt.Sprintf("a configuration can have at most %d instances of modules, with %d variables, locals, outputs and blocks in all of them together", maxModules, maxParts), "divide it among several configurations")
}

// declared is what a module declares, for checks that hold for all of its instances.
type declared struct {
	values  map[addr.Value]bool
	outputs []string
	blocks  map[addr.Object]*config.Block
	calls   map[addr.Module]*config.Call

	// Values and blocks by number, in order: comparing numbers takes less than comparing addresses.
	entries []addr.Address
	numbers map[addr.Address]int
}

// count numbers the values and blocks, once all of them are there.
func (d *declared) count() {
	if d.numbers != nil {
		return
	}
	d.entries = make([]addr.Address, 0, len(d.values)+len(d.blocks))
	for _, a := range slices.SortedFunc(maps.Keys(d.values), addr.Value.Compare) {
		d.entries = append(d.entries, a)
	}
	blocks := slices.AppendSeq(make([]addr.Object, 0, len(d.blocks)), maps.Keys(d.blocks))
	slices.SortFunc(blocks, addr.Object.Compare)
	for _, a := range blocks {
		d.entries = append(d.entries, a)
	}
	d.numbers = make(map[addr.Address]int, len(d.entries))
	for i, a := range d.entries {
		d.numbers[a] = i
	}
}

func declare(m *config.Module) *declared {
	d := &declared{values: map[addr.Value]bool{}, blocks: make(map[addr.Object]*config.Block, len(m.Resources)+len(m.Data)), calls: map[addr.Module]*config.Call{}}
	for _, b := range m.Variables {
		d.value(addr.Variable, b.Label())
	}
	for _, a := range m.Locals {
		d.value(addr.Local, a.Name)
	}
	for _, b := range m.Outputs {
		d.value(addr.Output, b.Label())
		d.outputs = append(d.outputs, b.Label())
	}
	for _, b := range slices.Concat(m.Resources, m.Data) {
		d.blocks[b.Address] = b
	}
	for _, c := range m.Calls {
		d.calls[c.Name] = c
	}
	return d
}

func (d *declared) value(kind addr.ValueKind, name string) {
	if a, err := addr.NewValue(addr.Module{}, kind, name); err == nil {
		d.values[a] = true
	}
}

func (d *declared) size() int { return len(d.values) + len(d.blocks) + len(d.calls) }

// instantiate makes an instance of the module at a site, with an entry for everything that can be
// referred to.
func (r *resolver) instantiate(s *site, path addr.Module) *module {
	m := &module{
		site: s, path: path, each: cty.NilVal,
		values: make(map[addr.Value]*named, len(s.declared.values)), blocks: make(map[addr.Object]*block, len(s.declared.blocks)),
		calls: make(map[addr.Module]*call, len(s.declared.calls)),
	}
	for a := range s.declared.values {
		m.values[a] = &named{home: m, value: cty.DynamicVal}
	}
	for _, l := range s.config.Locals {
		m.named(addr.Local, l.Name).attribute = l
	}
	for _, b := range s.config.Outputs {
		n := m.named(addr.Output, b.Label())
		n.block, n.attribute = b, b.Attribute("value")
	}
	for _, b := range s.config.Variables {
		n := m.named(addr.Variable, b.Label())
		n.block = b
		if s.call != nil {
			n.attribute, n.given = s.call.Attribute(b.Label()), m
		}
	}
	for _, b := range s.config.Resources {
		m.blocks[b.Address] = &block{config: b, module: m, address: b.Address.In(path), kind: r.kinds[b.Address.Kind()], whole: cty.DynamicVal}
	}
	for _, b := range s.config.Data {
		m.blocks[b.Address] = &block{config: b, module: m, address: b.Address.In(path), kind: r.lookups[b.Address.Kind()], whole: cty.DynamicVal}
	}
	for _, inner := range s.calls {
		m.calls[inner.call.Name] = &call{site: inner, byKey: map[addr.Key]*module{}}
	}
	s.instances = append(s.instances, m)
	r.modules[path] = m
	return m
}

// named returns the entry of a value that the module declares.
func (m *module) named(kind addr.ValueKind, name string) *named {
	a, err := addr.NewValue(addr.Module{}, kind, name)
	if err != nil || m.values[a] == nil {
		return &named{broken: true, value: cty.DynamicVal}
	}
	return m.values[a]
}

// expand evaluates a call in every instance of the caller: first which instances of the module it
// stands for, then each of them comes to be.
func (r *resolver) expand(s *site) {
	for _, parent := range s.parent.instances {
		c := parent.calls[s.call.Name]
		if r.full {
			c.broken = true
			continue
		}
		leave := r.scope.enter(parent, s.call.Block)
		r.expandIn(parent, c)
		leave()
	}
	slices.SortFunc(s.instances, func(a, b *module) int { return a.path.Compare(b.path) })
}

func (r *resolver) expandIn(parent *module, c *call) {
	elements := map[string]cty.Value{"": cty.NilVal}
	if c.repeated() {
		var used uses
		var ok bool
		if elements, used, ok = r.forEach(c.site.call.ForEach); !ok {
			c.broken = true
			r.standIn(parent, c)
			return
		}
		c.forEach = &named{home: parent, attribute: c.site.call.ForEach}
		c.forEach.uses(used)
	}
	r.parts += len(elements) * c.site.declared.size()
	if len(r.modules)+len(elements) > maxModules+1 || r.parts > maxParts {
		r.tooMany(c.site.call)
		c.broken, r.full = true, true
		return
	}
	waits := slices.Concat(parent.waits, r.waits(c.site.call.Block))
	for _, key := range slices.Sorted(maps.Keys(elements)) {
		k := addr.Key{}
		if c.repeated() {
			k = addr.StringKey(key)
		}
		path, err := parent.path.Child(c.site.call.Label(), k)
		if err != nil {
			continue // the label was checked
		}
		m := r.instantiate(c.site, path)
		m.parent, m.each, m.waits, m.standsIn = parent, elements[key], waits, parent.standsIn
		c.instances = append(c.instances, m)
		c.byKey[k] = m
	}
}

// objects calls visit for all objects within, those of modules that this one calls included.
func (m *module) objects(visit func(addr.Object)) {
	for _, b := range m.blocks {
		for _, i := range b.instances {
			if b.address.Kind() != profileKind {
				visit(i.address)
			}
		}
	}
	for _, c := range m.calls {
		for _, inner := range c.instances {
			inner.objects(visit)
		}
	}
}

// eachOf is what each stands for in the block that calls a module, for one instance.
func (s *scope) eachOf(m *module) (cty.Value, bool) {
	key, keyed := m.path.Last().Key.Value()
	if !keyed {
		return cty.NilVal, true
	}
	value := m.each
	if s.late && !value.IsWhollyKnown() {
		again, ok := s.elsewhere(m.parent, cty.NilVal).element(m.site.call.ForEach, key, value)
		if !ok {
			return cty.NilVal, false
		}
		value = again
	}
	return cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal(key), "value": value}), true
}
