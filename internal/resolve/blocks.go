package resolve

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// maxInstances bounds how many objects one block stands for.
const maxInstances = 10_000

// block evaluates a resource or lookup: first which objects it stands for, then each of them.
func (r *resolver) block(b *block) {
	if b == nil || b.broken || b.address.Kind() == profileKind {
		return
	}
	if r.exceeded(b) {
		b.broken = true
		return
	}
	defer r.scope.enter(b.module, b.config)()
	if r.instances(b); b.broken {
		r.lookOver(b)
		return
	}
	if !r.fits(b) {
		return
	}
	lifecycle := r.lifecycle(b.config, b.kind.schema.Unique)
	waits := slices.Concat(r.waits(b.config), b.module.waits)
	if r.waited += len(waits) * len(b.instances); r.tooManyWaits(b.config.Range) {
		b.broken = true
		return
	}
	written := ranges(b.config)
	for _, i := range b.instances {
		r.scope.each, r.scope.eachFrom = i.eachObject(), nil
		if b.forEach != nil && !i.each.IsWhollyKnown() {
			r.scope.eachFrom = b.forEach
		}
		built := r.scope.build(i)
		if !built.ok {
			b.broken = true
			continue
		}
		i.resource = model.Resource{
			Address: i.address, Kind: i.address.Kind(), Desired: built.desired, Triggers: built.triggers, Lifecycle: lifecycle,
			Edges: r.edges(waits, built.edges), Range: b.config.Range, Ranges: written,
		}
		switch {
		case r.showsSensitive(b.kind.schema, b.config, built.desired):
			b.broken = true
		case b.kind.schema.Kind == schema.ManifestKind:
			objects, ok := r.scope.objectsOf(i, built.desired)
			i.resource.Objects = objects
			b.broken = b.broken || !ok
		}
	}
	r.scope.each, r.scope.eachFrom = cty.NilVal, nil
}

func ranges(b *config.Block) map[string]diag.Range {
	written := make(map[string]diag.Range, len(b.Attributes))
	for _, a := range b.Attributes {
		written[a.Name] = a.NameRange
	}
	return written
}

// instances finds out which objects a block stands for.
func (r *resolver) instances(b *block) {
	if !b.repeated() {
		b.only = &instance{block: b, address: b.address, each: cty.NilVal}
		b.instances = []*instance{b.only}
		return
	}
	b.byKey = map[addr.Key]*instance{}
	elements, used, ok := r.forEach(b.config.ForEach)
	if !ok {
		b.broken = true
		return
	}
	if slices.ContainsFunc(slices.Collect(maps.Values(elements)), func(v cty.Value) bool { return !v.IsWhollyKnown() }) {
		b.forEach = &named{home: b.module, attribute: b.config.ForEach}
		b.forEach.uses(used)
	}
	for key, value := range elements {
		k := addr.StringKey(key)
		i := &instance{block: b, address: b.address.WithKey(k), each: value}
		b.instances = append(b.instances, i)
		b.byKey[k] = i
	}
	slices.SortFunc(b.instances, func(x, y *instance) int { return x.address.Compare(y.address) })
}

// forEach evaluates for_each to what each object gets as each.value, by key. It returns false when that has
// a mistake, and then what is known all the same.
func (r *resolver) forEach(a *config.Attribute) (map[string]cty.Value, uses, bool) {
	v, used, whole := r.scope.eval(a)
	if v.IsMarked() {
		r.scope.wrong(codeForEach, a, "sensitive for_each", "the keys of for_each become part of addresses, which everybody sees, and this value is sensitive", keysHint(a, v))
		return nil, used, false
	}
	t := v.Type()
	switch {
	case v.IsNull():
		r.scope.wrong(codeForEach, a, "nothing to repeat for", "for_each must be a set or a map, and this is null", "for no object at all, write: for_each = {}")
		return nil, used, false
	case !v.IsKnown() || t.IsSetType() && !v.IsWhollyKnown():
		if whole {
			r.scope.unknown(a)
		}
		return nil, used, false
	case t.IsMapType() || t.IsObjectType() || t.IsSetType() && (t.ElementType() == cty.String || v.LengthInt() == 0):
	case t.IsTupleType() || t.IsListType():
		r.scope.wrong(codeForEach, a, "list in for_each", "the objects of a list have no keys that stay the same when an element is taken away", "make it a set of strings: toset([…])")
		return nil, used, false
	default:
		r.scope.wrong(codeForEach, a, "wrong kind of for_each", fmt.Sprintf("for_each must be a set of strings, a map or an object, and this is %s", config.Indefinite(t.FriendlyName())), `write, for example: for_each = toset(["a", "b"])`)
		return nil, used, false
	}
	if n := v.LengthInt(); n > maxInstances {
		r.scope.wrong(codeTooLarge, a, "too many objects", fmt.Sprintf("a block can stand for at most %d objects, and this is %d", maxInstances, n), "divide them among several blocks, or among several configurations")
		return nil, used, false
	}
	elements := map[string]cty.Value{}
	for it := v.ElementIterator(); it.Next(); {
		key, value := it.Element()
		if t.IsSetType() {
			key = value
		}
		if key.IsNull() {
			r.scope.wrong(codeForEach, a, "null among the keys", "a key of for_each is part of an address, and null is no key", "take null away; toset(compact([…])) leaves null and empty texts out")
			return nil, used, false
		}
		if key.AsString() == "" {
			r.scope.wrong(codeForEach, a, "empty key", "a key of for_each is part of an address and cannot be empty", "take the empty key away; compact([…]) leaves empty texts out of a list")
			return nil, used, false
		}
		elements[key.AsString()] = value
	}
	return elements, used, whole
}

