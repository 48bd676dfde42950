package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Open tells for certain that nothing of what a fault is about bears a mark: neither what the faulty part of the
// expression refers to, nor what a function in it makes, where marks tells that one may mark what nothing
// that it is given does.
func (f Fault) Open(marks func(function string) bool) bool {
	e, is := f.said.Expression.(hclsyntax.Expression)
	ctx := f.said.EvalContext
	if !is || ctx == nil {
		return false
	}
	open := true
	_ = hclsyntax.VisitAll(e, func(node hclsyntax.Node) hcl.Diagnostics {
		switch node := node.(type) {
		case *hclsyntax.FunctionCallExpr:
			open = open && !marks(node.Name)
		case *hclsyntax.AnonSymbolExpr:
			open = false // an element of what is around it
		}
		return nil
	})
	for _, reference := range e.Variables() {
		if !open {
			return false
		}
		v, diags := reference.TraverseAbs(ctx)
		for diags.HasErrors() && len(reference) > 1 {
			reference = reference[:len(reference)-1] // as far as it leads
			v, diags = reference.TraverseAbs(ctx)
		}
		open = !diags.HasErrors() && !v.ContainsMarked()
	}
	return open
}
