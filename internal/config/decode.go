package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
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
			fmt.Sprintf("%s has %s, and this one has %s", Indefinite(def.Kind+" block"), plural(len(def.Labels), "label"), plural(len(b.Labels), "label")),
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
		l.fail(codeLabel, where, "invalid label", fmt.Sprintf("the label %q must be %v", label, err), l.hintForLabel(kind, label, def.Format))
		return false
	}
	return true
}

// body decodes what stands in a block, the arguments of the language itself included. With resource
// set, it may have a lifecycle.
func (l *loader) body(b *hclsyntax.Block, def *schema.Block, resource bool) *Block {
	decoded := &Block{Schema: def, Range: rangeOf(headerRange(b))}
	before := len(l.diags)
	defer func() { decoded.Broken = len(l.diags) > before }()
	for _, a := range ordered(b.Body.Attributes) {
		if l.argument(decoded, def, a) {
			continue
		}
		definition := l.known(def, a, resource)
		if definition == nil {
			decoded.EachTold = decoded.EachTold || meansForEach(def, a.Name, resource)
			continue
		}
		decoded.Attributes = append(decoded.Attributes, l.attribute(a, definition))
	}
	for _, inner := range b.Body.Blocks {
		l.nested(decoded, def, inner, resource)
	}
	l.missing(b, def, decoded)
	return decoded
}

// inside looks for mistakes within a block that has no name, so that nothing can refer to it.
func (l *loader) inside(b *hclsyntax.Block, def *schema.Block) {
	defer l.within(b, addr.Object{})()
	l.kind = def.Kind
	l.body(b, def, def.Class == schema.ClassResource && !l.lookup)
}

// argument takes an argument of the language and reports whether it was one.
func (l *loader) argument(decoded *Block, def *schema.Block, a *hclsyntax.Attribute) bool {
	argument := def.Argument(a.Name)
	switch {
	case argument == nil:
		return false
	case argument.Form == schema.FormReferences:
		decoded.DependsOn = l.dependsOn(a)
	default:
		decoded.ForEach = l.attribute(a, argument)
	}
	return true
}

// known returns the definition of an attribute, or nil after telling what is wrong with it.
func (l *loader) known(def *schema.Block, a *hclsyntax.Attribute, resource bool) *schema.Attribute {
	found := def.Attribute(a.Name)
	switch {
	case found != nil && found.Presence != schema.Computed:
		return found
	case found != nil:
		l.fail(codeUnknownAttribute, a.NameRange, "attribute cannot be written",
			fmt.Sprintf("%s of %s is an output: it is known once the object exists", a.Name, Indefinite(def.Kind)), "take the line away")
	case def.Nested(a.Name) != nil || resource && a.Name == lifecycleKind:
		l.fail(codeUnknownAttribute, a.NameRange, "block written as an attribute",
			fmt.Sprintf("%s is a block", a.Name), fmt.Sprintf("write it without the equals sign: %s { … }", a.Name))
	default:
		names := def.AttributeNames()
		var arguments []string
		for _, argument := range def.Arguments() {
			arguments = append(arguments, argument.Name)
		}
		if l.lookup {
			if Nearest(a.Name, arguments) != "" {
				names = arguments
			}
			l.fail(codeUnknownAttribute, a.NameRange, "unknown attribute",
				fmt.Sprintf("%s cannot be looked up by %q", Indefinite(def.Kind), a.Name), l.hintForAttribute(def, a.Name, names))
			break
		}
		names = append(names, arguments...)
		l.fail(codeUnknownAttribute, a.NameRange, "unknown attribute",
			fmt.Sprintf("%s has no attribute %q", Indefinite(def.Kind), a.Name), l.hintForAttribute(def, a.Name, names))
	}
	return nil
}

