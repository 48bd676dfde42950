package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// Example returns a block as it can be written in a configuration, made of the examples of its
// attributes; what it refers to is not in it. It has everything that can be written; where two
// attributes exclude each other, the first one. With least set, it has only what must be written.
func (r *Renderer) Example(b *schema.Block, least bool) string {
	var s source
	r.block(&s, b, r.labels(b), least, func(*schema.Attribute) bool { return true })
	return s.String()
}

// Lookup returns a data block that looks up an object of a kind.
func (r *Renderer) Lookup(b *schema.Block) string {
	var s source
	named := slices.ContainsFunc(b.Attributes, func(a schema.Attribute) bool { return a.FromLabel })
	s.block(header(schema.DataKind, append([]string{b.Kind}, r.labels(b)...)), func(s *source) {
		for _, a := range b.DataBlock().Attributes {
			// The name alone is enough, and what has none is found by what it must have.
			if full := b.Attribute(a.Name); full.FromLabel || !named && full.Presence == schema.Required {
				r.attribute(s, b, full)
			}
		}
	})
	return s.String()
}

// Several returns a block with for_each that has a name and, of what it can do without, what has an
// example of its own.
func (r *Renderer) Several(b *schema.Block) string {
	var s source
	label := several(r.labels(b)[0])
	s.block(header(b.Kind, []string{label}), func(s *source) {
		r.attribute(s, b, b.Argument("for_each"))
		for i := range b.Attributes {
			switch a := &b.Attributes[i]; {
			case a.FromLabel:
				s.assign(a.Name, fmt.Sprintf("\"%s-${each.key}\"", label))
			case a.Presence == schema.Required, a.Presence == schema.Optional && a.Reference == nil && !a.HasDefault():
				r.attribute(s, b, a)
			}
		}
	})
	return s.String()
}

// several is the label of a block that stands for several things, where the one of a single one has a
// number.
func several(label string) string { return strings.TrimRight(label, "-0123456789") }

// Lookups returns a data block with for_each.
func (r *Renderer) Lookups(b *schema.Block) string {
	var s source
	data := b.DataBlock()
	s.block(header(schema.DataKind, append([]string{b.Kind}, r.labels(b)...)), func(s *source) {
		r.attribute(s, data, data.Argument("for_each"))
		for i := range data.Attributes {
			if a := &data.Attributes[i]; b.Attribute(a.Name).FromLabel {
				s.assign(a.Name, "each.key")
			}
		}
	})
	return s.String()
}

// defaultLabel is the name of blocks whose definition has none for examples.
const defaultLabel = "example"

func (r *Renderer) labels(b *schema.Block) []string {
	var labels []string
	for _, l := range b.Labels {
		switch {
		case l.Example != "":
			labels = append(labels, l.Example)
		case len(l.Allowed) > 0:
			labels = append(labels, l.Allowed[0])
		default:
			labels = append(labels, defaultLabel)
		}
	}
	return labels
}

func header(kind string, labels []string) string {
	for _, l := range labels {
		kind += " " + quote(l)
	}
	return kind
}

func (r *Renderer) block(s *source, b *schema.Block, labels []string, least bool, with func(*schema.Attribute) bool) {
	s.block(header(b.Kind, labels), func(s *source) {
		if b.Free && len(b.Attributes) == 0 {
			s.assign("web_port", "8080")
			s.assign("web_cidr", `"10.1.0.0/24"`)
			return
		}
		for i := range b.Attributes {
			a := &b.Attributes[i]
			needed := a.Presence == schema.Required || slices.ContainsFunc(b.NeedsOne, func(ways []string) bool { return ways[0] == a.Name })
			if a.Presence == schema.Computed || a.Apart || least && !needed || !with(a) || shadowed(b, a) {
				continue
			}
			if !least && a.FromLabel && a.Presence != schema.Required {
				continue // the label says it
			}
			r.attribute(s, b, a)
		}
		for i := range b.Blocks {
			if n := &b.Blocks[i]; n.Service == "" || slices.Contains(labels, n.Service) {
				r.nested(s, n, least)
			}
		}
	})
}

