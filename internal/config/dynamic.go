package config

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// dynamic decodes a block that stands for as many nested blocks of a kind as a collection has
// elements. Its content is decoded like one of them, and sees the element by the iterator's name.
func (l *loader) dynamic(decoded *Block, def *schema.Block, b *hclsyntax.Block) {
	form := schema.Dynamic()
	if !l.inResource() {
		l.fail(codeUnknownBlock, b.TypeRange, "dynamic block outside of a resource",
			fmt.Sprintf("only the nested blocks of a resource can be dynamic, and this is in %s", Indefinite(def.Kind)), "write each block by itself")
		return
	}
	if _, ok := l.labels(b, &form); !ok {
		return
	}
	if b.Labels[0] == lifecycleKind && def.Class == schema.ClassResource {
		l.fail(codeUnknownBlock, b.LabelRanges[0], "lifecycle cannot be dynamic", "the lifecycle of a resource is read before anything is evaluated, so nothing can make it", "write it out: lifecycle { … }")
		return
	}
	inner := def.Nested(b.Labels[0])
	if inner == nil {
		l.fail(codeUnknownBlock, b.LabelRanges[0], "unknown block", fmt.Sprintf("%s has no block %q inside", Indefinite(def.Kind), b.Labels[0]), l.hintForNested(def, b.Labels[0], false))
		return
	}
	form.Kind = "dynamic block" // as messages name it
	forEach, iterator := l.dynamicArguments(b, &form, &inner.Block)
	content := l.content(b, &form)
	if content == nil || iterator == "" {
		return
	}
	l.iterators = append(l.iterators, iterator)
	block := l.body(content, &inner.Block, false)
	l.iterators = l.iterators[:len(l.iterators)-1]
	if forEach == nil {
		return
	}
	block.ForEach, block.Iterator, block.Range = forEach, iterator, rangeOf(headerRange(b))
	decoded.Blocks = append(decoded.Blocks, block)
}

// dynamicArguments decodes what is written beside the content. The iterator is "" when what is
// written for it is none.
func (l *loader) dynamicArguments(b *hclsyntax.Block, form, inner *schema.Block) (forEach *Attribute, iterator string) {
	iterator = b.Labels[0]
	for _, a := range ordered(b.Body.Attributes) {
		if form.Attribute(a.Name) == nil && inner.Attribute(a.Name) != nil {
			l.fail(codeUnknownAttribute, a.NameRange, "attribute outside of the content",
				fmt.Sprintf("%s belongs to each %s, not to the dynamic block", a.Name, inner.Kind), "write it inside of content { … }")
			continue
		}
		switch definition := l.known(form, a, false); {
		case definition == nil:
		case definition.Form == schema.FormName:
			if iterator = hcl.ExprAsKeyword(a.Expr); slices.Contains(reservedNames(), iterator) {
				iterator = ""
			}
			if iterator == "" {
				l.fail(codeReference, a.Expr.Range(), "not a name", "the iterator is a name without quotes, which is no name of the language's own", "write, for example: iterator = element")
			}
		default:
			forEach = l.attribute(a, definition)
		}
	}
	if b.Body.Attributes["for_each"] == nil && !misspelt(b, form, "for_each") {
		l.fail(codeMissingAttribute, headerRange(b), "attribute is missing", "a dynamic block needs the attribute \"for_each\"", "write, for example: for_each = [80, 443]")
	}
	return forEach, iterator
}

// reservedNames are the roots of references that are no kinds of resources.
func reservedNames() []string {
	return []string{"var", "local", "each", schema.DataKind, "profile", "service", "node", "module", "path", "self", "count"}
}

// content returns the one block that a dynamic block holds.
func (l *loader) content(b *hclsyntax.Block, form *schema.Block) *hclsyntax.Block {
	kind := form.Blocks[0].Kind
	var found *hclsyntax.Block
	for _, inner := range b.Body.Blocks {
		switch {
		case inner.Type != kind:
			l.fail(codeUnknownBlock, inner.TypeRange, "unknown block", fmt.Sprintf("a dynamic block has no block %q inside", inner.Type), "write it inside of content { … }")
		case found != nil:
			l.fail(codeDuplicate, headerRange(inner), "too many blocks", "a dynamic block has one content, and every element makes a block of it", "write another dynamic block")
		case len(inner.Labels) > 0:
			l.fail(codeLabel, headerRange(inner), "wrong number of labels", "content has no label", "write: content { … }")
			return nil
		default:
			found = inner
		}
	}
	if found == nil && len(b.Body.Blocks) == 0 {
		l.fail(codeMissingBlock, headerRange(b), "block is missing", "a dynamic block needs one block of the kind content, which says what each block holds", "write: content { … }")
	}
	return found
}

// iterator checks a reference to the element of a dynamic block.
func (l *loader) iterator(t hcl.Traversal) bool {
	if name, ok := attributeStep(t, 1); ok && (name == "key" || name == "value") {
		return true
	}
	name := t.RootName()
	hint := fmt.Sprintf("write %s.key or %s.value", name, name)
	if l.config.Definition.Resource(name) != nil {
		hint += fmt.Sprintf("; to refer to a %s here, give the dynamic block another iterator", name)
	}
	l.fail(codeReference, t.SourceRange(), "invalid reference", fmt.Sprintf("%s is the element of a dynamic block here: it has a key and a value, and nothing else", name), hint)
	return false
}