// nested decodes a block inside a block.
func (l *loader) nested(decoded *Block, def *schema.Block, b *hclsyntax.Block, resource bool) {
	if resource && b.Type == lifecycleKind {
		l.lifecycle(decoded, def, b)
		return
	}
	if b.Type == schema.DynamicKind {
		l.dynamic(decoded, def, b)
		return
	}
	inner := def.Nested(b.Type)
	if inner == nil {
		l.fail(codeUnknownBlock, b.TypeRange, "unknown block", fmt.Sprintf("%s has no block %q inside", Indefinite(def.Kind), b.Type), l.hintForNested(def, b.Type, resource))
		return
	}
	labels, ok := l.labels(b, &inner.Block)
	if !ok {
		l.body(b, &inner.Block, false) // for the mistakes in it
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
	if n := decoded.written(b.Type); inner.Max > 0 && n == inner.Max+1 {
		l.fail(codeDuplicate, headerRange(b), "too many blocks", fmt.Sprintf("%s has at most %s of the kind %s", Indefinite(def.Kind), plural(inner.Max, "block"), b.Type), "write everything in one block")
	}
}

// missing tells which required attributes and blocks were not written.
func (l *loader) missing(b *hclsyntax.Block, def *schema.Block, decoded *Block) {
	if b == l.incomplete {
		return
	}
	for i := range def.Attributes {
		a := &def.Attributes[i]
		if a.Presence == schema.Required && b.Body.Attributes[a.Name] == nil && !misspelt(b, def, a.Name) {
			hint := Example(a)
			if written := misspelling(b, def, a.Name); written != "" { // it may be meant for something else
				hint = fmt.Sprintf("did you mean %q with %q?", a.Name, written)
			}
			l.fail(codeMissingAttribute, headerRange(b), "attribute is missing",
				fmt.Sprintf("%s needs the attribute %q. %s", Indefinite(def.Kind), a.Name, schema.Summary(a.Doc)), hint)
		}
	}
	for i := range def.Blocks {
		n := &def.Blocks[i]
		if n.Min > 0 && len(decoded.Nested(n.Kind)) < n.Min && !decoded.repeats(n.Kind) {
			l.fail(codeMissingBlock, headerRange(b), "block is missing", fmt.Sprintf("%s needs %s of the kind %s. %s", Indefinite(def.Kind), plural(n.Min, "block"), n.Kind, n.Doc), fmt.Sprintf("write: %s { … }", n.Kind))
		}
	}
	decoded.NameTold = misspelt(b, def, "name")
	if decoded.ForEach != nil && !l.lookup && b.Body.Attributes["name"] == nil && def.Attribute("name") != nil && !decoded.NameTold {
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

// decodeAttribute decodes one attribute: its references are collected, then its tree is metered.
func (l *loader) decodeAttribute(a *hclsyntax.Attribute, def *schema.Attribute) *Attribute {
	decoded := &Attribute{Name: a.Name, Schema: def, Expr: Expression{a.Expr}, NameRange: rangeOf(a.NameRange), Range: rangeOf(a.Expr.Range())}
	if def != nil && def.Form != schema.FormValue {
		return decoded // read as it stands, never evaluated
	}
	decoded.References, decoded.Strays = l.references(a.Expr)
	decoded.Broken = len(decoded.Strays) > 0 || l.hasHuge(a.Expr)
	if t, is := a.Expr.(*hclsyntax.ScopeTraversalExpr); is {
		decoded.Steps = len(t.Traversal)
	}
	decoded.Plain, decoded.Naming = plain(a.Expr), naming(a.Expr)
	decoded.Expr = Expression{meter(a.Expr)}
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
			l.fail(codeReference, e.Range(), "not an address", "depends_on takes blocks by their address, such as network.web", hintForAddress(e))
			continue
		}
		if l.aimless(traversal.RootName()) {
			l.failToWait(e)
			continue
		}
		reference, ok := l.reference(traversal)
		if !ok {
			continue
		}
		object, isObject := reference.Object()
		_, isModule := reference.Target.(addr.Module)
		if !isObject && !isModule || object.Kind() == "profile" || reference.Attribute != "" {
			l.failToWait(e)
			continue
		}
		found = append(found, reference)
	}
	return found
}

// aimless tells whether no address begins with a name, nor with one that it may be misspelt for.
func (l *loader) aimless(root string) bool {
	if slices.Contains(l.iterators, root) || slices.Contains(reservedNames(), root) || l.referable(root, addr.Managed) {
		return false
	}
	return nearest(root, slices.Concat(reservedNames(), l.kinds)) == ""
}

func (l *loader) failToWait(e hcl.Expression) {
	l.fail(codeReference, e.Range(), "not an address to wait for", "depends_on takes whole resources, data, modules, services and nodes", "write, for example: depends_on = [network.web, service.neutron]")
}
