package config

import (
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// Origin tells where an attribute was written, and where each key of the maps that are written
// out in it was. What is computed, a local or a call for example, was written as a whole.
func (a *Attribute) Origin() *model.Origin { return originOf(a.Expr.syntax, a.NameRange) }

// Made is a block of a value with the blocks inside it: a dynamic block stands for as many as its
// collection has elements, which only evaluation tells.
type Made struct {
	Block  *Block
	Inside map[string][]*Made // by kind, in the order of the value
}

// Made returns the block with what is written inside it, which is all there is in one without
// dynamic blocks.
func (b *Block) Made() *Made {
	made := &Made{Block: b, Inside: map[string][]*Made{}}
	for _, inner := range b.Blocks {
		made.Inside[inner.Schema.Kind] = append(made.Inside[inner.Schema.Kind], inner.Made())
	}
	return made
}

// Dynamic tells whether a block has a dynamic one inside, however deep.
func (b *Block) Dynamic() bool {
	return slices.ContainsFunc(b.Blocks, func(inner *Block) bool { return inner.Iterator != "" || inner.Dynamic() })
}

// Origin tells where a block, its attributes and the blocks inside it were written, by the names
// that they have in the block's value; blocks that there can be several of are named by their
// index. What a dynamic block makes was written in its content.
func (m *Made) Origin() *model.Origin {
	b := m.Block
	o := &model.Origin{Range: b.Range, Inside: map[string]*model.Origin{}}
	for _, a := range b.Attributes {
		o.Inside[a.Name] = a.Origin()
	}
	if b.Lifecycle != nil {
		o.Inside[b.Lifecycle.Schema.Kind] = b.Lifecycle.Made().Origin()
	}
	for i := range b.Schema.Blocks {
		def := &b.Schema.Blocks[i]
		made := m.Inside[def.Kind]
		switch {
		case len(made) == 0:
		case def.Single():
			o.Inside[def.Kind] = made[0].Origin()
		default:
			all := &model.Origin{Range: b.Range, Inside: map[string]*model.Origin{}}
			for n, inner := range made {
				all.Inside[strconv.Itoa(n)] = inner.Origin()
			}
			o.Inside[def.Kind] = all
		}
	}
	return o
}

// originOf follows maps that are written out.
func originOf(e hcl.Expression, where diag.Range) *model.Origin {
	o := &model.Origin{Range: where}
	object, ok := withoutParentheses(e).(*hclsyntax.ObjectConsExpr)
	if !ok {
		return o
	}
	o.Inside = make(map[string]*model.Origin, len(object.Items))
	for _, item := range object.Items {
		if key, ok := writtenKey(item.KeyExpr); ok {
			o.Inside[key] = originOf(item.ValueExpr, rangeOf(item.KeyExpr.Range()))
		}
	}
	return o
}

// writtenKey is the key of an item when it is written as it is.
func writtenKey(e hclsyntax.Expression) (string, bool) {
	if len(e.Variables()) > 0 {
		return "", false
	}
	v, diags := e.Value(nil)
	if diags.HasErrors() {
		return "", false // it calls a function
	}
	v, err := convert.Convert(v, cty.String)
	if err != nil || v.IsNull() || !v.IsKnown() {
		return "", false
	}
	return v.AsString(), true
}