// eachObject is what each stands for in the instance; cty.NilVal without for_each.
func (i *instance) eachObject() cty.Value { return eachObject(i.address, i.each) }

func eachObject(address addr.Object, value cty.Value) cty.Value {
	key, keyed := address.Key().Value()
	if !keyed {
		return cty.NilVal
	}
	return cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal(key), "value": value})
}

// waits are the edges that depends_on makes.
func (r *resolver) waits(b *config.Block) []model.Edge {
	var edges []model.Edge
	for _, ref := range b.DependsOn {
		object, ok := ref.Object()
		if !ok {
			edges = append(edges, r.waitsForModule(ref)...)
			continue
		}
		if object.Kind() == "service" || object.Kind() == nodeKind {
			edges = append(edges, model.Edge{To: object, Range: ref.Range})
			if object != object.Block() {
				r.awaited = append(r.awaited, awaited{r.scope.module, b, ref})
			}
			continue
		}
		to := r.scope.module.blocks[object.Block()]
		if to == nil {
			continue // told already
		}
		object = object.In(to.address.Module())
		if _, keyed := object.Key().Value(); keyed && to.at(object.Key()) == nil && !to.broken {
			text, _ := object.Key().Value()
			r.scope.unknownKey(ref, to.address.String(), "object", text, to.keys())
			continue
		}
		for _, i := range to.instances {
			if object.Contains(i.address) && !r.tooManyWaits(ref.Range) {
				r.waited++
				edges = append(edges, model.Edge{To: i.address, Range: ref.Range})
			}
		}
	}
	return edges
}

// edges sorts and keeps the first of several to the same object: that of depends_on, which waits for all of
// it, before those of references.
func (r *resolver) edges(groups ...[]model.Edge) []model.Edge {
	edges := slices.Concat(groups...)
	slices.SortStableFunc(edges, func(a, b model.Edge) int { return a.To.Compare(b.To) })
	return slices.CompactFunc(edges, func(a, b model.Edge) bool { return a.To == b.To })
}

// built is what evaluating one object leads to.
type built struct {
	desired  cty.Value
	triggers cty.Value // cty.NilVal without
	edges    []model.Edge
	ok       bool
}

// build evaluates one object of a block. Both stages come through here.
func (s *scope) build(i *instance) built {
	result := built{ok: true}
	def, block := i.block.kind.schema, i.block.config
	desired := s.desired // what is made of it has a copy
	if s.desired = nil; desired == nil {
		desired = map[string]cty.Value{}
	}
	s.contentsBefore, s.crowded = s.contents, false
	for k := range def.Attributes {
		a := &def.Attributes[k]
		if a.Presence == schema.Computed {
			continue
		}
		desired[a.Name] = s.attribute(block, a, i, &result)
		if def.Class == schema.ClassResource && !def.Cluster { // a manifest says what it makes of null
			desired[a.Name] = withoutNulls(desired[a.Name])
		}
	}
	s.conflicts(block, def, desired)
	for k := range def.Blocks {
		nested := &def.Blocks[k]
		desired[nested.Kind] = s.nested(block, nested, i, &result)
	}
	result.ok = s.rules(block, def, desired) && result.ok
	result.desired = model.OfType(cty.ObjectVal(desired), i.block.kind.desired)
	clear(desired)
	s.desired = desired
	result.triggers = s.triggers(block, &result)
	return result
}

// withoutNulls is a list, set or map without its elements that are null: as an attribute that is null they count as not
// written, which makes parts of it optional. All else it returns as it is.
func withoutNulls(v cty.Value) cty.Value {
	t := v.Type()
	if v.IsNull() || !v.IsKnown() || !t.IsListType() && !t.IsSetType() && !t.IsMapType() {
		return v
	}
	bare, marks := v.Unmark()
	keys, left := []string{}, []cty.Value{}
	for it := bare.ElementIterator(); it.Next(); {
		key, element := it.Element()
		if element.IsNull() {
			continue
		}
		if left = append(left, element); t.IsMapType() {
			keys = append(keys, key.AsString())
		}
	}
	switch {
	case len(left) == bare.LengthInt():
		return v
	case len(left) == 0 && t.IsListType():
		bare = cty.ListValEmpty(t.ElementType())
	case len(left) == 0 && t.IsSetType():
		bare = cty.SetValEmpty(t.ElementType())
	case len(left) == 0:
		bare = cty.MapValEmpty(t.ElementType())
	case t.IsListType():
		bare = cty.ListVal(left)
	case t.IsSetType():
		bare = cty.SetVal(left)
	default:
		all := map[string]cty.Value{}
		for i, key := range keys {
			all[key] = left[i]
		}
		bare = cty.MapVal(all)
	}
	return bare.WithMarks(marks)
}

