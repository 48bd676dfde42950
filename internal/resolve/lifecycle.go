package resolve

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// triggersArgument is the argument of a lifecycle that is evaluated for each object, at both stages.
const triggersArgument = "replace_triggered_by"

// lifecycle evaluates what must be known at load about how the objects of a block are treated.
func (r *resolver) lifecycle(b *config.Block, unique string) model.Lifecycle {
	var lifecycle model.Lifecycle
	if b.Lifecycle == nil {
		return lifecycle
	}
	lifecycle.IgnoreChanges = b.Lifecycle.Names
	for _, a := range b.Lifecycle.Attributes {
		if a.Name == triggersArgument {
			continue
		}
		v, ok := r.shown(a)
		if !ok || v.IsNull() {
			continue
		}
		switch a.Name {
		case "drift":
			lifecycle.Drift = model.Drift(v.AsString())
		case "prevent_destroy":
			lifecycle.PreventDestroy = v.True()
		case "replace":
			lifecycle.Replace = v.True()
		case "create_before_destroy":
			lifecycle.CreateBeforeDestroy = v.True()
			if v.True() && unique != "" {
				r.scope.wrong(codeConflict, a, "two cannot exist side by side",
					fmt.Sprintf("a new %s cannot be created before the old one is deleted: %s", b.Schema.Kind, unique),
					"take the line away; to change what cannot be changed in place, write a second block with another name, refer to that, and then take the first one out")
			}
		}
	}
	return lifecycle
}

// triggers evaluates what an object is replaced for when it changes: a tuple with one value for each
// expression, or cty.NilVal without any.
func (s *scope) triggers(b *config.Block, result *built) cty.Value {
	if b.Lifecycle == nil {
		return cty.NilVal
	}
	var values []cty.Value
	for _, a := range b.Lifecycle.Attributes {
		if a.Name != triggersArgument {
			continue
		}
		v, used, ok := s.eval(a)
		result.ok = result.ok && ok
		if !s.late {
			result.edges = append(result.edges, s.edgesOf(a, used)...)
		}
		values = append(values, s.e.identity(v))
	}
	if len(values) == 0 {
		return cty.NilVal
	}
	return cty.TupleVal(values)
}

// identity puts the ids of resources in the place of whole ones: an object is another one when its id
// is, not whenever something about it changes.
func (e *Evaluator) identity(v cty.Value) cty.Value {
	if v.IsMarked() || !v.IsKnown() || v.IsNull() {
		return v
	}
	t := v.Type()
	switch {
	case t.IsObjectType() && t.HasAttribute("id") && e.isResource(t):
		return v.GetAttr("id")
	case t.IsObjectType():
		attributes := v.AsValueMap()
		for name, inner := range attributes {
			attributes[name] = e.identity(inner)
		}
		return cty.ObjectVal(attributes)
	case t.IsTupleType():
		elements := v.AsValueSlice()
		for i, inner := range elements {
			elements[i] = e.identity(inner)
		}
		return cty.TupleVal(elements)
	default:
		return v
	}
}

func (e *Evaluator) isResource(t cty.Type) bool {
	for _, k := range e.kinds {
		if t.Equals(k.object) {
			return true
		}
	}
	return false
}

// Triggers computes what a resource is replaced for when it changes, with the outputs of others as
// far as they are known: a tuple, or cty.NilVal for a resource that names nothing of the kind. It
// is to the values in lifecycle's replace_triggered_by what [Evaluator.Desired] is to the attributes.
func (e *Evaluator) Triggers(address addr.Object, outputs map[addr.Object]cty.Value) (cty.Value, diag.Diagnostics) {
	i, diags := e.instance(address)
	switch {
	case i == nil:
		return cty.NilVal, diags
	case i.resource.Triggers == cty.NilVal || i.resource.Triggers.IsWhollyKnown():
		return i.resource.Triggers, nil
	}
	result, diags := e.late(i, outputs, nil)
	if !result.ok {
		return i.resource.Triggers, diags
	}
	return result.triggers, diags
}
