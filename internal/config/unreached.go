package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Unreached returns the faults in the parts of an expression that were not evaluated because of a mistake
// elsewhere in it: the arguments of a function that there is not, the condition before two results that do
// not go together, and what is made of each element of a collection that is unknown. The given faults are
// those that evaluating it in the context led to.
func (e Expression) Unreached(ctx *Context, faults Faults) Faults {
	var found hcl.Diagnostics
	for _, f := range faults {
		found = append(found, behind(f.said)...)
	}
	syntax, is := e.syntax.(hclsyntax.Expression)
	if _, plain := syntax.(*hclsyntax.ScopeTraversalExpr); is && !plain {
		w := unreached{stack: []reach{{ctx: &ctx.inner}}}
		_ = hclsyntax.Walk(syntax, &w)
		found = append(found, w.found...)
		for _, d := range w.found {
			found = append(found, behind(d)...)
		}
	}
	return faultsOf(found)
}

// The summaries of errors that keep the library from evaluating what is inside.
const (
	summaryNoFunction = "Call to unknown function"
	summaryTooFew     = "Not enough function arguments"
	summaryTooMany    = "Too many function arguments"
	summaryTwoTypes   = "Inconsistent conditional result types"
)

// behind evaluates what an error kept from being evaluated.
func behind(d *hcl.Diagnostic) hcl.Diagnostics {
	var found hcl.Diagnostics
	var parts []hclsyntax.Expression
	switch e := d.Expression.(type) {
	case *hclsyntax.FunctionCallExpr:
		if miscalled(d) {
			parts = e.Args
		}
	case *hclsyntax.ConditionalExpr:
		if d.Summary == summaryTwoTypes {
			parts = []hclsyntax.Expression{e.Condition}
		}
	}
	for _, part := range parts {
		_, more := part.Value(d.EvalContext)
		found = append(found, more...)
		for _, inner := range more {
			found = append(found, behind(inner)...)
		}
	}
	return found
}

// unreached walks an expression along what is evaluated in any case.
type unreached struct {
	stack []reach
	found hcl.Diagnostics
}

// reach is a node on the way to the one at work.
type reach struct {
	node    hclsyntax.Node
	ctx     *hcl.EvalContext
	skipped bool // it is evaluated in some cases only, or was
}

// Enter looks at a node.
func (w *unreached) Enter(node hclsyntax.Node) hcl.Diagnostics {
	outer := w.stack[len(w.stack)-1]
	at := reach{node: node, ctx: outer.ctx, skipped: outer.skipped || atTimes(outer.node, node)}
	switch node := node.(type) {
	case hclsyntax.ChildScope:
		at.ctx = elementUnknown(outer.ctx, node)
		loop, is := outer.node.(*hclsyntax.ForExpr)
		at.skipped = at.skipped || !is || ran(loop, outer.ctx)
		if !at.skipped {
			w.evaluate(node.Expr, at.ctx)
		}
	case *hclsyntax.FunctionCallExpr:
		if node.ExpandFinal && !at.skipped {
			for _, argument := range node.Args[:len(node.Args)-1] {
				w.evaluate(argument, at.ctx)
			}
		}
	}
	w.stack = append(w.stack, at)
	return nil
}

// Exit leaves a node.
func (w *unreached) Exit(hclsyntax.Node) hcl.Diagnostics {
	w.stack = w.stack[:len(w.stack)-1]
	return nil
}

func (w *unreached) evaluate(e hclsyntax.Expression, ctx *hcl.EvalContext) {
	_, diags := e.Value(ctx)
	w.found = append(w.found, diags...)
}

// atTimes tells whether a part of an expression counts in some cases only, so that an error in it may be
// none.
func atTimes(outer, part hclsyntax.Node) bool {
	switch outer := outer.(type) {
	case *hclsyntax.ConditionalExpr:
		return part != hclsyntax.Node(outer.Condition)
	case *hclsyntax.BinaryOpExpr:
		return outer.Op.ShortCircuit != nil && part == hclsyntax.Node(outer.RHS)
	case *hclsyntax.FunctionCallExpr:
		return attempts(outer)
	}
	return false
}

// elementUnknown is the context of what is made of each element, for one that is not known.
func elementUnknown(ctx *hcl.EvalContext, scope hclsyntax.ChildScope) *hcl.EvalContext {
	child := ctx.NewChild()
	child.Variables = map[string]cty.Value{}
	for name := range scope.LocalNames {
		child.Variables[name] = cty.DynamicVal
	}
	return child
}

// ran tells whether a for expression took its elements, if only none at all.
func ran(loop *hclsyntax.ForExpr, ctx *hcl.EvalContext) bool {
	elements, diags := loop.CollExpr.Value(ctx)
	plain, _ := elements.Unmark()
	if diags.HasErrors() || !plain.IsKnown() || plain.IsNull() || !plain.CanIterateElements() {
		return false
	}
	if loop.CondExpr == nil {
		return true
	}
	names := map[string]struct{}{loop.ValVar: {}}
	if loop.KeyVar != "" {
		names[loop.KeyVar] = struct{}{}
	}
	_, diags = loop.CondExpr.Value(elementUnknown(ctx, hclsyntax.ChildScope{LocalNames: names}))
	return !diags.HasErrors()
}

// SaysNothing tells that what a fault says is about the expression as it is written, and of no value that
// it has: which function there is, with how many arguments, or what numbers and texts in it come to.
func (f Fault) SaysNothing() bool {
	if miscalled(f.said) {
		return true
	}
	e, is := f.said.Expression.(hclsyntax.Expression)
	if !is || len(e.Variables()) > 0 {
		return false
	}
	made := false
	_ = hclsyntax.VisitAll(e, func(node hclsyntax.Node) hcl.Diagnostics {
		switch node.(type) {
		case *hclsyntax.FunctionCallExpr, *hclsyntax.AnonSymbolExpr: // the latter is an element of what is around it
			made = true
		}
		return nil
	})
	return !made
}
