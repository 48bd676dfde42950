package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// metered is an expression whose value is charged to the budget of its context. It is a pair
// of parentheses to everything that walks the tree.
type metered struct {
	hclsyntax.ParenthesesExpr
	deep bool // the value's whole content counts, as a function may copy it
	// outcome says that it is an attempt as a whole: whether that fails does not depend on its value.
	outcome bool
	goes    parameter
}

// Value evaluates the expression unless the budget is spent already.
func (m *metered) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	budget := budgetOf(ctx)
	if budget == nil {
		return m.Expression.Value(ctx)
	}
	if !budget.spent {
		v, diags := m.Expression.Value(ctx)
		if m.outcome {
			defer func(watching cty.ValueMarks) { budget.watching = watching }(budget.watching)
			budget.watching = nil
		}
		if diags.HasErrors() {
			return v, diags
		}
		if budget.Charge(v, m.deep) {
			return m.goes.uniform(ctx, v), diags
		}
	}
	return cty.DynamicVal, budget.overrun(m.Range())
}

// Fill evaluates a text in quotes that has nothing in it but references as they are, each with the value
// that value returns for it and for the number of its steps, as a context with these values would lead to.
// It charges the budget the same. It returns false when the attribute is anything else, when value does, or
// when there is anything to tell: then it takes the context.
func (a *Attribute) Fill(budget *Budget, value func(ref Reference, steps int) (cty.Value, bool)) (cty.Value, bool) {
	template, is := a.Expr.syntax.(*hclsyntax.TemplateExpr)
	if !is || len(a.References) == 0 || a.Broken {
		return cty.NilVal, false
	}
	parts := make([]hclsyntax.Expression, len(template.Parts))
	at := 0
	for i, part := range template.Parts {
		wrapped, is := part.(*metered)
		if !is {
			if _, literal := part.(*hclsyntax.LiteralValueExpr); !literal {
				return cty.NilVal, false
			}
			parts[i] = part
			continue
		}
		reference, is := wrapped.Expression.(*hclsyntax.ScopeTraversalExpr)
		if !is || at == len(a.References) {
			return cty.NilVal, false
		}
		v, good := value(a.References[at], len(reference.Traversal))
		if !good || !budget.Charge(v, wrapped.deep) {
			return cty.NilVal, false
		}
		at++
		parts[i] = &hclsyntax.LiteralValueExpr{Val: v, SrcRange: wrapped.SrcRange}
	}
	filled := hclsyntax.TemplateExpr{Parts: parts, SrcRange: template.SrcRange}
	v, diags := filled.Value(nil)
	return v, len(diags) == 0 && at == len(a.References)
}

// overrun is the diagnostic for a spent budget. Only the first place that meets it tells, since
// a template of a thousand parts would tell a thousand times.
func (b *Budget) overrun(where hcl.Range) hcl.Diagnostics {
	if b.told {
		// An error all the same, so that nothing takes the value for a result.
		return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: summarySpentAgain, Subject: &where}}
	}
	b.told = true
	return hcl.Diagnostics{{
		Severity: hcl.DiagError,
		Summary:  summarySpent,
		Detail:   "the expression was stopped, because its value, or what it takes to compute it, is far beyond what a configuration needs",
		Subject:  &where,
	}}
}

const (
	summarySpent      = "expression is too large"
	summarySpentAgain = "expression was stopped"
)

// meter replaces, within an expression, what can grow by pieces that charge the budget. It
// changes the tree in place and returns its root. The references in the tree have to be
// collected before.
func meter(e hclsyntax.Expression) hclsyntax.Expression { return meters{}.expression(e) }

// meters says what is metered besides.
type meters struct {
	watch bool // what bears a mark, as this is within an attempt that may fail by it; see [Attempts]
}

// expression meters what something else is made from.
func (m meters) expression(e hclsyntax.Expression) hclsyntax.Expression {
	e = m.within(e)
	if _, literal := e.(*hclsyntax.LiteralValueExpr); m.watch && e != nil && !literal {
		return &watched{hclsyntax.ParenthesesExpr{Expression: e, SrcRange: e.Range()}, false}
	}
	return e
}

