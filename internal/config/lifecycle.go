package config

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// lifecycleKind is the block that says how an object is treated.
const lifecycleKind = "lifecycle"

// everyName is what ignore_changes takes instead of a list.
const everyName = "all"

// lifecycle decodes how the object of a resource is treated over time.
func (l *loader) lifecycle(decoded *Block, def *schema.Block, b *hclsyntax.Block) {
	form := schema.Lifecycle()
	if decoded.Lifecycle != nil {
		l.fail(codeDuplicate, headerRange(b), "too many blocks", "a block has at most one lifecycle", "write everything in one block")
		return
	}
	_, _ = l.labels(b, &form.Block) // what stands in it is meant all the same
	lifecycle := l.body(b, &form.Block, false)
	decoded.Lifecycle = lifecycle
	attributes := lifecycle.Attributes
	lifecycle.Attributes = nil
	for _, a := range attributes {
		written := b.Body.Attributes[a.Name]
		if !def.Takes(a.Name) {
			l.fail(codeUnknownAttribute, written.NameRange, "not for what is in the cluster",
				fmt.Sprintf("%s has no %s: it is no object of OpenStack", Indefinite(def.Kind), a.Name), l.hintForCluster(def))
			continue
		}
		if _, list := written.Expr.(*hclsyntax.TupleConsExpr); list && a.Name == "replace" {
			l.fail(codeReference, written.Expr.Range(), "not true or false", "replace agrees to what is lost; the values whose change replaces the object are in replace_triggered_by",
				"write: replace_triggered_by = […]")
			continue
		}
		switch a.Schema.Form {
		case schema.FormAttributes:
			lifecycle.Names = l.attributeNames(written, def)
		case schema.FormExpressions:
			lifecycle.Attributes = append(lifecycle.Attributes, l.list(written, func() []*Attribute { return l.expressions(written, a.Schema) })...)
		default:
			lifecycle.Attributes = append(lifecycle.Attributes, a)
		}
	}
}

// hintForCluster says what a lifecycle of a resource in the cluster can have.
func (l *loader) hintForCluster(def *schema.Block) string {
	var names []string
	form := schema.Lifecycle()
	for _, name := range form.AttributeNames() {
		if def.Takes(name) {
			names = append(names, name)
		}
	}
	return "take the line away; there are: " + strings.Join(names, ", ")
}

// attributeNames reads a list of attributes and nested blocks of a resource, or the word for all.
func (l *loader) attributeNames(a *hclsyntax.Attribute, def *schema.Block) []string {
	all := def.AttributeNames()
	for i := range def.Blocks {
		all = append(all, def.Blocks[i].Kind)
	}
	if hcl.ExprAsKeyword(a.Expr) == everyName {
		return all
	}
	elements, diags := hcl.ExprList(a.Expr)
	if diags.HasErrors() {
		l.fail(codeReference, a.Expr.Range(), "not a list of attributes", fmt.Sprintf("%s takes a list of attributes without quotes, or all", a.Name),
			fmt.Sprintf("write, for example: %s = [%s]", a.Name, all[0]))
		return nil
	}
	known := map[string]bool{}
	for _, name := range all {
		known[name] = true
	}
	var names []string
	for _, e := range elements {
		name := hcl.ExprAsKeyword(e)
		switch computed := def.Attribute(name); {
		case name == "":
			hint := fmt.Sprintf("write, for example: %s = [%s]", a.Name, all[0])
			if text := quoted(e); known[text] {
				hint = "write it without quotes: " + text
			}
			l.fail(codeReference, e.Range(), "not the name of an attribute", fmt.Sprintf("%s takes whole attributes of the %s by name, without quotes and without what is inside of them", a.Name, def.Kind), hint)
		case known[name]:
			names = append(names, name)
		case computed != nil:
			l.fail(codeUnknownAttribute, e.Range(), "attribute cannot be written",
				fmt.Sprintf("%s of %s is an output, which is never changed", name, Indefinite(def.Kind)), "take it out of the list")
		case name == everyName:
			l.fail(codeReference, e.Range(), "not the name of an attribute", "all stands without brackets", fmt.Sprintf("write: %s = all", a.Name))
		default:
			l.fail(codeUnknownAttribute, e.Range(), "unknown attribute", fmt.Sprintf("%s has no attribute %q", Indefinite(def.Kind), name), OneOf(name, all))
		}
	}
	return names
}

// expressions reads a list in brackets into one attribute for each of its elements.
func (l *loader) expressions(a *hclsyntax.Attribute, def *schema.Attribute) []*Attribute {
	list, ok := a.Expr.(*hclsyntax.TupleConsExpr)
	if !ok {
		l.fail(codeReference, a.Expr.Range(), "not a list in brackets", fmt.Sprintf("%s takes a list of expressions in brackets", a.Name),
			fmt.Sprintf("write, for example: %s = [var.generation]", a.Name))
		return nil
	}
	var all []*Attribute
	for _, e := range list.Exprs {
		one := &Attribute{Name: a.Name, Schema: def, NameRange: rangeOf(a.NameRange), Range: rangeOf(e.Range())}
		one.References, one.Strays = l.references(e)
		one.Broken = len(one.Strays) > 0
		one.Expr = Expression{meter(e)}
		all = append(all, one)
	}
	return all
}

// quoted returns the text of an expression that is nothing but text in quotes, else "".
func quoted(e hcl.Expression) string {
	template, ok := e.(*hclsyntax.TemplateExpr)
	if !ok || !template.IsStringLiteral() {
		return ""
	}
	literal, ok := template.Parts[0].(*hclsyntax.LiteralValueExpr)
	if !ok {
		return ""
	}
	return literal.Val.AsString()
}
