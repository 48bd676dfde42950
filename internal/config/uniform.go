package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// parameter is where a value goes: it is an argument of a function.
type parameter struct {
	call *hclsyntax.FunctionCallExpr // nil: it is none
	at   int
}

// manyElements is from how many elements on a value is made a collection before the function does it.
const manyElements = 64

// uniform returns the list or map that a function is about to make of a long tuple or object of which all
// elements have one type, as those of a for expression mostly do. To find a common type the library compares
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
	switch {
	case t.IsTupleType() && sequence && ofOneType(plain):
		return cty.ListVal(plain.AsValueSlice()).WithMarks(marks)
	case t.IsObjectType() && mapping && ofOneType(plain):
		return cty.MapVal(plain.AsValueMap()).WithMarks(marks)
	}
	return v
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

// ofOneType tells whether all elements have the same type, which is known.
func ofOneType(v cty.Value) bool {
	var one cty.Type
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		switch t := element.Type(); {
		case one == cty.NilType:
			if t.HasDynamicTypes() {
				return false
			}
			one = t
		case !t.Equals(one):
			return false
		}
	}
	return one != cty.NilType
}
