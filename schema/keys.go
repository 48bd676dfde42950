package schema

import (
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// Keyed tells whether something tells one of several nested blocks from the others.
func (n *Nested) Keyed() bool { return len(n.Keys) > 0 || n.Spells != nil }

// KeyOf is what tells one of several nested blocks from the others, by the attributes of Keys; "" while a part
// of it is not known, or where nothing does. It looks the same for one that is wanted and one that is there.
func (n *Nested) KeyOf(v cty.Value) string {
	if n.Spells != nil {
		return n.Spells(v)
	}
	var parts []string
	for _, name := range n.Keys {
		part := plainOf(v)
		if part == cty.NilVal || part.ContainsMarked() || !part.Type().IsObjectType() || !part.Type().HasAttribute(name) {
			return ""
		}
		if part = plainOf(part.GetAttr(name)); part == cty.NilVal || part.Type() != cty.String {
			return ""
		}
		parts = append(parts, canonical(part.AsString()))
	}
	return strings.Join(parts, " ")
}

// KeysOf returns the keys of several, without those that are not known.
func (n *Nested) KeysOf(list cty.Value) []string {
	plain := plainOf(list)
	if plain == cty.NilVal || !plain.CanIterateElements() {
		return nil
	}
	var keys []string
	for it := plain.ElementIterator(); it.Next(); {
		_, element := it.Element()
		if key := n.KeyOf(element); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}
