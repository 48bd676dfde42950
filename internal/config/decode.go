package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// labels checks the labels of a block against its definition.
func (l *loader) labels(b *hclsyntax.Block, def *schema.Block) ([]string, bool) {
	if len(b.Labels) != len(def.Labels) {
		var form strings.Builder
		for _, label := range def.Labels {
			fmt.Fprintf(&form, " %q", label.Name)
		}
		l.fail(codeLabel, headerRange(b), "wrong number of labels",
			fmt.Sprintf("a %s block has %s, and this one has %s", def.Kind, plural(len(def.Labels), "label"), plural(len(b.Labels), "label")),
			fmt.Sprintf("write: %s%s { … }", def.Kind, form.String()))
		return nil, false
	}
	good := true
	for i, label := range b.Labels {
		good = l.label(def.Kind, def.Labels[i], label, b.LabelRanges[i]) && good
	}
	return b.Labels, good
}

func (l *loader) label(kind string, def schema.Label, label string, where hcl.Range) bool {
	if len(def.Allowed) > 0 {
		if slices.Contains(def.Allowed, label) {
			return true
		}
		hint := nearest(label, def.Allowed)
		if hint == "" {
			hint = "there are: " + strings.Join(def.Allowed, ", ")
		}
		l.fail(codeLabel, where, "unknown name", fmt.Sprintf("there is no %s named %q", kind, label), hint)
		return false
	}
	if err := def.Format.Check(label); err != nil {
		l.fail(codeLabel, where, "invalid label", fmt.Sprintf("the label %q must be %v", label, err), "")
		return false
	}
	return true
}

// body decodes what stands in a block. With resource set, the arguments of the language itself
// are taken too.
func (l *loader) body(b *hclsyntax.Block, def *schema.Block, resource bool) *Block {
	l.count(b)
	decoded := &Block{Schema: def, Range: rangeOf(headerRange(b))}
	if l.full {
		return decoded
	}
	for _, a := range ordered(b.Body.Attributes) {
		if resource && l.argument(decoded, a) {
			continue
		}
		if definition := l.known(def, a, resource); definition != nil {
			decoded.Attributes = append(decoded.Attributes, l.attribute(a, definition))
		}
	}
	for _, inner := range b.Body.Blocks {
		l.nested(decoded, def, inner, resource)
	}
	l.missing(b, def, decoded)
	return decoded
}

// argument takes an argument of the language and reports whether it was one.
func (l *loader) argument(decoded *Block, a *hclsyntax.Attribute) bool {
	switch a.Name {
	case "for_each":
		decoded.ForEach = l.attribute(a, languageArgument(a.Name))
	case "depends_on":
		decoded.DependsOn = l.dependsOn(a)
	default:
		return false
	}
	return true
}

func languageArgument(name string) *schema.Attribute {
	for _, a := range schema.Arguments() {
		if a.Name == name {
			return &a
		}
	}
	return nil
}

// known returns the definition of an attribute, or nil after telling what is wrong with it.
func (l *loader) known(def *schema.Block, a *hclsyntax.Attribute, resource bool) *schema.Attribute {
	found := def.Attribute(a.Name)
	switch {
	case found != nil && found.Presence != schema.Computed:
		return found
	case found != nil:
		l.fail(codeUnknownAttribute, a.NameRange, "attribute cannot be written",
			fmt.Sprintf("%s of a %s is an output: it is known once the object exists", a.Name, def.Kind), "take the line away")
	case def.Nested(a.Name) != nil || resource && a.Name == "lifecycle":
		l.fail(codeUnknownAttribute, a.NameRange, "block written as an attribute",
			fmt.Sprintf("%s is a block", a.Name), fmt.Sprintf("write it without the equals sign: %s { … }", a.Name))
	default:
		names := def.AttributeNames()
		if l.lookup {
			l.fail(codeUnknownAttribute, a.NameRange, "unknown attribute",
				fmt.Sprintf("a %s cannot be looked up by %q", def.Kind, a.Name), l.hintForAttribute(def, a.Name, names))
			break
		}
		if resource {
			names = append(names, "for_each", "depends_on")
		}
		l.fail(codeUnknownAttribute, a.NameRange, "unknown attribute",
			fmt.Sprintf("a %s has no attribute %q", def.Kind, a.Name), l.hintForAttribute(def, a.Name, names))
	}
	return nil
}

