package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Sound returns what is certain of the value of an expression that was evaluated with faults: what stands
// in lists and maps that are written out and has no fault in it. Everything else is unknown, also where the
// library has a value for it, such as a text without what should have been filled in.
func (e Expression) Sound(v cty.Value, faults Faults) cty.Value { return sound(e.syntax, v, faults) }

func sound(e hcl.Expression, v cty.Value, faults Faults) cty.Value {
	if !failsIn(e.Range(), faults) {
		return v
	}
	plain, marks := v.Unmark()
	if plain.IsNull() || !plain.IsKnown() {
		return cty.DynamicVal
	}
	switch e := withoutParentheses(e).(type) {
	case *hclsyntax.TupleConsExpr:
		if !plain.Type().IsTupleType() || plain.LengthInt() != len(e.Exprs) {
			break
		}
		elements := plain.AsValueSlice()
		for i := range elements {
			elements[i] = sound(e.Exprs[i], elements[i], faults)
		}
		return cty.TupleVal(elements).WithMarks(marks)
	case *hclsyntax.ObjectConsExpr:
		if !plain.Type().IsObjectType() {
			break
		}
		return soundItems(e, plain.AsValueMap(), faults).WithMarks(marks)
	}
	return cty.DynamicVal
}

// soundItems is sound for a map. A fault in an item whose key is computed may be in any that is not
// written as it is.
func soundItems(e *hclsyntax.ObjectConsExpr, elements map[string]cty.Value, faults Faults) cty.Value {
	written := map[string]hcl.Expression{}
	computedFails := false
	for _, item := range e.Items {
		if key, ok := writtenKey(item.KeyExpr); ok {
			written[key] = item.ValueExpr // the last one counts
		} else {
			computedFails = computedFails || failsIn(hcl.RangeBetween(item.KeyExpr.Range(), item.ValueExpr.Range()), faults)
		}
	}
	for key, element := range elements {
		if value, ok := written[key]; ok {
			elements[key] = sound(value, element, faults)
		} else if computedFails {
			elements[key] = cty.DynamicVal
		}
	}
	return cty.ObjectVal(elements)
}

// failsIn tells whether any of the faults is in a range.
func failsIn(where hcl.Range, faults Faults) bool {
	for _, f := range faults {
		if at := f.said.Subject; at == nil || encloses(where, *at) {
			return true
		}
	}
	return false
}

func encloses(outer, inner hcl.Range) bool {
	return outer.Filename == inner.Filename && outer.Start.Byte <= inner.Start.Byte && inner.End.Byte <= outer.End.Byte
}

// withoutParentheses is what is inside of parentheses, and of what stands for them.
func withoutParentheses(e hcl.Expression) hcl.Expression {
	for {
		switch inner := e.(type) {
		case *hclsyntax.ParenthesesExpr:
			e = inner.Expression
		case *metered:
			e = inner.Expression
		case *operand:
			e = inner.Expression
		case *watched:
			e = inner.Expression
		case *keyed:
			e = inner.Expression
		default:
			return e
		}
	}
}

// Causes leaves out what follows from another fault: that a part of an expression which has no value is not
// of the type that is wanted there.
func (f Faults) Causes() Faults {
	var causes Faults
	for _, fault := range f {
		if !fault.follows(f) {
			causes = append(causes, fault)
		}
	}
	return causes
}

func (f Fault) follows(faults Faults) bool {
	d := f.said
	if d.Expression == nil || d.Subject == nil {
		return false
	}
	switch d.Expression.(type) {
	case *hclsyntax.FunctionCallExpr, *hclsyntax.ConditionalExpr:
		return false // about the whole, whatever its parts are
	}
	where := d.Expression.Range()
	for _, fault := range faults {
		if other := fault.said; other != d && other.Subject != nil && *other.Subject != *d.Subject && encloses(where, *other.Subject) && !encloses(*other.Subject, where) {
			return true
		}
	}
	return false
}
