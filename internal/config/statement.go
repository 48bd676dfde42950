package config

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Statement is a moved, import, removed or suspended block: it says what becomes of objects. What a suspended block
// is about is its From.
type Statement struct {
	*Block
	From, To *Place // nil where the kind has none, or what is written is no address
}

// Place is an address as a statement has it: of a module, a resource, a node, a service or the cloud.
type Place struct {
	Address addr.Address
	// Key is a key that is computed, as in to = network.web[each.key]; nil otherwise.
	Key *Attribute
	// ModuleKeys are the computed keys of the modules on the way, by their place there: those of
	// module.site[each.key].network.web; nil where a key is written, or there is none.
	ModuleKeys []*Attribute
	Range      diag.Range
}

// Computed tells whether any key of the address is.
func (p *Place) Computed() bool { return p.Key != nil || p.ModuleKeys != nil }

// Evaluated returns the attributes that are evaluated, and the key of an address that is computed.
func (s *Statement) Evaluated() []*Attribute {
	var found []*Attribute
	for _, a := range s.Attributes {
		if a.Schema.Form != schema.FormAddress {
			found = append(found, a)
		}
	}
	for _, inner := range s.Blocks {
		found = append(found, inner.Attributes...)
	}
	if s.To != nil {
		for _, key := range append(s.To.ModuleKeys[:len(s.To.ModuleKeys):len(s.To.ModuleKeys)], s.To.Key) {
			if key != nil {
				found = append(found, key)
			}
		}
	}
	return found
}

// statement decodes a moved, import, removed or suspended block.
func (l *loader) statement(b *hclsyntax.Block, def *schema.Block) {
	_, _ = l.labels(b, def) // what stands in it is meant all the same
	defer l.within(b, addr.Object{})()
	s := &Statement{Block: l.body(b, def, false)}
	for _, a := range s.Attributes {
		switch {
		case a.Schema.Form != schema.FormAddress:
		case a.Name == "from", a.Name == "target":
			s.From = l.place(a, false, def.Kind != schema.MovedKind)
		default:
			s.To = l.place(a, def.Kind == schema.ImportKind, false)
		}
	}
	if s.To != nil {
		l.filterOf(s)
	}
	switch def.Kind {
	case schema.MovedKind:
		l.module.Moved = append(l.module.Moved, s)
	case schema.ImportKind:
		l.module.Imports = append(l.module.Imports, s)
	case schema.RemovedKind:
		l.module.Removed = append(l.module.Removed, s)
	case schema.SuspendedKind:
		l.module.Suspended = append(l.module.Suspended, s)
	}
}

// filterOf gives the filter of an import the attributes that objects of its kind are searched by.
func (l *loader) filterOf(s *Statement) {
	object, ok := s.To.Address.(addr.Object)
	if filter := s.Attribute(schema.FilterName); ok && filter != nil {
		if kind := l.config.Definition.Resource(object.Kind()); kind != nil && !kind.Cluster {
			filter.Schema = kind.Filter()
		}
	}
}

// place reads an address, with keys that are computed where there may be some. cloud tells that it may be that
// of the cloud.
func (l *loader) place(a *Attribute, computed, cloud bool) *Place {
	place := &Place{Range: a.Range}
	var traversal hcl.Traversal
	keys, flat := map[int]hclsyntax.Expression{}, false
	if e, ok := a.Expr.syntax.(hclsyntax.Expression); ok && computed {
		traversal, flat = flatten(e, keys)
	}
	if !flat {
		var diags hcl.Diagnostics
		if traversal, diags = hcl.AbsTraversalForExpr(a.Expr.syntax); diags.HasErrors() {
			l.fail(codeReference, a.Expr.syntax.Range(), "not an address", fmt.Sprintf("%s takes an address as it stands, such as network.web or module.edge, which is never evaluated", a.Name), hintForPlace(a.Expr.syntax))
			return nil
		}
	}
	var ok bool
	if cloud && len(traversal) == 2 && traversal.RootName() == schema.CloudKind {
		if name, named := attributeStep(traversal, 1); named {
			place.Address = l.object(addr.Managed, schema.CloudKind, name)
			return place
		}
	}
	if place.Address, ok = l.wholeAddress(traversal); !ok {
		return nil
	}
	if len(keys) > 0 {
		l.computed(place, traversal, keys, a.Name)
	}
	return place
}

func hintForPlace(e hcl.Expression) string {
	switch e.(type) {
	case *hclsyntax.TemplateExpr:
		return "write it without quotes"
	case *hclsyntax.IndexExpr:
		return "write the key itself, as in network.web[\"a\"]"
	case *hclsyntax.RelativeTraversalExpr:
		return "write the keys of modules themselves, as in module.edge[\"a\"].network.web"
	}
	return hintForWholeAddress
}

// flatten makes one traversal of an address with computed keys, which stand in it as empty ones and are
// noted by their place.
func flatten(e hclsyntax.Expression, keys map[int]hclsyntax.Expression) (hcl.Traversal, bool) {
	switch e := e.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		return e.Traversal[:len(e.Traversal):len(e.Traversal)], true
	case *hclsyntax.RelativeTraversalExpr:
		t, ok := flatten(e.Source, keys)
		return append(t, e.Traversal...), ok
	case *hclsyntax.IndexExpr:
		t, ok := flatten(e.Collection, keys)
		keys[len(t)] = e.Key
		return append(t, hcl.TraverseIndex{Key: cty.StringVal(""), SrcRange: e.Key.Range()}), ok
	}
	return nil, false
}

