package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// What is said of a side of an operator for which there is no result.
const (
	NullOperand = "a condition must be true or false, and this is null"
	ZeroOperand = "nothing can be divided by zero"
)

// operand is a side of an operator that fails for a value with which the operator has no result. The
// library itself takes null for false, and divides by zero to infinity. It is a pair of parentheses to
// everything that walks the tree.
type operand struct {
	hclsyntax.ParenthesesExpr
	result  cty.Type
	problem func(cty.Value) string // "" for a value that is right
}

// Value evaluates the side. The value of one that is wrong is unknown, so that the operator decides, by its
// other side, whether that matters.
func (o *operand) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	v, diags := o.Expression.Value(ctx)
	plain, _ := v.Unmark()
	if _, err := convert.Convert(plain, o.result); err != nil {
		return v, nil // the operator tells, and with another type there is another expression
	}
	if diags.HasErrors() || !plain.IsKnown() {
		return v, diags
	}
	problem := o.problem(plain)
	if problem == "" {
		return v, diags
	}
	return cty.UnknownVal(o.result), append(diags, &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: "Invalid operand", Detail: problem, Subject: o.SrcRange.Ptr(), Expression: o, EvalContext: ctx,
	})
}

// checkOperands replaces the sides of an operator that have to be looked at.
func checkOperands(e *hclsyntax.BinaryOpExpr) {
	switch e.Op {
	case hclsyntax.OpLogicalAnd, hclsyntax.OpLogicalOr:
		e.LHS, e.RHS = checked(e.LHS, cty.Bool, noNull), checked(e.RHS, cty.Bool, noNull)
	case hclsyntax.OpDivide, hclsyntax.OpModulo:
		e.RHS = checked(e.RHS, cty.Number, noZero)
	default:
	}
}

func checked(e hclsyntax.Expression, result cty.Type, problem func(cty.Value) string) hclsyntax.Expression {
	if literal, ok := e.(*hclsyntax.LiteralValueExpr); ok && problem(literal.Val) == "" {
		return e
	}
	return &operand{ParenthesesExpr: hclsyntax.ParenthesesExpr{Expression: e, SrcRange: e.Range()}, result: result, problem: problem}
}

func noNull(v cty.Value) string {
	if v.IsNull() {
		return NullOperand
	}
	return ""
}

func noZero(v cty.Value) string {
	if n, err := convert.Convert(v, cty.Number); err == nil && !n.IsNull() && n.RawEquals(cty.Zero) {
		return ZeroOperand
	}
	return ""
}
