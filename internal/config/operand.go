package config

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kupenstack/kupenstack-sync/internal/reference"
)

// operand is a side of an operator, or a condition, that fails for a value with which there is no result.
// The library itself takes null for false in some places, says of others only that an argument is null, and
// divides by zero to infinity. It is a pair of parentheses to everything that walks the tree.
type operand struct {
	hclsyntax.ParenthesesExpr
	result cty.Type // that the operator wants
	where  string   // which side of which operator it is, to begin a sentence with
	zero   bool     // zero is wrong, too
	tested bool     // the operator leads to true or false, so that a test for null can stand before it
}

// Value evaluates the side. The value of one that is wrong is unknown, so that the operator decides, by its
// other side, whether that matters.
func (o *operand) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	v, diags := o.Expression.Value(ctx)
	plain, _ := v.Unmark()
	if diags.HasErrors() || !plain.IsKnown() {
		return v, diags
	}
	if _, err := convert.Convert(plain, o.result); err != nil {
		return v, nil //nolint:nilerr // the operator tells, and with another type there is another expression
	}
	problem := hcl.Diagnostic{Severity: hcl.DiagError, Summary: summaryOperand, Subject: o.SrcRange.Ptr(), Expression: o, EvalContext: ctx}
	switch {
	case plain.IsNull():
		problem.Detail, problem.Extra = o.isNull()
	case o.zero && isZero(plain):
		problem.Detail = "nothing can be divided by zero"
		problem.Extra = advice("look at where the number comes from, or leave the case out: n == 0 ? 0 : x / n")
	default:
		return v, diags
	}
	return cty.UnknownVal(o.result), append(diags, &problem)
}

// summaryOperand is the library's summary for the same.
const summaryOperand = "Invalid operand"

// advice is what a diagnostic of the library bears that knows what to do.
type advice string

// isNull says what is null, and what to do about it.
func (o *operand) isNull() (string, advice) {
	wanted, instead := "a number", cty.Zero
	if o.result == cty.Bool {
		wanted, instead = "true or false", cty.False
	}
	name := nameOfValue(o.Expression)
	detail := fmt.Sprintf("%s must be %s, and %s is null", o.where, wanted, orThis(name))
	switch name {
	case nullText:
		return fmt.Sprintf("%s must be %s, and this is null", o.where, wanted), advice(fmt.Sprintf("write %s instead of null", wanted))
	case "":
		return detail, advice(fmt.Sprintf("say what null stands for, such as coalesce(…, %s)", reference.Literal(instead)))
	}
	hint := fmt.Sprintf("say what null stands for: coalesce(%s, %s)", name, reference.Literal(instead))
	if strings.HasPrefix(name, "var.") {
		hint = "give the variable a value, such as a default, or " + hint
	}
	if o.tested {
		hint += fmt.Sprintf("; or test for it first: %s != null && …", name)
	}
	return detail, advice(hint)
}

func orThis(name string) string {
	if name == "" {
		return "this"
	}
	return name
}

// nullText is null that is written as it is.
const nullText = "null"

// nameOfValue is an expression that names a value, as it is written; "" for everything longer.
func nameOfValue(e hclsyntax.Expression) string {
	switch e := e.(type) {
	case *metered:
		return nameOfValue(e.Expression)
	case *watched:
		return nameOfValue(e.Expression)
	case *hclsyntax.ParenthesesExpr:
		return nameOfValue(e.Expression)
	case *hclsyntax.LiteralValueExpr:
		if e.Val.IsNull() {
			return nullText
		}
	case *hclsyntax.ScopeTraversalExpr:
		return traversalText(e.Traversal)
	}
	return ""
}

// traversalText is a reference as it is written; "" for one that is too long for a sentence.
func traversalText(t hcl.Traversal) string {
	var text strings.Builder
	for _, step := range t {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			text.WriteString(step.Name)
		case hcl.TraverseAttr:
			text.WriteString("." + step.Name)
		case hcl.TraverseIndex:
			text.WriteString("[" + reference.Literal(step.Key) + "]")
		default:
			return ""
		}
	}
	if text.Len() > longestExample/2 {
		return ""
	}
	return text.String()
}

// checkOperands replaces the sides of an operator that have to be looked at.
func checkOperands(e *hclsyntax.BinaryOpExpr) {
	sign, result, tested := signOf(e.Op)
	if sign == "" {
		return
	}
	e.LHS = checked(e.LHS, &operand{result: result, tested: tested, where: "the left side of " + sign})
	e.RHS = checked(e.RHS, &operand{
		result: result, tested: tested, where: "the right side of " + sign, zero: e.Op == hclsyntax.OpDivide || e.Op == hclsyntax.OpModulo,
	})
}

// signOf is how an operator is written that has no result for null, with the type of its sides, and whether
// it is a test.
func signOf(op *hclsyntax.Operation) (sign string, sides cty.Type, tested bool) {
	switch op {
	case hclsyntax.OpLogicalAnd:
		return "&&", cty.Bool, false
	case hclsyntax.OpLogicalOr:
		return "||", cty.Bool, false
	case hclsyntax.OpGreaterThan:
		return ">", cty.Number, true
	case hclsyntax.OpGreaterThanOrEqual:
		return ">=", cty.Number, true
	case hclsyntax.OpLessThan:
		return "<", cty.Number, true
	case hclsyntax.OpLessThanOrEqual:
		return "<=", cty.Number, true
	case hclsyntax.OpAdd:
		return "+", cty.Number, false
	case hclsyntax.OpSubtract:
		return "-", cty.Number, false
	case hclsyntax.OpMultiply:
		return "*", cty.Number, false
	case hclsyntax.OpDivide:
		return "/", cty.Number, false
	case hclsyntax.OpModulo:
		return "%", cty.Number, false
	default: // null can be compared
		return "", cty.NilType, false
	}
}

// checkSide replaces what stands behind an operator with one side.
func checkSide(e *hclsyntax.UnaryOpExpr) {
	switch e.Op {
	case hclsyntax.OpLogicalNot:
		e.Val = checked(e.Val, &operand{result: cty.Bool, where: "what stands behind !"})
	case hclsyntax.OpNegate:
		e.Val = checked(e.Val, &operand{result: cty.Number, where: "what stands behind -"})
	}
}

// condition replaces what decides whether something is taken.
func condition(e hclsyntax.Expression) hclsyntax.Expression {
	return checked(e, &operand{result: cty.Bool, where: "a condition"})
}

func checked(e hclsyntax.Expression, o *operand) hclsyntax.Expression {
	if literal, ok := e.(*hclsyntax.LiteralValueExpr); ok && !literal.Val.IsNull() && (!o.zero || !isZero(literal.Val)) {
		return e
	}
	o.ParenthesesExpr = hclsyntax.ParenthesesExpr{Expression: e, SrcRange: e.Range()}
	return o
}

func isZero(v cty.Value) bool {
	n, err := convert.Convert(v, cty.Number)
	return err == nil && !n.IsNull() && n.RawEquals(cty.Zero)
}