// computed takes the computed keys out of an address and puts them beside it.
func (l *loader) computed(place *Place, t hcl.Traversal, keys map[int]hclsyntax.Expression, name string) {
	at := 0
	next := func() (addr.Key, *Attribute) { // the key after the next name
		at += 2
		key, after, _ := l.keyAt(t, at)
		e := keys[at]
		at = after
		if e == nil {
			return key, nil
		}
		return addr.Key{}, l.attribute(&hclsyntax.Attribute{Name: name, Expr: e, SrcRange: e.Range(), NameRange: e.Range()}, nil)
	}
	object, isObject := place.Address.(addr.Object)
	way, ok := place.Address.(addr.Module)
	if !ok {
		way = object.Module()
	}
	var module addr.Module
	var computed []*Attribute
	for _, step := range way.Steps() {
		key, attribute := next()
		child, err := module.Child(step.Name, key)
		if err != nil {
			return // it was one before
		}
		module, computed = child, append(computed, attribute)
	}
	if slices.ContainsFunc(computed, func(a *Attribute) bool { return a != nil }) {
		place.ModuleKeys = computed
	}
	if place.Address = module; isObject {
		var key addr.Key
		key, place.Key = next()
		place.Address = object.In(module).WithKey(key)
	}
}

// hintForWholeAddress shows what addresses of statements look like.
const hintForWholeAddress = "write an address such as network.web, network.web[\"a\"] or module.edge.network.web"

// deepestModule bounds how long an address can be.
const deepestModule = 100

// wholeAddress reads the address of a module, a resource, a node or a service, keys of modules included.
func (l *loader) wholeAddress(t hcl.Traversal) (addr.Address, bool) {
	var module addr.Module
	at := 0
	for depth := 1; word(t, at) == "module"; depth++ {
		if depth > deepestModule {
			return nil, l.noAddress(t, fmt.Sprintf("modules stand in each other at most %d deep", deepestModule), "correct the address")
		}
		name, ok := attributeStep(t, at+1)
		if !ok {
			return nil, l.noAddress(t, "module alone names none", "write module.<label>")
		}
		key, next, ok := l.keyAt(t, at+2)
		if !ok {
			return nil, false
		}
		child, err := module.Child(name, key)
		if err != nil {
			return nil, l.noAddress(t, err.Error(), hintForWholeAddress)
		}
		if module, at = child, next; at == len(t) {
			return module, true
		}
	}
	kind := word(t, at)
	switch {
	case kind == schema.DataKind:
		return nil, l.noAddress(t, "what a data block looks up is not managed, so nothing is on record for it", "take this block away: the data block can get another name, or go, without it")
	case l.config.Definition.Resource(kind) == nil && kind != "service" && kind != "node":
		detail := fmt.Sprintf("%q is no kind of resource, nor a module, node or service", kind)
		if l.config.Definition.Block(kind) != nil {
			return nil, l.noAddress(t, detail, fmt.Sprintf("take this block away: for %s it is enough to change or take away its own block", Indefinite(kind)))
		}
		return nil, l.noAddress(t, detail, OneOf(kind, append([]string{schema.ModuleKind, "service", "node"}, l.kinds...)))
	}
	name, ok := attributeStep(t, at+1)
	if !ok {
		return nil, l.noAddress(t, fmt.Sprintf("%s alone names no block", kind), fmt.Sprintf("write the block's label after it: %s.<label>", kind))
	}
	key, next, ok := l.keyAt(t, at+2)
	if !ok {
		return nil, false
	}
	if next < len(t) {
		return nil, l.noAddress(t, "an address ends with a block or a key", "take the attribute away")
	}
	object, err := addr.NewObject(module, addr.Managed, kind, name, key)
	if err != nil {
		return nil, l.noAddress(t, err.Error(), hintForWholeAddress)
	}
	return object, true
}

// noAddress tells what is wrong with an address and returns false.
func (l *loader) noAddress(t hcl.Traversal, detail, hint string) bool {
	l.fail(codeReference, t.SourceRange(), "not an address", detail, hint)
	return false
}

// keyAt reads the key at a step, if there is one, and returns the step after it.
func (l *loader) keyAt(t hcl.Traversal, at int) (key addr.Key, next int, ok bool) {
	if at >= len(t) {
		return addr.Key{}, at, true
	}
	index, is := t[at].(hcl.TraverseIndex)
	switch {
	case !is:
		return addr.Key{}, at, true
	case index.Key.Type() != cty.String:
		return addr.Key{}, at, l.noAddress(t, "the objects of a block with for_each have keys that are strings", `write, for example: network.web["a"]`)
	}
	return addr.StringKey(index.Key.AsString()), at + 1, true
}

// word is the name of a step; "" for what is none.
func word(t hcl.Traversal, at int) string {
	if at == 0 {
		return t.RootName()
	}
	name, _ := attributeStep(t, at)
	return name
}
