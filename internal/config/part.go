package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// Part tells where a part of the value of an attribute was written, and where its key. It follows lists
// and maps that are written out: what is computed was written as a whole, and an element of a list has
// no key of its own.
func (a *Attribute) Part(path cty.Path) (value, key diag.Range) {
	value, key = a.Range, a.Range
	e := a.Expr.syntax
	for _, step := range path {
		var k hcl.Expression
		if e, k = partOf(e, step); e == nil {
			break
		}
		value = rangeOf(e.Range())
		key = value
		if k != nil {
			key = rangeOf(k.Range())
		}
	}
	return value, key
}

// partOf is the expression of an element, and that of its key; nil when it is not written out.
func partOf(e hcl.Expression, step cty.PathStep) (value, key hcl.Expression) {
	switch e := withoutParentheses(e).(type) {
	case *hclsyntax.TupleConsExpr:
		at, ok := step.(cty.IndexStep)
		if !ok {
			return nil, nil
		}
		n, err := convert.Convert(at.Key, cty.Number)
		if err != nil || !n.IsKnown() || n.IsNull() {
			return nil, nil
		}
		if i, _ := n.AsBigFloat().Int64(); i >= 0 && i < int64(len(e.Exprs)) {
			return e.Exprs[i], nil
		}
	case *hclsyntax.ObjectConsExpr:
		name, ok := stepName(step)
		for _, item := range e.Items {
			if written, isWritten := writtenKey(item.KeyExpr); ok && isWritten && written == name {
				value, key = item.ValueExpr, item.KeyExpr // the last one counts
			}
		}
	}
	return value, key
}

func stepName(step cty.PathStep) (string, bool) {
	switch step := step.(type) {
	case cty.GetAttrStep:
		return step.Name, true
	case cty.IndexStep:
		if step.Key.Type() == cty.String && step.Key.IsKnown() && !step.Key.IsNull() {
			return step.Key.AsString(), true
		}
	}
	return "", false
}

// Written is where in the value of an attribute, within a list that is written out, a text stands; nil when
// it does not stand in one.
func (a *Attribute) Written(text string) cty.Path {
	if list, ok := withoutParentheses(a.Expr.syntax).(*hclsyntax.TupleConsExpr); ok {
		for i, e := range list.Exprs {
			if quoted(withoutParentheses(e)) == text {
				return cty.Path{}.IndexInt(i)
			}
		}
	}
	return nil
}

// WrittenOut tells whether a part of the value of an attribute was written there as it is, and refers to
// nothing.
func (a *Attribute) WrittenOut(path cty.Path) bool {
	e := a.Expr.syntax
	for _, step := range path {
		if e, _ = partOf(e, step); e == nil {
			return false
		}
	}
	return len(e.Variables()) == 0
}

// Alone tells whether a reference of an attribute is its whole value or a whole element of a list that is
// written out, and where in the value that is.
func (a *Attribute) Alone(ref *Reference) (cty.Path, bool) {
	if isReference(a.Expr.syntax, ref) {
		return nil, true
	}
	if list, ok := withoutParentheses(a.Expr.syntax).(*hclsyntax.TupleConsExpr); ok {
		for i, e := range list.Exprs {
			if isReference(e, ref) {
				return cty.Path{}.IndexInt(i), true
			}
		}
	}
	return nil, false
}

// isReference tells whether an expression is a reference and nothing else.
func isReference(e hcl.Expression, ref *Reference) bool {
	e = withoutParentheses(e)
	if wrapped, ok := e.(*hclsyntax.TemplateWrapExpr); ok { // "${network.web.id}"
		return isReference(wrapped.Wrapped, ref)
	}
	var root hcl.Expression
	switch e := e.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		root = e
	case *hclsyntax.RelativeTraversalExpr: // of what has a computed key
		if index, ok := withoutParentheses(e.Source).(*hclsyntax.IndexExpr); ok && !ref.Key.IsZero() {
			root = withoutParentheses(index.Collection)
		}
	}
	if _, ok := root.(*hclsyntax.ScopeTraversalExpr); !ok {
		return false
	}
	return rangeOf(root.Range()) == ref.Range
}
