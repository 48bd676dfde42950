package openstack

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// same tells whether an object has what is wanted.
func same(k kind, name string, want, have cty.Value, o *object) bool {
	if c, ok := k.(comparer); ok && want.IsWhollyKnown() {
		if same, handled := c.compare(name, want, o); handled {
			return same
		}
	}
	if nested := nestedOf(k, name); nested != nil {
		return sameBlocks(nested, want, have)
	}
	if name == keyDescription || name == "name" { // people's own words, whatever they look like
		if by, ok := k.(trimming); ok && by.trims(name) {
			want = trimmed(want)
		}
		return sameText(want, have)
	}
	if name == tagsAttribute {
		return sameTags(want, have)
	}
	return includes(want, have, unordered(k, name))
}

// tagsAttribute are the words that many kinds have.
const tagsAttribute = "tags"

// sameTags tells whether an object has the tags that are wanted. One that is there in another case is it: most databases take
// the two for one, so that Neutron says yes to the other and does nothing.
func sameTags(want, have cty.Value) bool {
	if !want.IsWhollyKnown() || !have.IsWhollyKnown() || want.IsNull() || have.IsNull() {
		return includes(want, have, true)
	}
	there := listOf(have)
	return !slices.ContainsFunc(listOf(want), func(tag string) bool {
		return !slices.ContainsFunc(there, func(h string) bool { return strings.EqualFold(tag, h) })
	})
}

// trimmed is a text without what a heredoc or a file has at its end, and without blanks at either end.
func trimmed(v cty.Value) cty.Value {
	if v.IsNull() || !v.IsKnown() {
		return v
	}
	return cty.StringVal(strings.TrimSpace(v.AsString()))
}

// sameText tells whether a text is just the one that is wanted.
func sameText(want, have cty.Value) bool {
	switch {
	case !want.IsKnown() || !have.IsKnown():
		return true
	case want.IsNull() || have.IsNull():
		return empty(want) && empty(have)
	default:
		return want.RawEquals(have)
	}
}

// sameBlocks tells whether an object has the nested blocks that are wanted: of those with keys at least these,
// of others just these, in any order, unless none are written.
func sameBlocks(nested *schema.Nested, want, have cty.Value) bool {
	if !want.IsKnown() || !have.IsKnown() || want.IsNull() || !want.Type().IsListType() || want.LengthInt() == 0 {
		return true
	}
	if !nested.Keyed() {
		return includes(want, have, true)
	}
	there := have.AsValueSlice()
	return !slices.ContainsFunc(want.AsValueSlice(), func(w cty.Value) bool {
		return !slices.ContainsFunc(there, func(h cty.Value) bool { return includes(w, h, true) })
	})
}

func nestedOf(k kind, name string) *schema.Nested {
	if b, ok := k.(interface{ block() *schema.Block }); ok {
		return b.block().Nested(name)
	}
	return nil
}

// unordered tells whether the order of a list means nothing.
func unordered(k kind, name string) bool {
	b, ok := k.(interface{ block() *schema.Block })
	if !ok {
		return false
	}
	a := b.block().Attribute(name)
	return a != nil && a.Unordered
}

// includes tells whether have is as wanted: equal, and for maps, sets and objects at least
// what is written, as others may have added the rest. Unknown parts fit everything,
// and what could not be seen differs from nothing.
func includes(want, have cty.Value, anyOrder bool) bool {
	if !want.IsKnown() || !have.IsKnown() {
		return true
	}
	if want.IsNull() || have.IsNull() {
		return empty(want) && empty(have)
	}
	switch t := want.Type(); {
	case t.IsSetType():
		there := listOf(have)
		for _, element := range listOf(want) {
			if !slices.Contains(there, element) {
				return false
			}
		}
		return true
	case t.IsMapType() || t.IsObjectType():
		there := have.AsValueMap()
		for key, w := range want.AsValueMap() {
			h, ok := there[key]
			if t.IsObjectType() && (w.IsKnown() && w.IsNull() || !ok) {
				continue // not written, or not known
			}
			// Of a map, what its texts mean is up to who wrote them: an address there is one text, and not a network.
			if !ok || t.IsMapType() && t.ElementType() == cty.String && !sameText(w, h) || !includes(w, h, anyOrder) {
				return false
			}
		}
		return true
	case t.IsListType():
		return sameList(want, have, anyOrder)
	}
	return canonical(want).RawEquals(canonical(have))
}

// seen is a value without what could not be seen of it.
func seen(v cty.Value) cty.Value {
	if v.IsWhollyKnown() {
		return v
	}
	known, err := cty.Transform(v, func(_ cty.Path, inner cty.Value) (cty.Value, error) {
		if !inner.IsKnown() {
			return cty.NullVal(inner.Type()), nil
		}
		return inner, nil
	})
	if err != nil {
		return v
	}
	return known
}

func empty(v cty.Value) bool {
	switch {
	case v.IsNull():
		return true
	case v.Type() == cty.String:
		return v.AsString() == ""
	case v.CanIterateElements():
		return v.LengthInt() == 0
	}
	return false
}

func sameList(want, have cty.Value, anyOrder bool) bool {
	wanted, there := want.AsValueSlice(), have.AsValueSlice()
	if anyOrder && want.Type().ElementType() == cty.String {
		wanted, there = distinct(wanted), distinct(there)
	}
	if len(wanted) != len(there) {
		return false
	}
	if anyOrder { // what says least fits most, and must not take what only another one fits
		slices.SortStableFunc(wanted, func(a, b cty.Value) int { return cmp.Compare(said(b), said(a)) })
	}
	for i, w := range wanted {
		if !anyOrder {
			if !includes(w, there[i], false) {
				return false
			}
			continue
		}
		at := slices.IndexFunc(there, func(h cty.Value) bool { return includes(w, h, true) })
		if at < 0 {
			return false
		}
		there = slices.Delete(slices.Clone(there), at, at+1)
	}
	return true
}

// sayingOnce is a wanted value whose lists of texts without an order have none of them twice, as a list may that is put together
// of others, such as that of security groups. What they are to OpenStack is sets, and it refuses the same once more.
func sayingOnce(block *schema.Block, want cty.Value) cty.Value {
	all := want.AsValueMap()
	for name, v := range all {
		a := block.Attribute(name)
		if a != nil && a.Unordered && a.Type.IsListType() && a.Type.ElementType() == cty.String && v.IsKnown() && !v.IsNull() && v.LengthInt() > 0 {
			all[name] = cty.ListVal(distinct(v.AsValueSlice()))
		}
	}
	return cty.ObjectVal(all)
}

// distinct leaves out what is there already.
func distinct(elements []cty.Value) []cty.Value {
	var kept []cty.Value
	for _, v := range elements {
		if !v.IsKnown() || !slices.ContainsFunc(kept, v.RawEquals) {
			kept = append(kept, v)
		}
	}
	return kept
}

// said is how much an object says: the number of its attributes that are not null.
func said(v cty.Value) int {
	if !v.Type().IsObjectType() || v.IsNull() || !v.IsKnown() {
		return 0
	}
	n := 0
	for _, inner := range v.AsValueMap() {
		if !inner.IsKnown() || !inner.IsNull() {
			n++
		}
	}
	return n
}

// canonical gives addresses one spelling, so that a server's never looks like a change.
func canonical(v cty.Value) cty.Value {
	if v.Type() != cty.String || v.IsNull() {
		return v
	}
	return cty.StringVal(canonicalText(v.AsString()))
}

func canonicalText(s string) string {
	if prefix, err := netip.ParsePrefix(s); err == nil {
		return prefix.Masked().String()
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return a.String()
	}
	return s
}
