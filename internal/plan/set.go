package plan

import (
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// maxSet bounds the names on record of one attribute: nothing has as many, be it the hosts of an aggregate of all. What
// is beyond stays in OpenStack when it is taken out of the configuration.
const maxSet = 2048

// Set returns what goes on record of a unit that is as it is wanted: the keys of its maps, the elements of its
// sets, the keys of its nested blocks and what it is connected or joined to, sorted, by the names of the attributes and blocks.
// What is sensitive is left out. Of what is ignored, or not known yet, the names on record until now stay. It is nil where there
// is nothing.
func Set(u *unit.Unit, desired cty.Value, entry inventory.Entry) map[string][]string {
	return set(u, desired, entry, false)
}

// set is [Set]; what makes a unit sets what is ignored, too.
func set(u *unit.Unit, desired cty.Value, entry inventory.Entry, makes bool) map[string][]string {
	recorded := entry.Set
	resource, ok := u.Spec.(*unit.Resource)
	if !ok || resource.Block == nil || desired == cty.NilVal || desired.IsMarked() || desired.IsNull() || !desired.IsKnown() || !desired.Type().IsObjectType() {
		return recorded
	}
	all := map[string][]string{}
	for name := range desired.Type().AttributeTypes() {
		nested := resource.Block.Nested(name)
		found := namesIn(desired.GetAttr(name))
		if nested != nil {
			found = bounded(nested.KeysOf(desired.GetAttr(name)))
		}
		a := resource.Block.Attribute(name)
		if a != nil && (a.Connects || a.Joins) {
			found = textsIn(desired.GetAttr(name))
			if !a.Repeats {
				found = slices.Compact(found)
			}
		}
		if !desired.GetAttr(name).IsWhollyKnown() { // nobody knows yet what of that is wanted no longer
			found = either(slices.Sorted(slices.Values(found)), recorded[name])
		}
		joins := a != nil && a.Joins
		switch ignored := slices.Contains(resource.Ignore, name); {
		case ignored && joins:
			found = nil // what is recorded and not there is looked for in each look
		case ignored && nested != nil && recorded[name] == nil && !entry.Imported:
			// An older program kept no record of what it set as it made the unit, which would be held for that as for
			// what others have added.
		case ignored && !makes:
			found = recorded[name]
		}
		if len(found) > 0 && (nested != nil || resource.Block.Attribute(name) != nil) {
			all[name] = found
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// Setting returns what goes on record before a unit is changed: what was set, and what is about to be. A
// process that is killed in between loses nothing that it has added.
func Setting(u *unit.Unit, desired cty.Value, entry inventory.Entry, makes bool) map[string][]string {
	all := map[string][]string{}
	for _, part := range []map[string][]string{entry.Set, set(u, desired, entry, makes)} {
		for name, found := range part {
			all[name] = either(all[name], slices.Sorted(slices.Values(found)))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// namesIn are the keys of a map, or the texts in a set.
func namesIn(v cty.Value) []string {
	if v.IsMarked() || v.IsNull() || !v.IsKnown() || !v.Type().IsMapType() && !v.Type().IsSetType() {
		return nil
	}
	var found []string
	for it := v.ElementIterator(); it.Next(); {
		key, _ := it.Element()
		if key.Type() == cty.String && key.IsKnown() && !key.IsNull() {
			found = append(found, key.AsString())
		}
	}
	return bounded(found)
}

// textsIn are a text, or those of a list, that are not empty, sorted, each as often as it is there.
func textsIn(v cty.Value) []string {
	switch {
	case v.IsMarked() || v.IsNull() || !v.IsKnown():
		return nil
	case v.Type() == cty.String && v.AsString() != "":
		return []string{v.AsString()}
	case !v.Type().IsListType():
		return nil
	}
	var found []string
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		found = append(found, textsIn(element)...)
	}
	slices.Sort(found)
	return found[:min(len(found), maxSet)]
}

// either are the names that are in one of two sorted lists, each as often as in that which has it more often.
func either(one, other []string) []string {
	var all []string
	for len(one) > 0 && len(other) > 0 {
		switch order := strings.Compare(one[0], other[0]); {
		case order < 0:
			all, one = append(all, one[0]), one[1:]
		case order > 0:
			all, other = append(all, other[0]), other[1:]
		default:
			all, one, other = append(all, one[0]), one[1:], other[1:]
		}
	}
	all = append(append(all, one...), other...)
	return all[:min(len(all), maxSet)]
}

func bounded(names []string) []string {
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxSet)]
}