// seen is what a reference to the object sees at the first stage: what is written, and unknown
// values for the rest. Most objects are never referred to, so it is made when it is asked for; it is kept for all
// others that refer to it.
func (i *instance) seen() cty.Value {
	i.once.Do(func() { i.object = i.view() })
	return i.object
}

// view is what seen returns, and is kept by nobody.
func (i *instance) view() cty.Value {
	return model.OfType(cty.ObjectVal(i.attributes()), i.block.kind.object)
}

// attributes are those of what seen returns.
func (i *instance) attributes() map[string]cty.Value {
	object := maps.Clone(i.block.kind.unknown) // decided by OpenStack, or left as it is
	def := i.block.kind.schema
	for k := range def.Attributes {
		a := &def.Attributes[k]
		if a.Presence == schema.Computed {
			continue
		}
		if v := i.resource.Desired.GetAttr(a.Name); !v.IsNull() {
			object[a.Name] = v
		}
	}
	return object
}

// some is what a reference to some attributes of the object sees at the first stage.
func (i *instance) some(names []string) cty.Value {
	object := make(map[string]cty.Value, len(names))
	for _, name := range names {
		object[name] = i.one(name)
	}
	return cty.ObjectVal(object)
}

// one is one attribute of what seen returns.
func (i *instance) one(name string) cty.Value {
	if a := i.block.kind.schema.Attribute(name); a != nil && a.Presence != schema.Computed {
		if v := i.resource.Desired.GetAttr(name); !v.IsNull() {
			return v
		}
	}
	return i.block.kind.unknown[name]
}

// attribute is the value of one attribute of a block: written, from the label, the default, or
// null.
func (s *scope) attribute(b *config.Block, def *schema.Attribute, i *instance, result *built) cty.Value {
	if a := b.Attribute(def.Name); a != nil {
		v, used, ok := s.decode(a)
		result.ok = result.ok && ok
		if !s.late {
			result.edges = append(result.edges, s.edgesOf(a, used)...)
		}
		if !v.IsNull() {
			return v
		}
	}
	switch {
	case def.FromLabel && !i.block.repeated() && !i.block.module.site.config.Repeated:
		return cty.StringVal(i.block.config.Label())
	case def.FromLabel && b.Attribute(def.Name) != nil:
		s.fail(codeValue, b.Attribute(def.Name).Range, "value is missing", "a block with for_each, or in a module with for_each, stands for several objects, so each needs a name, and this is null", i.block.exampleName())
		result.ok = false
	case def.HasDefault():
		return def.Default
	}
	if null, known := i.block.kind.nulls[def]; known {
		return null
	}
	return cty.NullVal(plain(def.Type))
}

// plain is a type as values have it.
func plain(t cty.Type) cty.Type {
	if t.IsPrimitiveType() {
		return t
	}
	return t.WithoutOptionalAttributesDeep()
}

// exampleName is the hint that gives each object of the block a name of its own.
func (b *block) exampleName() string {
	apart := "each.key"
	if !b.repeated() {
		apart = "var.name"
	}
	return fmt.Sprintf("write, for example: name = \"%s-${%s}\"", b.config.Label(), apart)
}

// maxEffort bounds how many steps along named values are taken to find what resources depend on.
const maxEffort = 20_000_000

// edgesOf are the edges that the references of an attribute make, those through locals, variables and
// outputs included.
func (s *scope) edgesOf(a *config.Attribute, used uses) []model.Edge {
	if len(used.objects) == 0 && len(used.values) == 0 {
		return nil
	}
	if len(used.objects) == 1 && !slices.ContainsFunc(used.values, func(n *named) bool { return n.leads }) {
		return []model.Edge{{To: used.objects[0], Attribute: a.Name, Range: a.Range}} // as nearly always
	}
	seen := map[addr.Object]bool{}
	var edges []model.Edge
	add := func(objects []addr.Object) {
		for _, o := range objects {
			if !seen[o] {
				seen[o] = true
				edges = append(edges, model.Edge{To: o, Attribute: a.Name, Range: a.Range})
			}
		}
	}
	add(used.objects)
	visited := map[*named]bool{}
	for queue := slices.Clone(used.values); len(queue) > 0; {
		n := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if visited[n] || !n.leads {
			continue
		}
		visited[n] = true
		add(n.objects)
		queue = append(queue, n.values...)
		if s.effort += 1 + len(n.values) + len(n.objects); s.effort > maxEffort {
			s.wrong(codeTooLarge, a, "too many references", "resources and named values refer to each other more often than a configuration needs", "refer to single objects and values, not to all of many from each of many")
			return nil
		}
	}
	return edges
}
