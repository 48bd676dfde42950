package resolve

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
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
	i, diags := e.instance(address)
	switch {
	case i == nil:
		return cty.DynamicVal, diags
	case i.resource.Desired.IsWhollyKnown():
		return i.resource.Desired, nil
	}
	result, diags := e.late(i, outputs, nil)
	return result.desired, diags
}

// instance returns an object of the configuration, or nil and why there is none.
func (e *Evaluator) instance(address addr.Object) (*instance, diag.Diagnostics) {
	b := e.block(address)
	if b == nil || b.at(address.Key()) == nil {
		return nil, diag.Diagnostics{{
			Code: codeReference, Summary: "unknown resource",
			Detail: fmt.Sprintf("there is no %s in this configuration", address),
		}}
	}
	return b.at(address.Key()), nil
}

// late evaluates an object at the second stage.
func (e *Evaluator) late(i *instance, outputs map[addr.Object]cty.Value, reveal func(model.SecretRef) cty.Value) (built, diag.Diagnostics) {
	s := e.lateScope(i, outputs, reveal)
	return s.rebuild(i), s.diags
}

func (e *Evaluator) lateScope(i *instance, outputs map[addr.Object]cty.Value, reveal func(model.SecretRef) cty.Value) *scope {
	return &scope{
		e: e, budget: config.NewBudget(config.DefaultCosts()), block: i.block.config, late: true, outputs: outputs, each: i.eachObject(),
		module: i.block.module, path: i.block.module.path, files: newFiles(e.config, e.files),
		findings: &findings{told: map[told]*saying{}}, again: &again{values: map[*named]cty.Value{}}, reveal: reveal,
	}
}

func (s *scope) rebuild(i *instance) built {
	if i.each != cty.NilVal && !i.each.IsWhollyKnown() {
		key, _ := i.address.Key().Value()
		value, ok := s.element(i.block.config.ForEach, key, i.each)
		if !ok {
			return built{desired: i.resource.Desired}
		}
		s.each = eachObject(i.address, value)
	}
	return s.build(i)
}

// Type returns the type of the outputs of a kind of resource: an object with every attribute of it.
func (e *Evaluator) Type(kind string) cty.Type {
	if t, ok := e.types[kind]; ok {
		return t
	}
	return cty.DynamicPseudoType
}

// block returns the block of an object, or nil.
func (e *Evaluator) block(address addr.Object) *block {
	m := e.modules[address.Module()]
	if m == nil {
		return nil
	}
	return m.blocks[address.Block().In(addr.Module{})]
}

// element evaluates for_each again for the value of one key. The keys were known at the first
// stage and stay what they are; before is what the value was then.
func (s *scope) element(forEach *config.Attribute, key string, before cty.Value) (cty.Value, bool) {
	v, _, ok := s.eval(forEach)
	if !ok {
		return cty.NilVal, false
	}
	v, _ = v.Unmark()
	if v.IsNull() || !v.IsKnown() {
		return before, true
	}
	t := v.Type()
	switch {
	case t.IsObjectType() && t.HasAttribute(key):
		return v.GetAttr(key), true
	case t.IsMapType() && v.HasIndex(cty.StringVal(key)).True():
		return v.Index(cty.StringVal(key)), true
	default:
		return before, true
	}
}
