package resolve

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// labels finds, in an attribute that takes ids of objects, texts that are the label of a block of that
// kind: the object itself was meant, which has another id. What is computed is not looked at.
func (s *scope) labels(a *config.Attribute, v cty.Value) []misfit {
	def := a.Schema
	if def.Reference.Output != "id" || len(a.References) > 0 || v.IsMarked() || v.IsNull() || !v.IsKnown() {
		return nil
	}
	var all []misfit
	look := func(v cty.Value, path cty.Path) {
		if v.Type() != cty.String || v.IsMarked() || v.IsNull() || !v.IsKnown() || !addr.ValidName(v.AsString()) {
			return
		}
		for _, mode := range []addr.Mode{addr.Managed, addr.Data} {
			o, err := addr.NewObject(addr.Module{}, mode, def.Reference.Kind, v.AsString(), addr.Key{})
			if err != nil || s.module.blocks[o] == nil {
				continue
			}
			all = append(all, misfit{
				path: path, summary: "wrong kind of value",
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