// nested writes a block inside a block. What only some services take is in a block of such a service.
func (r *Renderer) nested(s *source, n *schema.Nested, least bool) {
	if least && n.Min == 0 {
		return
	}
	labels := r.labels(&n.Block)
	r.block(s, &n.Block, labels, least, func(a *schema.Attribute) bool { return a.Service == "" })
	var services []string
	for _, a := range n.Attributes {
		if a.Service != "" && !slices.Contains(services, a.Service) && !least {
			services = append(services, a.Service)
		}
	}
	for i := range n.Blocks {
		if of := n.Blocks[i].Service; of != "" && !slices.Contains(services, of) && !least {
			services = append(services, of)
		}
	}
	for _, name := range services {
		r.block(s, &n.Block, []string{name}, least, func(a *schema.Attribute) bool { return a.Service == name })
	}
}

// shadowed tells whether an attribute cannot stand beside one before it.
func shadowed(b *schema.Block, a *schema.Attribute) bool {
	for i := range b.Attributes {
		before := &b.Attributes[i]
		if before.Name == a.Name {
			return false
		}
		if before.Conflicts == a.Name || a.Conflicts == before.Name {
			return true
		}
	}
	return false
}

// attribute writes an attribute with its example; nothing when it has none.
func (r *Renderer) attribute(s *source, b *schema.Block, a *schema.Attribute) {
	switch {
	case a.FromLabel && len(b.Labels) > 0:
		s.assign(a.Name, quote(r.labels(b)[len(b.Labels)-1]))
	case a.ExampleText != "":
		s.assign(a.Name, a.ExampleText)
	case a.Reference != nil:
		address := a.Reference.Kind + "." + r.labelOf(b, a.Reference.Kind)
		if a.Type != cty.String {
			address = "[" + address + "]"
		}
		s.assign(a.Name, address)
	case a.Example == cty.NilVal || a.Example.IsNull():
	case a.Form == schema.FormType:
		s.assign(a.Name, a.Example.AsString())
	case heredoc(a.Example):
		s.assignLines(a.Name, a.Example.AsString())
	default:
		s.assign(a.Name, Literal(a.Example))
	}
}

// labelOf is the label of another block in examples about b.
func (r *Renderer) labelOf(b *schema.Block, kind string) string {
	target := r.definition.Block(kind)
	if target == nil || len(target.Labels) == 0 {
		return defaultLabel
	}
	if kind == b.Kind {
		return "base" // not itself, but what it builds on
	}
	return r.labels(target)[0]
}

// Everywhere returns a resource that has what every resource takes.
func (r *Renderer) Everywhere() string {
	b := r.shortest()
	lifecycle := schema.Lifecycle()
	var s source
	s.block(header(b.Kind, r.labels(b)), func(s *source) {
		for _, a := range schema.Arguments() {
			r.attribute(s, b, &a)
		}
		for i := range b.Attributes {
			if a := &b.Attributes[i]; a.FromLabel {
				s.assign(a.Name, "each.key") // under for_each the label is not enough
			}
		}
		r.nested(s, &lifecycle, false)
	})
	return s.String()
}

// shortest returns a kind of resource that needs the fewest attributes.
func (r *Renderer) shortest() *schema.Block {
	var best *schema.Block
	fewest := 0
	for _, kind := range r.definition.Kinds(schema.ClassResource) {
		b, needs := r.definition.Resource(kind), 0
		if b.Unique != "" {
			continue // it cannot be created before the old one is deleted, which the page shows
		}
		for i := range b.Attributes {
			if b.Attributes[i].Presence == schema.Required {
				needs++
			}
		}
		if best == nil || needs < fewest {
			best, fewest = b, needs
		}
	}
	return best
}
