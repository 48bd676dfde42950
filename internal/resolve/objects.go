package resolve

import (
	"fmt"
	"iter"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// needed gathers which objects of one block an expression refers to.
type needed struct {
	block *block
	whole bool
	keys  map[addr.Key]bool
	// attributes are those that are wanted of a block that stands for one object; every is set when all
	// of them are.
	attributes []string
	every      bool
}

// objects adds the objects that an expression refers to. Of a block with for_each these are the
// ones with the keys that are written or can be computed, else all of them: an edge to what is not
// needed would make a failure block what it has nothing to do with. A block that is broken, or referred to
// in a way that leads nowhere, is unknown, and makes it return false.
func (s *scope) objects(a *config.Attribute, ctx *config.Context, used *uses) bool {
	var order []*needed
	var all map[*block]*needed // nil as long as there is one
	var lost map[addr.Object]cty.Value
	lose := func(object addr.Object, v cty.Value) {
		if before, twice := lost[object]; twice && before.Type() == cty.DynamicPseudoType {
			return
		}
		if lost == nil {
			lost = map[addr.Object]cty.Value{}
		}
		lost[object] = v
	}
	for at, ref := range a.References {
		object, is := ref.Object()
		if !is {
			continue
		}
		b := s.module.blocks[object.Block()]
		switch {
		case b == nil || slices.Contains(s.broken[a], at):
			lose(object.Block(), cty.DynamicVal)
			continue
		case b.broken:
			if len(b.byKey) > 0 { // for which objects it stands is known, whatever is wrong with one of them
				s.need(&needed{block: b}, ref, object, ctx)
			}
			lose(object.Block(), b.stand())
			continue
		}
		n := all[b]
		if len(order) == 1 && order[0].block == b {
			n = order[0]
		}
		if n == nil {
			n = &needed{block: b}
			if order = append(order, n); len(order) == 2 {
				all = map[*block]*needed{order[0].block: order[0]}
			}
			if all != nil {
				all[b] = n
			}
		}
		if !s.need(n, ref, object, ctx) {
			lose(object.Block(), cty.DynamicVal)
		}
	}
	if len(order)+len(lost) == 0 {
		return true
	}
	if len(order) == 1 && len(lost) == 0 && order[0].block.address.Mode() == addr.Managed {
		n := order[0] // as nearly always
		ctx.Set(n.block.address.Kind(), cty.ObjectVal(map[string]cty.Value{n.block.address.Name(): s.blockValue(n, used)}))
		return true
	}
	byKind := map[bool]map[string]map[string]cty.Value{false: {}, true: {}} // data or not, kind, name
	put := func(address addr.Object, v cty.Value) {
		kinds := byKind[address.Mode() == addr.Data]
		if kinds[address.Kind()] == nil {
			kinds[address.Kind()] = map[string]cty.Value{}
		}
		kinds[address.Kind()][address.Name()] = v
	}
	for _, n := range order {
		put(n.block.address, s.blockValue(n, used))
	}
	for address, v := range lost {
		put(address, v)
	}
	for name, objects := range byKind[false] {
		ctx.Set(name, cty.ObjectVal(objects))
	}
	if data := byKind[true]; len(data) > 0 {
		kinds := map[string]cty.Value{}
		for name, objects := range data {
			kinds[name] = cty.ObjectVal(objects)
		}
		ctx.Set(schema.DataKind, cty.ObjectVal(kinds))
	}
	return len(lost) == 0
}

// stand is what is known of a block that is broken: which kind of object it stands for, and whether for several.
func (b *block) stand() cty.Value {
	switch {
	case b.kind.schema == nil:
		return cty.DynamicVal
	case b.repeated():
		return cty.UnknownVal(cty.Map(b.kind.object))
	}
	return cty.UnknownVal(b.kind.object)
}

// need notes which object a reference means.
func (s *scope) need(n *needed, ref config.Reference, object addr.Object, ctx *config.Context) bool {
	if !n.block.repeated() {
		n.whole = true
		if n.every = n.every || n.block.kind.schema == nil || !ref.Key.IsZero() || object != object.Block() || !n.block.kind.object.HasAttribute(ref.Attribute); !n.every {
			n.attributes = append(n.attributes, ref.Attribute)
		}
		return true
	}
	key := object.Key()
	if !ref.Key.IsZero() {
		key = computedKey(ref.Key, ctx)
	}
	text, keyed := key.Value()
	if !keyed {
		n.whole = true
		return true
	}
	if n.block.at(key) == nil {
		s.unknownKey(ref, n.block.address.String(), "object", text, n.block.keys())
		return false
	}
	if n.keys == nil {
		n.keys = map[addr.Key]bool{}
	}
	n.keys[key] = true
	return true
}

// unknownKey tells that a block or call has nothing with that key.
func (s *scope) unknownKey(ref config.Reference, of, what, key string, known iter.Seq[addr.Key]) {
	s.fail(codeReference, ref.Range, "unknown key", fmt.Sprintf("%s has no %s with the key %q", of, what, key), keyHint(key, known))
}

// computedKey evaluates the key of network.web[each.key]; no key when it cannot be told. A sensitive one
// cannot, as the object that is used is seen in graphs and addresses.
func computedKey(e config.Expression, ctx *config.Context) addr.Key {
	v, faults := e.Value(ctx)
	if len(faults) > 0 {
		return addr.Key{} // the expression as a whole fails and tells
	}
	v, err := convert.Convert(v, cty.String)
	if err != nil || v.IsMarked() || v.IsNull() || !v.IsKnown() {
		return addr.Key{}
	}
	return addr.StringKey(v.AsString())
}

// blockValue is what the name of a block stands for, with what is known by now.
func (s *scope) blockValue(n *needed, used *uses) cty.Value {
	if n.block.address.Kind() == profileKind {
		return n.block.whole
	}
	if !n.block.repeated() {
		used.objects = append(used.objects, n.block.address)
		i := n.block.instances[0]
		if s.late || n.every {
			return s.object(i, (*instance).seen)
		}
		return i.some(n.attributes)
	}
	whole := (*instance).view // what is referred to by its key seldom is by many
	if n.whole {
		whole = (*instance).seen
	}
	objects := map[string]cty.Value{}
	for _, i := range n.instances() {
		key, _ := i.address.Key().Value()
		objects[key] = s.object(i, whole)
		used.objects = append(used.objects, i.address)
	}
	return cty.ObjectVal(objects)
}

// instances are the needed ones of a block with for_each, in its order. They are not looked for among all of it: where
// each of thousands refers to one of thousands, that would take most of the time.
func (n *needed) instances() []*instance {
	if n.whole {
		return n.block.instances
	}
	some := make([]*instance, 0, len(n.keys))
	for key := range n.keys {
		some = append(some, n.block.at(key))
	}
	slices.SortFunc(some, func(a, b *instance) int { return a.address.Compare(b.address) })
	return some
}

// object is what a reference to an object sees. What is written is taken from the configuration;
// the rest, and what was unknown, from the outputs once there are some. First makes what is seen without any.
func (s *scope) object(i *instance, first func(*instance) cty.Value) cty.Value {
	outputs, ok := s.outputs[i.address]
	if !s.late || !ok || outputs == cty.NilVal || !outputs.Type().IsObjectType() || outputs.IsNull() || !outputs.IsKnown() {
		return first(i)
	}
	outputs, marks := outputs.Unmark()
	attributes := i.attributes()
	for name, v := range attributes {
		if v.IsWhollyKnown() || !outputs.Type().HasAttribute(name) {
			continue
		}
		if given, err := convert.Convert(outputs.GetAttr(name), v.Type()); err == nil {
			attributes[name] = given.WithMarks(marks)
		}
	}
	return cty.ObjectVal(attributes)
}