// whole meters what stays as it is: an element of a list, an attempt.
func (m meters) whole(e hclsyntax.Expression) hclsyntax.Expression {
	e = m.within(e)
	switch e.(type) {
	case *hclsyntax.ScopeTraversalExpr, *hclsyntax.RelativeTraversalExpr:
		if m.watch {
			return &watched{hclsyntax.ParenthesesExpr{Expression: e, SrcRange: e.Range()}, true}
		}
	}
	return e
}

func (m meters) within(e hclsyntax.Expression) hclsyntax.Expression {
	switch e := e.(type) {
	case nil:
		return nil
	case *hclsyntax.ParenthesesExpr:
		e.Expression = m.expression(e.Expression)
	case *hclsyntax.FunctionCallExpr:
		for i := range e.Args {
			if attempts(e) {
				within := hclsyntax.ParenthesesExpr{Expression: meters{watch: true}.whole(e.Args[i]), SrcRange: e.Args[i].Range()}
				e.Args[i] = &metered{ParenthesesExpr: within, deep: true, outcome: true}
				continue
			}
			e.Args[i] = charged(m.expression(e.Args[i]), true)
			if argument, is := e.Args[i].(*metered); is {
				argument.goes = parameter{e, i}
			}
		}
		return charged(e, false)
	case *hclsyntax.ForExpr:
		e.CollExpr = charged(m.expression(e.CollExpr), false)
		if e.KeyExpr != nil {
			e.KeyExpr = charged(m.expression(e.KeyExpr), false)
		}
		e.ValExpr = charged(m.expression(e.ValExpr), false)
		if e.CondExpr != nil {
			e.CondExpr = condition(charged(m.expression(e.CondExpr), false))
		}
	case *hclsyntax.TemplateExpr:
		for i, part := range e.Parts {
			if _, literal := part.(*hclsyntax.LiteralValueExpr); !literal {
				e.Parts[i] = charged(m.expression(part), false)
			}
		}
	case *hclsyntax.TemplateJoinExpr:
		e.Tuple = charged(m.expression(e.Tuple), true)
	case *hclsyntax.TemplateWrapExpr:
		e.Wrapped = m.expression(e.Wrapped)
	case *hclsyntax.TupleConsExpr:
		for i := range e.Exprs {
			e.Exprs[i] = m.whole(e.Exprs[i])
		}
	case *hclsyntax.ObjectConsExpr:
		for i := range e.Items {
			e.Items[i].KeyExpr = m.expression(e.Items[i].KeyExpr)
			e.Items[i].ValueExpr = m.whole(e.Items[i].ValueExpr)
		}
	case *hclsyntax.ObjectConsKeyExpr:
		e.Wrapped = m.within(e.Wrapped) // a bare name has to be seen as one
	case *hclsyntax.IndexExpr:
		e.Collection, e.Key = m.expression(e.Collection), m.expression(e.Key)
		return &keyed{hclsyntax.ParenthesesExpr{Expression: e, SrcRange: e.Range()}, e}
	default:
		m.operation(e)
	}
	return e
}

// operation does the same with an expression of operators and steps.
func (m meters) operation(e hclsyntax.Expression) {
	switch e := e.(type) {
	case *hclsyntax.BinaryOpExpr:
		e.LHS, e.RHS = m.expression(e.LHS), m.expression(e.RHS)
		checkOperands(e)
	case *hclsyntax.UnaryOpExpr:
		e.Val = m.expression(e.Val)
		checkSide(e)
	case *hclsyntax.ConditionalExpr:
		e.Condition, e.TrueResult, e.FalseResult = condition(m.expression(e.Condition)), m.expression(e.TrueResult), m.expression(e.FalseResult)
	case *hclsyntax.RelativeTraversalExpr:
		e.Source = m.expression(e.Source)
	case *hclsyntax.SplatExpr:
		e.Source, e.Each = charged(m.expression(e.Source), false), charged(m.expression(e.Each), false)
	default:
		// Literals, references and the parser's own placeholders hold no expression.
	}
}

func charged(e hclsyntax.Expression, deep bool) hclsyntax.Expression {
	if literal, ok := e.(*hclsyntax.LiteralValueExpr); ok {
		return literal // as long as the file at most
	}
	return &metered{ParenthesesExpr: hclsyntax.ParenthesesExpr{Expression: e, SrcRange: e.Range()}, deep: deep}
}
