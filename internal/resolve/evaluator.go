package resolve

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// Desired computes the desired value of a resource or lookup, with the outputs of others as far as
// they are known: objects with the attributes of their kind, by address, at least for those
// that the resource has an edge to. What is written in the configuration counts more than what an
// output says; an output counts where the configuration leaves a value to OpenStack. What stays
// open is unknown in the result, so without any outputs this is the value in the model. Sensitive
// parts are marked.
//
// The diagnostics are mistakes that show only now, such as an address that does not fit. The
// same arguments always give the same result. It is safe for concurrent use.
func (e *Evaluator) Desired(address addr.Object, outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
	b := e.blocks[address.Block()]
	if b == nil || b.byKey[address.Key()] == nil {
		return cty.DynamicVal, diag.Diagnostics{{
			Code: codeReference, Summary: "unknown resource",
			Detail: fmt.Sprintf("there is no %s in this configuration", address),
		}}
	}
	i := b.byKey[address.Key()]
	if i.resource.Desired.IsWhollyKnown() {
		return i.resource.Desired, nil
	}
	s := &scope{
		e: e, budget: config.NewBudget(config.DefaultCosts()), block: b.config, late: true, outputs: outputs, locals: map[addr.Value]cty.Value{},
		each: i.eachObject(),
	}
	if i.each != cty.NilVal && !i.each.IsWhollyKnown() {
		value, ok := s.eachValue(i)
		if !ok {
			return i.resource.Desired, s.diags
		}
		s.each = eachObject(address, value)
	}
	result := s.build(i)
	return result.desired, s.diags
}

// Type returns the type of the outputs of a kind of resource: an object with every attribute of it.
func (e *Evaluator) Type(kind string) cty.Type {
	if t, ok := e.types[kind]; ok {
		return t
	}
	return cty.DynamicPseudoType
}

// eachValue evaluates for_each again for the value of one key. The keys were known at the first
// stage and stay what they are.
func (s *scope) eachValue(i *instance) (cty.Value, bool) {
	v, _, ok := s.eval(i.block.config.ForEach)
	if !ok {
		return cty.NilVal, false
	}
	v, _ = v.Unmark()
	key, _ := i.address.Key().Value()
	if v.IsNull() || !v.IsKnown() {
		return i.each, true
	}
	t := v.Type()
	switch {
	case t.IsObjectType() && t.HasAttribute(key):
		return v.GetAttr(key), true
	case t.IsMapType() && v.HasIndex(cty.StringVal(key)).True():
		return v.Index(cty.StringVal(key)), true
	default:
		return i.each, true
	}
}
