package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// parameter is where a value goes: it is an argument of a function.
type parameter struct {
	call *hclsyntax.FunctionCallExpr // nil: it is none
	at   int
}

// manyElements is from how many elements on a value is made a collection before the function does it.
const manyElements = 64

// uniform returns the list or map that a function is about to make of a long tuple or object whose elements have
// a common type that is easy to tell, as those of a for expression mostly do. To find a common type the library compares
// each of them with each other one.
func (p parameter) uniform(ctx *hcl.EvalContext, v cty.Value) cty.Value {
	t := v.Type()
	if p.call == nil || !t.IsTupleType() && !t.IsObjectType() || !v.IsKnown() || v.IsNull() {
		return v
	}
	plain, marks := v.Unmark()
	if plain.LengthInt() < manyElements {
		return v
	}
	sequence, mapping := p.takes(ctx)
	one := commonType(plain)
	switch {
	case one == cty.NilType:
		return v
	case t.IsTupleType() && sequence:
		elements := plain.AsValueSlice()
		for i, element := range elements {
			elements[i] = primitive(element, one)
		}
		return cty.ListVal(elements).WithMarks(marks)
	case t.IsObjectType() && mapping:
		elements := plain.AsValueMap()
		for key, element := range elements {
			elements[key] = primitive(element, one)
		}
		return cty.MapVal(elements).WithMarks(marks)
	}
	return v
}

// primitive converts an element to the common type, to which every primitive one converts.
func primitive(v cty.Value, one cty.Type) cty.Value {
	if v.Type().Equals(one) {
		return v
	}
	converted, err := convert.Convert(v, one)
	if err != nil {
		return v
	}
	return converted
}

// takes tells whether the function makes a list or a set, or a map, of whatever it is given.
func (p parameter) takes(ctx *hcl.EvalContext) (sequence, mapping bool) {
	if p.call.ExpandFinal && p.at == len(p.call.Args)-1 {
		return false, false // each element is an argument
	}
	switch p.call.Name {
	case "tolist", "toset":
		return true, false
	case "tomap":
		return false, true
	}
	for ; ctx != nil; ctx = ctx.Parent() {
		f, ok := ctx.Functions[p.call.Name]
		if !ok {
			continue
		}
		var wanted cty.Type
		if params := f.Params(); p.at < len(params) {
			wanted = params[p.at].Type
		} else if rest := f.VarParam(); rest != nil {
			wanted = rest.Type
		} else {
			return false, false // one too many
		}
		return wanted.IsListType() || wanted.IsSetType(), wanted.IsMapType()
	}
	return false, false
}

// commonType is the type of all elements, or string where they are texts and other primitive values. It is
// [cty.NilType] where it takes more to tell.
func commonType(v cty.Value) cty.Type {
	one, mixed := cty.NilType, false
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		switch t := element.Type(); {
		case t.HasDynamicTypes():
			return cty.NilType
		case one == cty.NilType:
			one = t
		case t.Equals(one):
		case !t.IsPrimitiveType() || !one.IsPrimitiveType():
			return cty.NilType
		default:
			mixed = true
			if t == cty.String {
				one = t
			}
		}
	}
	if mixed && one != cty.String {
		return cty.NilType
	}
	return one
}
