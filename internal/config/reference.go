package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// references lists what an expression refers to, and the first names of what is no reference.
func (l *loader) references(e hclsyntax.Expression) (found []Reference, strays []string) {
	traversals, plain := plainTraversals(e, nil)
	var keys map[int]indexed
	if !plain {
		traversals = e.Variables()
		keys = computedKeys(e, l.iterators)
	}
	if len(traversals) == 0 {
		return nil, nil
	}
	found = make([]Reference, 0, len(traversals))
	for _, traversal := range traversals {
		reference, ok := l.reference(traversal)
		if !ok {
			strays = append(strays, traversal.RootName())
			continue
		}
		if indexed, is := keys[traversal.SourceRange().Start.Byte]; is && reference.Attribute == "" && wholeBlock(reference) {
			reference.Key, reference.Attribute = Expression{indexed.key}, indexed.attribute
		}
		found = append(found, reference)
	}
	return found, strays
}

// plainTraversals adds the references of an expression that has nothing but texts, calls of functions and
// references as they are, which is nearly every one. It returns false for others, which it takes the
// parser's own walk to know, with an object or two for each node.
func plainTraversals(e hclsyntax.Expression, found []hcl.Traversal) ([]hcl.Traversal, bool) {
	parts := []hclsyntax.Expression(nil)
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr:
	case *hclsyntax.ScopeTraversalExpr:
		found = append(found, e.Traversal)
	case *hclsyntax.TemplateWrapExpr:
		return plainTraversals(e.Wrapped, found)
	case *hclsyntax.TemplateExpr:
		parts = e.Parts
	case *hclsyntax.FunctionCallExpr:
		parts = e.Args
	default:
		return nil, false
	}
	for _, part := range parts {
		var plain bool
		if found, plain = plainTraversals(part, found); !plain {
			return nil, false
		}
	}
	return found, true
}

// plain tells whether an expression certainly calls no function: it has nothing but texts, references and keys.
func plain(e hclsyntax.Expression) bool {
	switch e := e.(type) {
	case *hclsyntax.LiteralValueExpr, *hclsyntax.ScopeTraversalExpr:
		return true
	case *hclsyntax.TemplateWrapExpr:
		return plain(e.Wrapped)
	case *hclsyntax.TemplateExpr:
		return !slices.ContainsFunc(e.Parts, func(part hclsyntax.Expression) bool { return !plain(part) })
	case *hclsyntax.IndexExpr:
		return plain(e.Collection) && plain(e.Key)
	case *hclsyntax.RelativeTraversalExpr:
		return plain(e.Source)
	default:
		return false
	}
}

// naming tells whether an expression is a reference, or a list of nothing but such.
func naming(e hclsyntax.Expression) bool {
	list, is := e.(*hclsyntax.TupleConsExpr)
	return plain(e) || is && !slices.ContainsFunc(list.Exprs, func(one hclsyntax.Expression) bool { return !plain(one) })
}

// wholeBlock tells whether the reference ends with a block's name, so that an index after it is
// the key of one of its objects.
func wholeBlock(r Reference) bool {
	switch target := r.Target.(type) {
	case addr.Object:
		return target == target.Block()
	case addr.Module:
		return target == target.Call()
	default:
		return false
	}
}

// indexed is what follows a block in network.web[each.key].id.
type indexed struct {
	key       hcl.Expression
	attribute string
}

// computedKeys finds the blocks that are indexed by an expression, by where they stand. An
// index that uses the variables of a for expression is none of them: its value differs from one
// turn to the next, so the whole block is meant.
func computedKeys(e hclsyntax.Expression, iterators []string) map[int]indexed {
	var found map[int]indexed
	_ = hclsyntax.VisitAll(e, func(node hclsyntax.Node) hcl.Diagnostics {
		relative, _ := node.(*hclsyntax.RelativeTraversalExpr)
		index, _ := node.(*hclsyntax.IndexExpr)
		if relative != nil {
			index, _ = relative.Source.(*hclsyntax.IndexExpr)
		}
		if index == nil {
			return nil
		}
		block, ok := index.Collection.(*hclsyntax.ScopeTraversalExpr)
		if !ok || !atOnceKnown(index.Key, iterators) {
			return nil
		}
		if found == nil {
			found = map[int]indexed{}
		}
		entry := found[block.SrcRange.Start.Byte]
		entry.key = index.Key
		if relative != nil {
			entry.attribute = firstAttribute(relative.Traversal)
		}
		found[block.SrcRange.Start.Byte] = entry
		return nil
	})
	return found
}

// atOnceKnown tells whether a key is made of each, the elements of dynamic blocks, variables and
// locals only.
func atOnceKnown(key hclsyntax.Expression, iterators []string) bool {
	for _, traversal := range key.Variables() {
		switch root := traversal.RootName(); root {
		case "each", "var", "local":
		default:
			if !slices.Contains(iterators, root) {
				return false
			}
		}
	}
	return true
}

