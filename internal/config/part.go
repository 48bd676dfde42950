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
	e := a.Expr
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
	for {
		parentheses, ok := e.(*hclsyntax.ParenthesesExpr)
		if !ok {
			break
		}
		e = parentheses.Expression
	}
	switch e := e.(type) {
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
