package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// scope is one pass of evaluation: the first stage as a whole, or one resource at the second.
type scope struct {
	e      *Evaluator
	budget *config.Budget
	broken map[*config.Attribute]bool // attributes about which a diagnostic was given; nil later on
	each   cty.Value                  // the object with key and value; cty.NilVal outside of for_each

	late    bool // the second stage
	outputs map[addr.Object]cty.Value
	locals  map[addr.Value]cty.Value // evaluated again with outputs

	block  *config.Block // the one at work, for diagnostics; nil outside of blocks
	diags  diag.Diagnostics
	told   map[told]bool
	effort int // steps taken to find edges
}

// uses is what an expression referred to.
type uses struct {
	objects []addr.Object // with keys where the block has them
	locals  []addr.Value
}

// eval returns the value of an expression. It returns false when there is none, after the reason
// was told, here or where the expression refers to.
func (s *scope) eval(a *config.Attribute) (cty.Value, uses, bool) {
	if a.Broken || s.broken[a] {
		return cty.DynamicVal, uses{}, false
	}
	s.budget.Begin()
	ctx, used, ok := s.context(a)
	if !ok {
		_ = s.budget.End() // the reason is told already
		return cty.DynamicVal, used, false
	}
	v, diags := a.Expr.Value(ctx)
	if !diags.HasErrors() {
		s.budget.Charge(v, true)
	}
	if err := s.budget.End(); err != nil {
		s.wrong(codeTooLarge, a, "expression is too large",
			"it was stopped, because its value, or what it takes to compute it, is far beyond what a configuration needs", "")
		return cty.DynamicVal, used, false
	}
	if diags.HasErrors() {
		s.evaluation(diags, a, marked(ctx))
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

// context makes exactly those values visible that an expression refers to.
func (s *scope) context(a *config.Attribute) (*hcl.EvalContext, uses, bool) {
	ctx := &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: s.e.functions}
	s.budget.Bind(ctx)
	var used uses
	if len(a.References) == 0 {
		return ctx, used, true
	}
	variables, locals := map[string]cty.Value{}, map[string]cty.Value{}
	for _, ref := range a.References {
		value, is := ref.Target.(addr.Value)
		switch {
		case ref.Target == nil:
			ctx.Variables["each"] = s.each
		case is:
			n := s.e.values[value]
			if n == nil || n.broken {
				return nil, used, false
			}
			if value.Kind() == addr.Variable {
				variables[value.Name()] = n.value
				continue
			}
			v, ok := s.local(value, n)
			if !ok {
				return nil, used, false
			}
			locals[value.Name()] = v
			used.locals = append(used.locals, value)
		}
	}
	if len(variables) > 0 {
		ctx.Variables["var"] = cty.ObjectVal(variables)
	}
	if len(locals) > 0 {
		ctx.Variables["local"] = cty.ObjectVal(locals)
	}
	ok := s.objects(a, ctx, &used)
	return ctx, used, ok
}

// local returns the value of a local: at the second stage with outputs, where they matter.
func (s *scope) local(a addr.Value, n *named) (cty.Value, bool) {
	if n.known || !s.late {
		return n.value, true
	}
	if v, ok := s.locals[a]; ok {
		return v, true
	}
	inner := *s // with a budget of its own, as that of the outer expression has begun
	inner.budget, inner.each = config.NewBudget(config.DefaultCosts()), cty.NilVal
	v, _, ok := inner.eval(n.attribute)
	s.diags = inner.diags
	if ok {
		s.locals[a] = v
	}
	return v, ok
}

// needed gathers which objects of one block an expression refers to.
type needed struct {
	block *block
	whole bool
	keys  map[addr.Key]bool
}

// objects adds the objects that an expression refers to. Of a block with for_each these are the
// ones with the keys that are written or can be computed, else all of them: an edge to what is not
// needed would make a failure block what it has nothing to do with.
func (s *scope) objects(a *config.Attribute, ctx *hcl.EvalContext, used *uses) bool {
	var order []addr.Object
	all := map[addr.Object]*needed{}
	for _, ref := range a.References {
		object, is := ref.Object()
		if !is {
			continue
		}
		b := s.e.blocks[object.Block()]
		if b == nil || b.broken {
			return false
		}
		n := all[b.address]
		if n == nil {
			n = &needed{block: b, keys: map[addr.Key]bool{}}
			all[b.address] = n
			order = append(order, b.address)
		}
		if !s.need(n, ref, object, ctx) {
			return false
		}
	}
	byKind := map[bool]map[string]map[string]cty.Value{false: {}, true: {}} // data or not, kind, name
	for _, address := range order {
		n := all[address]
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
	if n.block.byKey[key] == nil {
		var keys []string
		for k := range n.block.byKey {
			name, _ := k.Value()
			keys = append(keys, name)
		}
		slices.Sort(keys)
		hint := didYouMean(text, keys)
		if hint == "" && len(keys) > 0 && len(keys) <= 12 {
			hint = "there are: " + strings.Join(keys, ", ")
		}
		s.fail(codeReference, ref.Range, "unknown key", fmt.Sprintf("%s has no object with the key %q", n.block.address, text), hint)
		return false
	}
	n.keys[key] = true
	return true
}

// computedKey evaluates the key of network.web[each.key]; no key when it cannot be told.
func computedKey(e hcl.Expression, ctx *hcl.EvalContext) addr.Key {
	v, diags := e.Value(ctx)
	if diags.HasErrors() {
		return addr.Key{} // the expression as a whole fails and tells
	}
	v, _ = v.Unmark()
	v, err := convert.Convert(v, cty.String)
	if err != nil || v.IsNull() || !v.IsKnown() {
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
		return s.object(n.block.instances[0])
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
		return i.object
	}
	outputs, marks := outputs.Unmark()
	attributes := i.object.AsValueMap()
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
