package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/graph"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// node is one step of evaluating. It is taken for all instances of a module before the next one, so
// the order is that of the configuration as it is written, whatever for_each makes of it.
type node struct {
	site *site
	step step
	at   int // the number of the value or block within the module; 0 for what is about the module itself
}

// entry is the value or block; nil for what is about the module itself.
func (n node) entry() addr.Address {
	if n.step != stepInside {
		return nil
	}
	return n.site.declared.entries[n.at]
}

// step says which part of evaluating a module a node is.
type step uint8

// The steps. Those at the end are no work of their own: they stand for many nodes, so that who waits
// for all of them has one edge.
const (
	stepBegin   step = iota // the instances come to be
	stepInside              // one value or block
	stepOutputs             // all outputs are there
	stepEnd                 // everything inside is there
)

func (n node) address() addr.Address {
	switch at := n.entry().(type) {
	case addr.Value:
		return at.In(n.site.path)
	case addr.Object:
		return at.In(n.site.path)
	default:
		return n.site.path
	}
}

// number is the place of the node among all: by module, then by step, then by what stands in it. The
// graph has the numbers, as taking and comparing these costs a fraction.
func (n node) number() int {
	inside := len(n.site.declared.entries)
	switch n.step {
	case stepBegin:
		return n.site.first
	case stepInside:
		return n.site.first + 1 + n.at
	case stepOutputs:
		return n.site.first + 1 + inside
	default:
		return n.site.first + 2 + inside
	}
}

// number gives each step of each module its number, and returns the steps by number.
func (r *resolver) number() []node {
	var nodes []node
	sites := slices.Clone(r.all)
	slices.SortStableFunc(sites, func(a, b *site) int { return a.path.Compare(b.path) })
	for _, s := range sites {
		s.declared.count()
		s.first = len(nodes)
		nodes = append(slices.Grow(nodes, len(s.declared.entries)+3), node{site: s})
		for at := range s.declared.entries {
			nodes = append(nodes, node{site: s, step: stepInside, at: at})
		}
		nodes = append(nodes, node{site: s, step: stepOutputs}, node{site: s, step: stepEnd})
	}
	return nodes
}

// dependencies are what steps depend on, by number.
type dependencies = graph.Graph[int, diag.Range]

// order returns all steps so that each comes after what it refers to. What is part of a cycle is
// reported and taken for broken.
func (r *resolver) order() []node {
	nodes := r.number() // of all sites first, as a reference leads to another one, too
	g := graph.New[int, diag.Range](cmp.Compare[int])
	g.Grow(len(nodes))
	for _, s := range r.all {
		s.connect(g)
	}
	order, err := g.Order()
	if err == nil {
		return pick(nodes, order)
	}
	r.circular = map[node]bool{}
	for _, cycle := range g.Cycles() {
		r.cycle(g, nodes, cycle)
		for _, n := range cycle {
			r.circular[nodes[n]] = true
		}
	}
	order, err = g.Filter(func(edge graph.Edge[int, diag.Range]) bool { return !r.circular[nodes[edge.From]] }).Order()
	if err != nil {
		// Knots beyond counting: the cycles that were found are reported, and nothing is evaluated.
		order = g.Nodes()
		for _, n := range order {
			r.circular[nodes[n]] = true
		}
	}
	return pick(nodes, order)
}

func pick(nodes []node, numbers []int) []node {
	picked := make([]node, len(numbers))
	for i, n := range numbers {
		picked[i] = nodes[n]
	}
	return picked
}

// connect adds what a module declares, with the edges of its references.
func (s *site) connect(g *dependencies) {
	begin, outputs, end := node{site: s}.number(), node{site: s, step: stepOutputs}.number(), node{site: s, step: stepEnd}.number()
	add := func(at int, where diag.Range) int {
		n := node{site: s, step: stepInside, at: at}.number()
		g.Add(n)
		if s.parent != nil {
			g.Connect(n, begin, s.call.Range)
			g.Connect(end, n, where)
		}
		return n
	}
	if s.parent != nil {
		g.Connect(outputs, begin, s.call.Range)
		g.Connect(end, begin, s.call.Range)
		if s.parent.parent != nil {
			g.Connect(begin, node{site: s.parent}.number(), s.call.Range)
		}
		if s.call.ForEach != nil {
			s.parent.refer(g, begin, s.call.ForEach.References, false)
		}
		s.parent.refer(g, begin, s.call.DependsOn, true)
		for _, b := range s.config.Variables {
			a, err := addr.NewValue(addr.Module{}, addr.Variable, b.Label())
			if err != nil {
				continue
			}
			n := add(s.declared.numbers[a], b.Range)
			if given := s.call.Attribute(b.Label()); given != nil {
				s.parent.refer(g, n, given.References, false)
			}
			s.refer(g, n, others(b), false)
		}
	}
	for _, l := range s.config.Locals {
		if a, err := addr.NewValue(addr.Module{}, addr.Local, l.Name); err == nil {
			s.refer(g, add(s.declared.numbers[a], l.NameRange), l.References, false)
		}
	}
	for _, b := range s.config.Outputs {
		a, err := addr.NewValue(addr.Module{}, addr.Output, b.Label())
		if value := b.Attribute("value"); err == nil && value != nil {
			n := add(s.declared.numbers[a], b.Range)
			s.refer(g, n, value.References, false)
			s.refer(g, n, b.DependsOn, true)
			g.Connect(outputs, n, b.Range)
		}
	}
	for at, entry := range s.declared.entries {
		a, is := entry.(addr.Object)
		if !is {
			continue
		}
		b := s.declared.blocks[a]
		n := add(at, b.Range)
		everyAttribute(b, func(attribute *config.Attribute) { s.refer(g, n, attribute.References, false) })
		s.refer(g, n, b.DependsOn, true)
	}
	for _, inner := range s.calls {
		g.Add(node{site: inner}.number())
		if s.parent != nil {
			g.Connect(end, node{site: inner, step: stepEnd}.number(), inner.call.Range)
		}
	}
}

