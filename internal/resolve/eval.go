package resolve

import (
	"fmt"
	"iter"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// scope is where expressions are evaluated: a module, in one pass of evaluation, which is the first
// stage as a whole, or one resource at the second.
type scope struct {
	*findings

	e        *Evaluator
	module   *module     // whose names expressions see
	path     addr.Module // of that module, also before there is one
	anywhere bool        // in a module with several paths, so that diagnostics name none
	budget   *config.Budget
	files    *files
	broken   map[*config.Attribute]bool // attributes about which a diagnostic was given; nil later on
	each     cty.Value                  // the object with key and value; cty.NilVal outside of for_each
	eachFrom *named                     // what each.value is made from, where it is not known

	iterators      map[string]cty.Value // the elements of dynamic blocks at work, by their names
	contents       int                  // how many blocks dynamic ones made
	contentsBefore int                  // before the object at work
	crowded        bool                 // there are too many of them in that object, which was told
	crowdedInAll   bool                 // there are too many of them in all objects, which was told

	late    bool // the second stage
	outputs map[addr.Object]cty.Value
	again   *again
	reveal  func(model.SecretRef) cty.Value // the value of a Secret, unknown where it is not known; nil: none is

	functions         map[string]function.Function // see toolbox
	templateFunctions map[string]function.Function // the same within templates
	settingFunctions  map[string]function.Function // the same within settings that are laid over others

	block *config.Block // the one at work, for diagnostics; nil outside of blocks
}

// findings is what one pass of evaluation gathers, in whatever module it is.
type findings struct {
	diags  diag.Diagnostics
	told   map[told]bool
	effort int // steps taken to find edges
	// disclosed tells that the expression at work saw a secret that no value which it names bears the mark of.
	disclosed bool
	whole     int                  // values taken of modules as a whole
	spare     map[string]cty.Value // for the variables of the next expression; nil while one is evaluated
	desired   map[string]cty.Value // for the values of the next object
}

// again is what the second stage evaluated with outputs.
type again struct {
	values map[*named]cty.Value
}

// uses is what an expression referred to.
type uses struct {
	objects []addr.Object // with keys where the block has them
	values  []*named
}

// eval returns the value of an expression. It returns false when there is none, after the reason
// was told, here or where the expression refers to.
func (s *scope) eval(a *config.Attribute) (cty.Value, uses, bool) {
	if a.Broken || s.broken[a] {
		return cty.DynamicVal, uses{}, false
	}
	s.budget.Begin()
	if v, used, ok := s.filled(a); ok && s.budget.Charge(v, true) {
		_ = s.budget.End() // it was not spent
		return v, used, true
	}
	_ = s.budget.End() // whatever is wrong is told below
	s.budget.Begin()
	variables := s.spare // nobody has a context any more once its expression was evaluated
	s.spare = nil
	if variables == nil {
		variables = map[string]cty.Value{}
	}
	defer func() {
		clear(variables)
		s.spare = variables
	}()
	ctx, used, ok := s.context(a, variables)
	if !ok {
		_ = s.budget.End() // the reason is told already
		return cty.DynamicVal, used, false
	}
	s.disclosed = false
	v, diags := a.Expr.Value(ctx)
	if !diags.HasErrors() {
		s.budget.Charge(v, true)
	}
	if err := s.budget.End(); err != nil {
		s.wrong(codeTooLarge, a, "expression is too large",
			"it was stopped, because its value, or what it takes to compute it, is far beyond what a configuration needs", hintTooLarge)
		return cty.DynamicVal, used, false
	}
	if diags.HasErrors() {
		s.evaluation(diags, a, marked(ctx) || s.disclosed)
		return cty.DynamicVal, used, false
	}
	return v, used, true
}

// marked tells whether a sensitive value can be in what an expression failed on.
func marked(ctx *hcl.EvalContext) bool {
	for _, v := range ctx.Variables {
		if v.ContainsMarked() {
			return true
		}
	}
	return false
}

// context makes exactly those values visible that an expression refers to, in a map that is empty.
func (s *scope) context(a *config.Attribute, visible map[string]cty.Value) (*hcl.EvalContext, uses, bool) {
	ctx := &hcl.EvalContext{Variables: visible, Functions: s.toolbox()}
	if layered(a) {
		ctx.Functions = s.toolboxOfSettings()
	}
	s.budget.Bind(ctx)
	var used uses
	if len(a.References) == 0 {
		return ctx, used, true
	}
	var variables, locals group
	for _, ref := range a.References {
		value, is := ref.Target.(addr.Value)
		switch {
		case ref.Path:
			ctx.Variables["path"] = s.paths()
		case ref.Iterator != "":
			ctx.Variables[ref.Iterator] = s.iterators[ref.Iterator]
		case ref.Target == nil:
			ctx.Variables["each"] = s.each
			if s.eachFrom != nil && ref.Attribute == "value" {
				used.values = append(used.values, s.eachFrom)
			}
		case is:
			n := s.module.values[value]
			v, ok := s.value(n, &used)
			if !ok {
				return nil, used, false
			}
			if value.Kind() == addr.Variable {
				variables.put(n, value.Name(), v)
			} else {
				locals.put(n, value.Name(), v)
			}
		}
	}
	if variables.first != nil {
		ctx.Variables["var"] = variables.object()
	}
	if locals.first != nil {
		ctx.Variables["local"] = locals.object()
	}
	ok := s.calls(a, ctx, &used) && s.objects(a, ctx, &used)
	return ctx, used, ok
}

// paths are the directories that path.module and path.root name, as paths from the directory of the
// configuration, where those that functions take begin.
func (s *scope) paths() cty.Value {
	module := wayTo(s.e.config.Dir, s.module.site.config.Dir)
	return cty.ObjectVal(map[string]cty.Value{"module": cty.StringVal(module), "root": cty.StringVal(".")})
}

// value returns a named value: at the second stage with outputs, where they matter.
func (s *scope) value(n *named, used *uses) (cty.Value, bool) {
	if n == nil || n.broken {
		return cty.DynamicVal, false
	}
	if n.leads || !n.known {
		used.values = append(used.values, n)
	}
	if n.known || !s.late {
		return n.value, true
	}
	if v, ok := s.again.values[n]; ok {
		return v, true
	}
	inner := *s // with a budget of its own, as that of the outer expression has begun
	inner.budget = config.NewBudget(config.DefaultCosts())
	inner.functions, inner.templateFunctions, inner.settingFunctions = nil, nil, nil // they charge the budget
	v, _, ok := inner.make(n)
	if ok {
		s.again.values[n] = v
	}
	return v, ok
}

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
// needed would make a failure block what it has nothing to do with.
func (s *scope) objects(a *config.Attribute, ctx *hcl.EvalContext, used *uses) bool {
	var order []*needed
	var all map[*block]*needed // nil as long as there is one
	for _, ref := range a.References {
		object, is := ref.Object()
		if !is {
			continue
		}
		b := s.module.blocks[object.Block()]
		if b == nil || b.broken {
			return false
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
			return false
		}
	}
	if len(order) == 0 {
		return true
	}
	if len(order) == 1 && order[0].block.address.Mode() == addr.Managed {
		n := order[0] // as nearly always
		ctx.Variables[n.block.address.Kind()] = cty.ObjectVal(map[string]cty.Value{n.block.address.Name(): s.blockValue(n, used)})
		return true
	}
	byKind := map[bool]map[string]map[string]cty.Value{false: {}, true: {}} // data or not, kind, name
	for _, n := range order {
		address := n.block.address
		kinds := byKind[address.Mode() == addr.Data]
		if kinds[address.Kind()] == nil {
			kinds[address.Kind()] = map[string]cty.Value{}
		}
		kinds[address.Kind()][address.Name()] = s.blockValue(n, used)
	}
	for name, objects := range byKind[false] {
		ctx.Variables[name] = cty.ObjectVal(objects)
	}
	if data := byKind[true]; len(data) > 0 {
		kinds := map[string]cty.Value{}
		for name, objects := range data {
			kinds[name] = cty.ObjectVal(objects)
		}
		ctx.Variables[schema.DataKind] = cty.ObjectVal(kinds)
	}
	return true
}

// need notes which object a reference means.
func (s *scope) need(n *needed, ref config.Reference, object addr.Object, ctx *hcl.EvalContext) bool {
	if !n.block.repeated() {
		n.whole = true
		if n.every = n.every || n.block.kind.schema == nil || ref.Key != nil || object != object.Block() || !n.block.kind.object.HasAttribute(ref.Attribute); !n.every {
			n.attributes = append(n.attributes, ref.Attribute)
		}
		return true
	}
	key := object.Key()
	if ref.Key != nil {
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
func computedKey(e hcl.Expression, ctx *hcl.EvalContext) addr.Key {
	v, diags := e.Value(ctx)
	if diags.HasErrors() {
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
			return s.object(i)
		}
		return i.some(n.attributes)
	}
	objects := map[string]cty.Value{}
	for _, i := range n.block.instances {
		if n.whole || n.keys[i.address.Key()] {
			key, _ := i.address.Key().Value()
			objects[key] = s.object(i)
			used.objects = append(used.objects, i.address)
		}
	}
	return cty.ObjectVal(objects)
}

// object is what a reference to an object sees. What is written is taken from the configuration;
// the rest, and what was unknown, from the outputs once there are some.
func (s *scope) object(i *instance) cty.Value {
	outputs, ok := s.outputs[i.address]
	if !s.late || !ok || outputs == cty.NilVal || !outputs.Type().IsObjectType() || outputs.IsNull() || !outputs.IsKnown() {
		return i.seen()
	}
	outputs, marks := outputs.Unmark()
	attributes := i.seen().AsValueMap()
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
