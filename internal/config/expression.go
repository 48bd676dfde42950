package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Expression is the right side of an attribute, or what a template makes, before it is evaluated. It charges
// the [Budget] of the context that it is evaluated in. The zero Expression is none.
type Expression struct{ syntax hcl.Expression }

// IsZero tells that there is no expression.
func (e Expression) IsZero() bool { return e.syntax == nil }

// Value evaluates the expression. With faults the value is what the library makes of it all the same: see
// [Expression.Sound] for what of it is certain.
func (e Expression) Value(ctx *Context) (cty.Value, Faults) {
	v, diags := e.syntax.Value(&ctx.inner)
	return v, faultsOf(diags)
}

// Roots returns the first names of what the expression refers to, as often as it does.
func (e Expression) Roots() []string {
	var names []string
	for _, traversal := range e.syntax.Variables() {
		names = append(names, traversal.RootName())
	}
	return names
}

// NeverNull tells whether the expression cannot be null, whatever its parts are, as a text that is written
// out cannot. Of what is wrong with it, that is all that is known.
func (e Expression) NeverNull() bool { return neverNull(e.syntax) }

func neverNull(e hcl.Expression) bool {
	switch e := e.(type) {
	case *hclsyntax.ParenthesesExpr:
		return neverNull(e.Expression)
	case *hclsyntax.TemplateWrapExpr:
		return neverNull(e.Wrapped)
	case *hclsyntax.LiteralValueExpr:
		return !e.Val.IsNull()
	case *hclsyntax.ConditionalExpr:
		return neverNull(e.TrueResult) && neverNull(e.FalseResult)
	case *hclsyntax.TemplateExpr, *hclsyntax.TupleConsExpr, *hclsyntax.ObjectConsExpr, *hclsyntax.BinaryOpExpr, *hclsyntax.UnaryOpExpr:
		return true
	default:
		return false
	}
}