// refer connects a step with what references in this module lead to. depends_on waits for all of a
// module, an expression for the outputs that it uses.
func (s *site) refer(g *dependencies, from int, references []config.Reference, waits bool) {
	for _, ref := range references {
		switch to := target(ref).(type) {
		case addr.Value:
			// The variables of the root are given before everything else.
			if at, declared := s.declared.numbers[to]; declared && (s.parent != nil || to.Kind() != addr.Variable) {
				g.Connect(from, node{site: s, step: stepInside, at: at}.number(), ref.Range)
			}
		case addr.Object:
			if at, declared := s.declared.numbers[to]; declared {
				g.Connect(from, node{site: s, step: stepInside, at: at}.number(), ref.Range)
			}
		case addr.Module:
			if inner := s.byName[to]; inner != nil {
				g.Connect(from, inner.wanted(ref, waits).number(), ref.Range)
			}
		}
	}
}

// wanted is the node of this module that a reference to it from the caller leads to.
func (s *site) wanted(ref config.Reference, waits bool) node {
	a, _ := output(ref.Attribute).(addr.Value)
	switch {
	case waits:
		return node{site: s, step: stepEnd}
	case ref.Attribute == "":
		return node{site: s, step: stepOutputs}
	case s.declared.values[a]:
		return node{site: s, step: stepInside, at: s.declared.numbers[a]}
	default:
		return node{site: s} // there is no such output, which is told
	}
}

// evaluate takes one step, in every instance of the module.
func (r *resolver) evaluate(n node) {
	circular := r.circular[n]
	switch at := n.entry().(type) {
	case addr.Value:
		for _, m := range n.site.instances {
			if v := m.values[at]; circular {
				v.broken = true
			} else {
				r.value(m, at.Kind(), v)
			}
		}
	case addr.Object:
		for _, m := range n.site.instances {
			if b := m.blocks[at]; circular {
				b.broken = true
			} else {
				r.block(b)
			}
		}
	default:
		switch {
		case n.step != stepBegin || n.site.parent == nil:
		case circular || r.full:
			for _, parent := range n.site.parent.instances {
				c := parent.calls[n.site.call.Name]
				c.broken = true
				r.standIn(parent, c)
			}
		default:
			r.expand(n.site)
		}
	}
}

// cycle reports things that refer to each other in a circle.
func (r *resolver) cycle(g *dependencies, nodes []node, numbers []int) {
	cycle := pick(nodes, numbers)
	var names, places []string
	var first diag.Range
	byID := true
	for i, from := range cycle {
		to := cycle[(i+1)%len(cycle)]
		if i > 0 && from.address() == to.address() {
			continue // from the end of a module to its beginning
		}
		for _, edge := range g.DependsOn(numbers[i]) {
			if nodes[edge.To] == to {
				if i == 0 {
					first = edge.Edge
				}
				ref := from.reference(edge.Edge)
				byID = byID && ref != nil && ref.Output == "id"
				names, places = append(names, from.address().String()), append(places, place(edge.Edge))
				break
			}
		}
	}
	path := config.Circle(names, places)
	detail := "these refer to each other, so none can come first: " + path
	hint := "take one of the references away"
	if byID {
		hint += ", or write the id of one of them in its place, once OpenStack has given it one"
	}
	if len(cycle) == 1 {
		hint = "write the value itself, or refer to another one"
		detail = fmt.Sprintf("%s refers to itself: %s", cycle[0].address(), path)
		if self := cycle[0].self(first); self != "" {
			hint = fmt.Sprintf("to mean the block itself, write: %s = true", self)
		}
	}
	r.scope.fail(codeCycle, first, "references in a circle", detail, hint)
}

// reference returns what an attribute with a reference at a place takes; nil for one that takes anything.
func (n node) reference(at diag.Range) *schema.Reference {
	o, ok := n.entry().(addr.Object)
	if !ok {
		return nil
	}
	var found *schema.Reference
	everyAttribute(n.site.declared.blocks[o], func(a *config.Attribute) {
		for _, ref := range a.References {
			if ref.Range == at && a.Schema != nil && a.Schema.Reference != nil {
				found = a.Schema.Reference
			}
		}
	})
	return found
}

// self returns the attribute by which a block means itself beside one with a reference at a place.
func (n node) self(at diag.Range) string {
	if r := n.reference(at); r != nil {
		return r.Self
	}
	return ""
}
