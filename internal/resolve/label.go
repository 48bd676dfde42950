package resolve

import (
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// labels finds, in an attribute that takes ids of objects, texts that are the label of a block of that
// kind: the object itself was meant, which has another id. What is computed is not looked at.
func (s *scope) labels(a *config.Attribute, v cty.Value) []misfit {
	def := a.Schema
	if def.Reference.Output != "id" || v.IsMarked() || v.IsNull() || !v.IsKnown() {
		return nil
	}
	var all []misfit
	look := func(v cty.Value, path cty.Path) {
		if v.Type() != cty.String || v.IsMarked() || v.IsNull() || !v.IsKnown() || !addr.ValidName(v.AsString()) {
			return
		}
		if len(a.References) > 0 && !a.WrittenOut(path) {
			return
		}
		for _, mode := range []addr.Mode{addr.Managed, addr.Data} {
			o, err := addr.NewObject(addr.Module{}, mode, def.Reference.Kind, v.AsString(), addr.Key{})
			if err != nil || s.module.blocks[o] == nil {
				continue
			}
			all = append(all, misfit{
				path: path, summary: wrongKind,
				detail: fmt.Sprintf("%s must be the id of %s, and this is the label of one", a.Name+pathText(path), config.Indefinite(def.Reference.Kind)),
				hint:   fmt.Sprintf("write: %s", o),
			})
			return
		}
	}
	if !isSequence(v.Type()) {
		look(v, nil)
		return all
	}
	for it := v.ElementIterator(); it.Next(); {
		key, element := it.Element()
		look(element, cty.Path{}.Index(key))
	}
	return all
}

// foreign finds, in an attribute that takes ids of objects, references to what is no such id: another
// attribute of an object. One that holds the id of an object of that kind itself, such as the project of a
// network, is right. What is computed is not looked at.
func (s *scope) foreign(a *config.Attribute) []misfit {
	if a.Schema.Reference.Output != "id" {
		return nil
	}
	var all []misfit
	for i := range a.References {
		ref := &a.References[i]
		object, is := ref.Object()
		if !is || ref.Attribute == "" || slices.Contains(s.broken[a], i) || s.holdsID(a.Schema.Reference, object, ref.Attribute) {
			continue
		}
		path, alone := a.Alone(ref)
		if !alone {
			continue
		}
		of := s.module.blocks[object.Block()]
		if of == nil || of.kind.schema == nil || !of.kind.object.HasAttribute(ref.Attribute) {
			continue // told
		}
		want := a.Schema.Reference.Kind
		found := misfit{
			path: path, summary: wrongKind,
			detail: fmt.Sprintf("%s must be the id of %s, and this is the %s of %s", a.Name+pathText(path), config.Indefinite(want), ref.Attribute, config.Indefinite(object.Kind())),
			hint:   s.e.referenceHint(a.Schema),
		}
		switch _, keyed := object.Key().Value(); {
		case object.Kind() != want:
		case !ref.Key.IsZero() && !keyed:
			found.hint = fmt.Sprintf("write the key and nothing behind it: %s[…]", object)
		default:
			found.hint = fmt.Sprintf("write: %s", object)
		}
		all = append(all, found)
	}
	return all
}

// holdsID tells whether an attribute of an object is what a reference stands for, or holds that of another
// object of the kind.
func (s *scope) holdsID(want *schema.Reference, of addr.Object, name string) bool {
	if of.Kind() == want.Kind && name == want.Output {
		return true
	}
	def := s.e.definition.Resource(of.Kind())
	if def == nil {
		return true
	}
	a := def.Attribute(name)
	return a == nil || a.Reference != nil && a.Reference.Kind == want.Kind && a.Reference.Output == want.Output
}