// nested decodes a block inside a block.
func (l *loader) nested(decoded *Block, def *schema.Block, b *hclsyntax.Block, resource bool) {
	if resource && b.Type == "lifecycle" {
		lifecycle := schema.Lifecycle()
		if decoded.Lifecycle != nil {
			l.fail(codeDuplicate, headerRange(b), "too many blocks", "a block has at most one lifecycle", "")
			return
		}
		if _, ok := l.labels(b, &lifecycle.Block); ok {
			decoded.Lifecycle = l.body(b, &lifecycle.Block, false)
		}
		return
	}
	inner := def.Nested(b.Type)
	if inner == nil {
		l.fail(codeUnknownBlock, b.TypeRange, "unknown block", fmt.Sprintf("a %s has no block %q inside", def.Kind, b.Type), hintForNested(def, b.Type, resource))
		return
	}
	labels, ok := l.labels(b, &inner.Block)
	if !ok {
		return
	}
	for _, before := range decoded.Blocks {
		if before.Schema == &inner.Block && len(labels) > 0 && slices.Equal(before.Labels, labels) {
			l.fail(codeDuplicate, headerRange(b), "defined twice",
				fmt.Sprintf("this %s already has a block %s %q, at %s", def.Kind, b.Type, strings.Join(labels, `" "`), place(before.Range)),
				"write everything in one block")
			return
		}
	}
	block := l.body(b, &inner.Block, false)
	block.Labels = labels
	decoded.Blocks = append(decoded.Blocks, block)
	if n := len(decoded.Nested(b.Type)); inner.Max > 0 && n == inner.Max+1 {
		l.fail(codeDuplicate, headerRange(b), "too many blocks", fmt.Sprintf("a %s has at most %s of the kind %s", def.Kind, plural(inner.Max, "block"), b.Type), "")
	}
}

// missing tells which required attributes and blocks were not written.
func (l *loader) missing(b *hclsyntax.Block, def *schema.Block, decoded *Block) {
	for i := range def.Attributes {
		a := &def.Attributes[i]
		if a.Presence == schema.Required && b.Body.Attributes[a.Name] == nil {
			l.fail(codeMissingAttribute, headerRange(b), "attribute is missing",
				fmt.Sprintf("a %s needs the attribute %q. %s", def.Kind, a.Name, a.Doc), hintForMissing(a))
		}
	}
	for i := range def.Blocks {
		n := &def.Blocks[i]
		if n.Min > 0 && len(decoded.Nested(n.Kind)) < n.Min {
			l.fail(codeMissingBlock, headerRange(b), "block is missing", fmt.Sprintf("a %s needs %s of the kind %s. %s", def.Kind, plural(n.Min, "block"), n.Kind, n.Doc), "")
		}
	}
	if decoded.ForEach != nil && b.Body.Attributes["name"] == nil && def.Attribute("name") != nil {
		l.fail(codeMissingAttribute, headerRange(b), "attribute is missing",
			"a block with for_each stands for several objects, so it needs the attribute \"name\" to tell them apart",
			fmt.Sprintf("write, for example: name = \"%s-${each.key}\"", decoded.label(b)))
	}
}

// label is the block's name before its labels are set.
func (b *Block) label(from *hclsyntax.Block) string {
	if len(from.Labels) == 0 {
		return b.Schema.Kind
	}
	return from.Labels[len(from.Labels)-1]
}

// attribute decodes one attribute: its references are collected, then its tree is metered.
func (l *loader) attribute(a *hclsyntax.Attribute, def *schema.Attribute) *Attribute {
	decoded := &Attribute{Name: a.Name, Schema: def, Expr: a.Expr, NameRange: rangeOf(a.NameRange), Range: rangeOf(a.Expr.Range())}
	if def != nil && def.Form != schema.FormValue {
		return decoded // read as it stands, never evaluated
	}
	decoded.References, decoded.Broken = l.references(a.Expr)
	decoded.Expr = meter(a.Expr)
	return decoded
}

// dependsOn reads a list of addresses, which is never evaluated.
func (l *loader) dependsOn(a *hclsyntax.Attribute) []Reference {
	expressions, diags := hcl.ExprList(a.Expr)
	if diags.HasErrors() {
		l.fail(codeReference, a.Expr.Range(), "not a list of addresses", "depends_on takes a list of blocks", "write, for example: depends_on = [network.web, service.neutron]")
		return nil
	}
	var found []Reference
	for _, e := range expressions {
		traversal, diags := hcl.AbsTraversalForExpr(e)
		if diags.HasErrors() {
			l.fail(codeReference, e.Range(), "not an address", "depends_on takes blocks by their address, such as network.web", "")
			continue
		}
		reference, ok := l.reference(traversal)
		if !ok {
			continue
		}
		if object, isObject := reference.Object(); !isObject || object.Kind() == "profile" || reference.Attribute != "" {
			l.fail(codeReference, e.Range(), "not an address to wait for", "depends_on takes whole resources, data and services", "write, for example: depends_on = [network.web, service.neutron]")
			continue
		}
		found = append(found, reference)
	}
	return found
}
