package openstack

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// surplus is what is to be taken away from an object, by the names of the attributes: the keys of maps and of
// nested blocks and the elements of sets that we have set, that are there, and that are wanted no longer, and all that we
// have connected by an attribute that is not written any more. What others have added is not on record, or bears no mark of
// ours, and stays.
func surplus(r *unit.Resource, t unit.Target, m match, desired cty.Value) map[string][]string {
	all := map[string][]string{}
	for name, set := range t.Set {
		if slices.Contains(ignored(r, t, m), name) || otherwise(r.Block, name, desired) {
			continue
		}
		want := attribute(desired, name)
		if want != cty.NilVal {
			if want, _ = want.UnmarkDeep(); !want.IsWhollyKnown() {
				continue // it may turn out to be wanted
			}
		}
		names := namesIn
		if a := r.Block.Attribute(name); a != nil && a.Connects {
			names = connectedIn
			// A text that is written takes its place. What can be there twice does not go by its name.
			if !a.Type.IsListType() && want != cty.NilVal || a.Repeats {
				continue
			}
		}
		if nested := r.Block.Nested(name); nested != nil {
			names = func(v cty.Value) []string { return spelled(nested.KeysOf(v), m.object) }
			set = spelled(set, m.object)
		}
		wanted, there := names(want), names(m.object.values.get(name))
		for _, key := range set {
			if slices.Contains(there, key) && !slices.Contains(wanted, key) {
				all[name] = append(all[name], key)
			}
		}
	}
	c, ok := m.object.detail.(connecting)
	if !ok {
		return all
	}
	for name, ours := range c.connections() {
		if attribute(desired, name) == cty.NilVal && len(ours) > 0 && !slices.Contains(ignored(r, t, m), name) {
			all[name] = ours
		}
	}
	return all
}

// otherwise tells whether what something was connected by is written in another way, such as the instance that has a port.
func otherwise(block *schema.Block, name string, desired cty.Value) bool {
	was := block.Attribute(name)
	return was != nil && was.Connects && slices.ContainsFunc(block.Attributes, func(a schema.Attribute) bool {
		return a.Connects && (a.Conflicts == name || was.Conflicts == a.Name) && attribute(desired, a.Name) != cty.NilVal
	})
}

// connecting is the detail of an object that we have connected to others, which bears our mark there.
type connecting interface {
	// connections are what the object is connected to by us, by the names of the attributes.
	connections() map[string][]string
}

// namesIn are the keys of a map, or the texts in a set.
func namesIn(v cty.Value) []string {
	if v == cty.NilVal || v.IsNull() || !v.IsKnown() || !v.Type().IsMapType() && !v.Type().IsSetType() {
		return nil
	}
	var names []string
	for it := v.ElementIterator(); it.Next(); {
		key, _ := it.Element()
		names = append(names, textOf(key))
	}
	return names
}

// connectedIn are a text that is not empty, or those in a list.
func connectedIn(v cty.Value) []string {
	if v != cty.NilVal && v.Type().IsListType() {
		return listOf(v)
	}
	if text := textOf(v); text != "" {
		return []string{text}
	}
	return nil
}

// concerned is what is there without what others have added, which stays: only what is wanted, or is taken
// away.
func concerned(nested *schema.Nested, o *object, have, want cty.Value, drop []string) cty.Value {
	if nested != nil && nested.Keyed() && !have.IsNull() && have.IsKnown() {
		keys := append(spelled(nested.KeysOf(want), o), drop...)
		kept := slices.DeleteFunc(have.AsValueSlice(), func(v cty.Value) bool { return !slices.Contains(keys, nested.KeyOf(v)) })
		return collection(kept, have.Type())
	}
	if have.Type().IsListType() && len(drop) > 0 && !have.IsNull() && have.IsKnown() {
		names := append(listOf(want), drop...)
		return texts(slices.DeleteFunc(listOf(have), func(name string) bool { return !slices.Contains(names, name) }), have.Type())
	}
	if have.Type().IsObjectType() {
		return members(have, want)
	}
	if have.IsNull() || !have.IsKnown() || !have.Type().IsMapType() && !have.Type().IsSetType() {
		return have
	}
	names := append(namesIn(want), drop...)
	if have.Type().IsSetType() {
		there := namesIn(have)
		return texts(slices.DeleteFunc(there, func(name string) bool { return !slices.Contains(names, name) }), have.Type())
	}
	elements := have.AsValueMap()
	for key := range elements {
		if !slices.Contains(names, key) {
			delete(elements, key)
		}
	}
	if len(elements) == 0 {
		return cty.MapValEmpty(have.Type().ElementType())
	}
	return cty.MapVal(elements)
}

// members are those of an object that are written, as the limits of a quota: the others are not ours.
func members(have, want cty.Value) cty.Value {
	if have.IsNull() || !have.IsKnown() || want.IsNull() || !want.IsKnown() || !want.Type().IsObjectType() {
		return have
	}
	written := have.AsValueMap()
	for name, v := range written {
		if !want.Type().HasAttribute(name) || want.GetAttr(name).IsNull() {
			written[name] = cty.NullVal(v.Type())
		}
	}
	return cty.ObjectVal(written)
}

// spelled are the keys of nested blocks as those have them that are there: a rule about the group that it is in goes by
// self, also where that group's own id was written, which nobody but the object can tell from another one's.
func spelled(keys []string, o *object) []string {
	var all []string
	for _, key := range keys {
		if rest, own := strings.CutSuffix(key, " "+o.id); own && o.id != "" {
			key = rest + " self"
		}
		if !slices.Contains(all, key) {
			all = append(all, key)
		}
	}
	return all
}

// emptied is what is left to be wanted of a map, a set or nested blocks that is taken out as a whole.
func emptied(t cty.Type) cty.Value {
	switch {
	case t == cty.String:
		return cty.StringVal("")
	case t.IsSetType():
		return cty.SetValEmpty(t.ElementType())
	case t.IsListType():
		return cty.ListValEmpty(t.ElementType())
	}
	return cty.MapValEmpty(t.ElementType())
}

// takeAway takes names away one by one.
func takeAway(names []string, take func(name string) error) error {
	for _, name := range names {
		if err := take(name); err != nil {
			return err
		}
	}
	return nil
}
