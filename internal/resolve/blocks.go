package resolve

import (
	"fmt"
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
	defer r.scope.within(b.config)()
	r.instances(b)
	if b.broken {
		return
	}
	lifecycle := r.lifecycle(b.config)
	waits := r.waits(b.config)
	for _, i := range b.instances {
		r.scope.each = i.eachObject()
		built := r.scope.build(i)
		if !built.ok {
			b.broken = true
			continue
		}
		i.object = built.object
		i.resource = model.Resource{
			Address: i.address, Kind: i.address.Kind(), Desired: built.desired, Lifecycle: lifecycle,
			Edges: r.edges(built.edges, waits), Range: b.config.Range, Ranges: ranges(b.config),
		}
	}
	r.scope.each = cty.NilVal
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
	b.byKey = map[addr.Key]*instance{}
	if !b.repeated() {
		b.instances = []*instance{{block: b, address: b.address, each: cty.NilVal}}
		b.byKey[addr.Key{}] = b.instances[0]
		return
	}
	elements, ok := r.forEach(b.config.ForEach)
	if !ok {
		b.broken = true
		return
	}
	for key, value := range elements {
		k := addr.StringKey(key)
		i := &instance{block: b, address: b.address.WithKey(k), each: value}
		b.instances = append(b.instances, i)
		b.byKey[k] = i
	}
	slices.SortFunc(b.instances, func(x, y *instance) int { return x.address.Compare(y.address) })
}

// forEach evaluates for_each to what each object gets as each.value, by key.
func (r *resolver) forEach(a *config.Attribute) (map[string]cty.Value, bool) {
	v, _, ok := r.scope.eval(a)
	if !ok {
		return nil, false
	}
	if v.IsMarked() {
		r.scope.wrong(codeForEach, a, "sensitive for_each", "the keys of for_each become part of addresses, which everybody sees, and this value is sensitive", "use nonsensitive() if the keys are no secret")
		return nil, false
	}
	t := v.Type()
	switch {
	case v.IsNull():
		r.scope.wrong(codeForEach, a, "nothing to repeat for", "for_each must be a set or a map, and this is null", "for no object at all, write: for_each = {}")
		return nil, false
	case !v.IsKnown() || t.IsSetType() && !v.IsWhollyKnown():
		r.scope.unknown(a)
		return nil, false
	case t.IsMapType() || t.IsObjectType() || t.IsSetType() && (t.ElementType() == cty.String || v.LengthInt() == 0):
	case t.IsTupleType() || t.IsListType():
		r.scope.wrong(codeForEach, a, "list in for_each", "the objects of a list have no keys that stay the same when an element is taken away", "make it a set of strings: toset([…])")
		return nil, false
	default:
		r.scope.wrong(codeForEach, a, "nothing to repeat for", fmt.Sprintf("for_each must be a set of strings, a map or an object, and this is a %s", t.FriendlyName()), "")
		return nil, false
	}
	if n := v.LengthInt(); n > maxInstances {
		r.scope.wrong(codeTooLarge, a, "too many objects", fmt.Sprintf("a block can stand for at most %d objects, and this is %d", maxInstances, n), "")
		return nil, false
	}
	elements := map[string]cty.Value{}
	for it := v.ElementIterator(); it.Next(); {
		key, value := it.Element()
		if t.IsSetType() {
			key = value
		}
		if key.IsNull() || key.AsString() == "" {
			r.scope.wrong(codeForEach, a, "empty key", "a key of for_each is part of an address and cannot be empty", "")
			return nil, false
		}
		elements[key.AsString()] = value
	}
	return elements, true
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

func (r *resolver) lifecycle(b *config.Block) model.Lifecycle {
	lifecycle := model.Lifecycle{Drift: model.DriftCorrect}
	if b.Lifecycle == nil {
		return lifecycle
	}
	for _, a := range b.Lifecycle.Attributes {
		v, _, ok := r.scope.decode(a)
		v, _ = v.Unmark()
		if !ok || v.IsNull() {
			continue
		}
		switch a.Name {
		case "drift":
			lifecycle.Drift = model.Drift(v.AsString())
		case "prevent_destroy":
			lifecycle.PreventDestroy = v.True()
		}
	}
	return lifecycle
}

// waits are the edges that depends_on makes.
func (r *resolver) waits(b *config.Block) []model.Edge {
	var edges []model.Edge
	for _, ref := range b.DependsOn {
		object, ok := ref.Object()
		if !ok {
			continue
		}
		if object.Kind() == "service" {
			edges = append(edges, model.Edge{To: object, Range: ref.Range})
			continue
		}
		to := r.blocks[object.Block()]
		if to == nil {
			continue // told already
		}
		if _, keyed := object.Key().Value(); keyed && to.byKey[object.Key()] == nil && !to.broken {
			r.scope.fail(codeReference, ref.Range, "unknown key", fmt.Sprintf("there is no %s", object), "")
			continue
		}
		for _, i := range to.instances {
			if object.Contains(i.address) {
				edges = append(edges, model.Edge{To: i.address, Range: ref.Range})
			}
		}
	}
	return edges
}

// edges sorts and keeps the first of several to the same object.
func (r *resolver) edges(groups ...[]model.Edge) []model.Edge {
	edges := slices.Concat(groups...)
	slices.SortStableFunc(edges, func(a, b model.Edge) int { return a.To.Compare(b.To) })
	return slices.CompactFunc(edges, func(a, b model.Edge) bool { return a.To == b.To })
}

// built is what evaluating one object leads to.
type built struct {
	desired cty.Value
	object  cty.Value
	edges   []model.Edge
	ok      bool
}

// build evaluates one object of a block. Both stages come through here.
func (s *scope) build(i *instance) built {
	result := built{ok: true}
	desired, object := map[string]cty.Value{}, map[string]cty.Value{}
	def, block := i.block.kind.schema, i.block.config
	s.conflicts(block, def)
	for k := range def.Attributes {
		a := &def.Attributes[k]
		if a.Presence == schema.Computed {
			continue
		}
		v := s.attribute(block, a, i, &result)
		desired[a.Name] = v
		if !v.IsNull() {
			object[a.Name] = v
		}
	}
	for k := range def.Blocks {
		nested := &def.Blocks[k]
		desired[nested.Kind] = s.nested(block, nested, i, &result)
	}
	for name, t := range i.block.kind.object.AttributeTypes() {
		if _, ok := object[name]; !ok {
			object[name] = cty.UnknownVal(t) // decided by OpenStack, or left as it is
		}
	}
	result.desired, result.object = cty.ObjectVal(desired), cty.ObjectVal(object)
	return result
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
	case def.FromLabel && !i.block.repeated():
		return cty.StringVal(i.block.config.Label())
	case def.FromLabel && b.Attribute(def.Name) != nil:
		s.fail(codeValue, b.Attribute(def.Name).Range, "value is missing", "a block with for_each stands for several objects, so each needs a name, and this is null", "")
		result.ok = false
	case def.HasDefault():
		return def.Default
	}
	return cty.NullVal(def.Type.WithoutOptionalAttributesDeep())
}

