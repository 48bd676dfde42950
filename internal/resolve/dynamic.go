package resolve

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const (
	// maxNested bounds how many nested blocks the dynamic ones of one object make.
	maxNested = 1000
	// maxNestedTotal bounds how many they make in all objects together.
	maxNestedTotal = 50_000
)

// nested is the value of all nested blocks of a kind.
func (s *scope) nested(b *config.Block, def *schema.Nested, i *instance, result *built) cty.Value {
	var values []cty.Value
	for _, inner := range b.Nested(def.Kind) {
		s.repeat(inner, result, func() {
			defer s.record(inner)()
			values = append(values, s.part(inner, def, i, result))
		})
	}
	s.countNested(b, def, len(values), result)
	switch t := def.ValueType(); {
	case len(values) == 0 && def.Single():
		return cty.NullVal(t)
	case len(values) == 0:
		return cty.ListValEmpty(t.ElementType())
	case def.Single():
		return values[0]
	default:
		return cty.ListVal(values)
	}
}

// record keeps, where that is asked for, that a block is made inside of the one at work; it is the one at
// work until what it returns is called.
func (s *scope) record(b *config.Block) func() {
	around := s.made
	if around == nil {
		return func() {}
	}
	s.made = &config.Made{Block: b, Inside: map[string][]*config.Made{}}
	around.Inside[b.Schema.Kind] = append(around.Inside[b.Schema.Kind], s.made)
	return func() { s.made = around }
}

// part is the value of one nested block.
func (s *scope) part(b *config.Block, def *schema.Nested, i *instance, result *built) cty.Value {
	fields := map[string]cty.Value{}
	for k := range def.Attributes {
		if a := &def.Attributes[k]; a.Presence != schema.Computed {
			fields[a.Name] = s.attribute(b, a, i, result)
		}
	}
	s.conflicts(b, &def.Block, fields)
	result.ok = s.rules(b, &def.Block, fields) && result.ok
	for k := range def.Blocks {
		fields[def.Blocks[k].Kind] = s.nested(b, &def.Blocks[k], i, result)
	}
	return cty.ObjectVal(fields)
}

// countNested checks the number of nested blocks where only evaluation tells it, unless something
// of it is broken already.
func (s *scope) countNested(b *config.Block, def *schema.Nested, n int, result *built) {
	if !result.ok || n >= def.Min && (def.Max == 0 || n <= def.Max) {
		return
	}
	for _, inner := range b.Nested(def.Kind) {
		if inner.Iterator == "" {
			continue
		}
		s.wrong(codeForEach, inner.ForEach, "wrong number of blocks",
			fmt.Sprintf("with this there are %d blocks of the kind %s, and %s takes %s", n, def.Kind, config.Indefinite(b.Schema.Kind), span(def)), "give for_each another number of elements")
		result.ok = false
		return
	}
}

func span(def *schema.Nested) string {
	switch {
	case def.Max == 0:
		return fmt.Sprintf("at least %d", def.Min)
	case def.Min == def.Max:
		return fmt.Sprintf("exactly %d", def.Min)
	default:
		return fmt.Sprintf("%d to %d", def.Min, def.Max)
	}
}

// repeat calls do once for a plain block, and for a dynamic one once for each element, with the
// iterator set to it. Of a collection with a mistake the content is looked at all the same.
func (s *scope) repeat(b *config.Block, result *built, do func()) {
	if b.Iterator == "" {
		do()
		return
	}
	elements, used, ok := s.elements(b.ForEach)
	if !s.late {
		result.edges = append(result.edges, s.edgesOf(b.ForEach, used)...)
	}
	if s.iterators == nil {
		s.iterators = map[string]cty.Value{}
	}
	outer, hidden := s.iterators[b.Iterator]
	delete(s.iterators, b.Iterator)
	if !ok {
		result.ok = false
		before := s.partly
		if s.partly = before || len(elements) > 0; len(elements) == 0 {
			do() // for an element of which nothing is known
		}
		defer func() { s.partly = before }()
	}
	for _, element := range elements {
		s.iterators[b.Iterator] = element
		do()
	}
	delete(s.iterators, b.Iterator)
	if hidden {
		s.iterators[b.Iterator] = outer
	}
}

// elements evaluates the for_each of a dynamic block to objects with a key and a value, in order. It
// returns false when that has a mistake, and then what is known all the same.
func (s *scope) elements(a *config.Attribute) ([]cty.Value, uses, bool) {
	v, used, whole := s.eval(a)
	if v.IsMarked() {
		s.wrong(codeForEach, a, "sensitive for_each", "how many blocks there are is for everybody to see, and this collection is sensitive", countHint(a, v))
		return nil, used, false
	}
	t := v.Type()
	switch {
	case v.IsNull():
		s.wrong(codeForEach, a, "nothing to repeat for", "for_each must be a list, a set, a map or an object, and this is null", "for no block at all, write: for_each = []")
		return nil, used, false
	case !v.IsKnown() || t.IsSetType() && !v.IsWhollyKnown():
		if whole {
			s.unknown(a)
		}
		return nil, used, false
	case !v.CanIterateElements():
		s.wrong(codeForEach, a, "wrong kind of for_each", fmt.Sprintf("for_each must be a list, a set, a map or an object, and this is %s", config.Indefinite(t.FriendlyName())), "write, for example: for_each = [80, 443]")
		return nil, used, false
	}
	n := v.LengthInt()
	if !s.room(a, n) {
		return nil, used, false
	}
	elements := make([]cty.Value, 0, n)
	for it := v.ElementIterator(); it.Next(); {
		key, value := it.Element()
		if t.IsSetType() {
			key = value
		}
		elements = append(elements, cty.ObjectVal(map[string]cty.Value{"key": key, "value": value}))
	}
	return elements, used, whole
}

// room counts the blocks that a dynamic one makes, and tells when there are too many: once for each
// resource, and once for all of them.
func (s *scope) room(a *config.Attribute, n int) bool {
	const hint = "make fewer blocks, such as one for a range of ports"
	switch {
	case s.contents-s.contentsBefore+n > maxNested:
		if !s.crowded {
			s.wrong(codeTooLarge, a, "too many blocks", fmt.Sprintf("dynamic blocks can make at most %d blocks in one resource", maxNested), hint+", or divide them among several resources")
		}
		s.crowded = true
	case s.contents+n > maxNestedTotal:
		if !s.crowdedInAll {
			s.wrong(codeTooLarge, a, "too many blocks in all", fmt.Sprintf("dynamic blocks can make at most %d blocks in all resources together, and this is where there are more", maxNestedTotal), hint)
		}
		s.crowdedInAll = true
	default:
		s.contents += n
		return true
	}
	return false
}
