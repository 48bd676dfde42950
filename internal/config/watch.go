package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// watched is an expression within an attempt: the budget of its context notes the marks of its value, and of
// values on the way to it, since whether the attempt fails may depend on these.
type watched struct {
	hclsyntax.ParenthesesExpr
	passed bool // on as it is: only what is on the way counts
}

// Value evaluates the expression.
func (w *watched) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	budget := budgetOf(ctx)
	if budget == nil {
		return w.Expression.Value(ctx)
	}
	v, diags := budget.evaluate(w.Expression, ctx)
	if !w.passed {
		budget.watch(v.Marks())
	}
	return v, diags
}

// evaluate returns the value of an expression, and notes the marks of what its steps lead through.
func (b *Budget) evaluate(e hclsyntax.Expression, ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	switch e := e.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		for at := ctx; at != nil; at = at.Parent() {
			if root, ok := at.Variables[e.Traversal.RootName()]; ok {
				b.follow(root, e.Traversal[1:])
				break
			}
		}
	case *hclsyntax.RelativeTraversalExpr:
		from, diags := e.Source.Value(ctx)
		b.follow(from, e.Traversal)
		steps := *e
		steps.Source = &hclsyntax.LiteralValueExpr{Val: from, SrcRange: e.Source.Range()} // evaluated once
		v, more := steps.Value(ctx)
		return v, append(diags, about(e, &steps, more)...)
	default:
	}
	return e.Value(ctx)
}

// follow notes the marks of what steps lead through, as far as they lead. Those of where they lead are noted
// with the value.
func (b *Budget) follow(v cty.Value, steps hcl.Traversal) {
	for _, step := range steps {
		b.watch(v.Marks())
		next, diags := hcl.Traversal{step}.TraverseRel(v)
		if diags.HasErrors() {
			return
		}
		v = next
	}
}

// keyed is an expression with an index. An object's attribute bears the marks of the key that it was found
// by, as an element of a list or a map does.
type keyed struct {
	hclsyntax.ParenthesesExpr
	index *hclsyntax.IndexExpr
}

// Value evaluates the expression.
func (k *keyed) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	key, diags := k.index.Key.Value(ctx)
	found := *k.index
	found.Key = &hclsyntax.LiteralValueExpr{Val: key, SrcRange: k.index.Key.Range()} // evaluated once
	v, more := found.Value(ctx)
	return v.WithSameMarks(key), append(diags, about(k.index, &found, more)...)
}

// about has diagnostics be about an expression as it is written, of which another one was evaluated.
func about(written, evaluated hcl.Expression, diags hcl.Diagnostics) hcl.Diagnostics {
	for _, d := range diags {
		if d.Expression == evaluated {
			d.Expression = written
		}
	}
	return diags
}