func (s *scope) nested(b *config.Block, def *schema.Nested, i *instance, result *built) cty.Value {
	var values []cty.Value
	for _, inner := range b.Blocks {
		if inner.Schema.Kind != def.Kind {
			continue
		}
		s.conflicts(inner, &def.Block)
		fields := map[string]cty.Value{}
		for k := range def.Attributes {
			if a := &def.Attributes[k]; a.Presence != schema.Computed {
				fields[a.Name] = s.attribute(inner, a, i, result)
			}
		}
		values = append(values, cty.ObjectVal(fields))
	}
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

// conflicts tells of attributes that exclude each other.
func (s *scope) conflicts(b *config.Block, def *schema.Block) {
	for _, a := range b.Attributes {
		d := def.Attribute(a.Name)
		if d == nil || d.Conflicts == "" {
			continue
		}
		if other := b.Attribute(d.Conflicts); other != nil {
			s.fail(codeConflict, a.NameRange, "attributes that exclude each other",
				fmt.Sprintf("%s cannot be written beside %s, which is at %s", a.Name, other.Name, place(other.NameRange)), "take one of them away")
		}
	}
}

// maxEffort bounds how many steps along locals are taken to find what resources depend on.
const maxEffort = 20_000_000

// edgesOf are the edges that the references of an attribute make, those through locals included.
func (s *scope) edgesOf(a *config.Attribute, used uses) []model.Edge {
	if len(used.objects) == 0 && len(used.locals) == 0 {
		return nil
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
	visited := map[addr.Value]bool{}
	for queue := slices.Clone(used.locals); len(queue) > 0; {
		local := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		n := s.e.values[local]
		if visited[local] || !n.leads {
			continue
		}
		visited[local] = true
		add(n.objects)
		queue = append(queue, n.locals...)
		if s.effort += 1 + len(n.locals) + len(n.objects); s.effort > maxEffort {
			s.wrong(codeTooLarge, a, "too many references", "resources and locals refer to each other more often than a configuration needs", "")
			return nil
		}
	}
	return edges
}