// reference reads one reference, or tells what is wrong with it.
func (l *loader) reference(t hcl.Traversal) (Reference, bool) {
	r := Reference{Range: rangeOf(t.SourceRange())}
	root := t.RootName()
	if slices.Contains(l.iterators, root) {
		r.Iterator = root
		return r, l.iterator(t)
	}
	switch root {
	case "each":
		r.Attribute, _ = attributeStep(t, 1)
		return r, l.each(t)
	case "path":
		r.Path = true
		return r, l.path(t)
	case "var", "local":
		kind := addr.Variable
		if root == "local" {
			kind = addr.Local
		}
		name, ok := attributeStep(t, 1)
		if !ok {
			l.fail(codeReference, t.SourceRange(), "incomplete reference", fmt.Sprintf("%s alone is no value", root), fmt.Sprintf("write %s.<name>", root))
			return r, false
		}
		value, err := addr.NewValue(addr.Module{}, kind, name)
		r.Target = value
		return r, err == nil
	case schema.DataKind:
		return l.objectReference(r, t, addr.Data, 1)
	case schema.ModuleKind:
		return l.moduleReference(r, t)
	}
	return l.objectReference(r, t, addr.Managed, 0)
}

func (l *loader) each(t hcl.Traversal) bool {
	if name, ok := attributeStep(t, 1); ok && (name == "key" || name == "value") {
		return true
	}
	l.fail(codeReference, t.SourceRange(), "invalid reference", "each has a key and a value, and nothing else", "write each.key or each.value")
	return false
}

func (l *loader) path(t hcl.Traversal) bool {
	if name, ok := attributeStep(t, 1); ok && len(t) == 2 && (name == "module" || name == "root") {
		return true
	}
	l.fail(codeReference, t.SourceRange(), "invalid reference", "path has a module and a root, which are directories, and nothing else", "write path.module or path.root")
	return false
}

// objectReference reads kind.name, with a key and attributes after it, from a step on.
func (l *loader) objectReference(r Reference, t hcl.Traversal, mode addr.Mode, at int) (Reference, bool) {
	kind, ok := t.RootName(), true
	if mode == addr.Data {
		kind, ok = attributeStep(t, at)
	}
	if !ok || !l.referable(kind, mode) {
		l.unknownRoot(t, kind, mode)
		return r, false
	}
	name, ok := attributeStep(t, at+1)
	if !ok {
		l.fail(codeReference, t.SourceRange(), "incomplete reference", fmt.Sprintf("%s alone names no block", kind), fmt.Sprintf("write the block's label after it: %s.<label>", kind))
		return r, false
	}
	object, err := addr.NewObject(addr.Module{}, mode, kind, name, addr.Key{})
	if err != nil {
		l.fail(codeReference, t.SourceRange(), "invalid reference", fmt.Sprintf("this is no address: %v", err), fmt.Sprintf("write the label of the block: %s.<label>", kind))
		return r, false
	}
	key, rest, ok := l.key(t, at+2, object)
	r.Target, r.Attribute = object.WithKey(key), firstAttribute(rest)
	return r, ok
}

// key reads the key after what a reference names, if there is one, and returns what follows.
func (l *loader) key(t hcl.Traversal, at int, of addr.Address) (addr.Key, hcl.Traversal, bool) {
	rest := t[min(len(t), at):]
	if len(rest) == 0 {
		return addr.Key{}, nil, true
	}
	index, is := rest[0].(hcl.TraverseIndex)
	if !is {
		return addr.Key{}, rest, true
	}
	if index.Key.Type() != cty.String {
		l.fail(codeReference, t.SourceRange(), "invalid key", "the objects of a block with for_each have keys that are strings, and a block without it is one object, which has none",
			fmt.Sprintf("with for_each write a key, such as %s[\"a\"]; without it leave the index out: %s", of, of))
		return addr.Key{}, nil, false
	}
	return addr.StringKey(index.Key.AsString()), rest[1:], true
}

// referable tells whether blocks of a kind can be named in expressions. Services and nodes can be
// named in depends_on, where no attribute follows.
func (l *loader) referable(kind string, mode addr.Mode) bool {
	if l.config.Definition.Resource(kind) != nil {
		return true
	}
	return mode == addr.Managed && (kind == "profile" || kind == "service" || kind == "node")
}

func (l *loader) unknownRoot(t hcl.Traversal, kind string, mode addr.Mode) {
	if mode == addr.Data {
		l.fail(codeReference, t.SourceRange(), "unknown kind of resource", "after data stands the kind of what is looked up", OneOf(kind, l.kinds))
		return
	}
	candidates := slices.Concat([]string{"var", "local", "each", "path", schema.DataKind, schema.ModuleKind, "profile"}, l.iterators, l.kinds)
	hint := habitOfRoot(kind)
	if hint == "" {
		hint = nearest(kind, candidates)
	}
	if len(t) == 1 && hint == "" {
		hint = fmt.Sprintf("text is written in quotes: %q", kind)
	}
	if hint == "" {
		hint = "a reference begins with one of: " + strings.Join(candidates, ", ")
	}
	detail := fmt.Sprintf("there is nothing named %q that an expression could refer to", kind)
	if l.config.Definition.Block(kind) != nil {
		detail = fmt.Sprintf("%s has no values that an expression could use", Indefinite(kind))
	}
	l.fail(codeReference, t.SourceRange(), "unknown reference", detail, hint)
}

func attributeStep(t hcl.Traversal, at int) (string, bool) {
	if at >= len(t) {
		return "", false
	}
	step, ok := t[at].(hcl.TraverseAttr)
	return step.Name, ok
}

func firstAttribute(t hcl.Traversal) string {
	name, _ := attributeStep(t, 0)
	return strings.TrimSpace(name)
}
