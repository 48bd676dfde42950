package model

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// whole marks a map that took the place of something else than a map, so that it is not merged with
// what lies below that.
const whole mark = "whole"

// additions are elements to put before and after those of a list in the layers below.
type additions struct{ before, after []cty.Value }

// MarshalJSON fails, so that no function of the language makes text of additions.
func (*additions) MarshalJSON() ([]byte, error) {
	return nil, errors.New("an addition to a list is no value of its own")
}

// AdditionsType returns a type for values that add to a list. As cty tells such types apart by
// identity, values that meet in one expression need the same one.
func AdditionsType() cty.Type {
	return cty.Capsule("addition to a list", reflect.TypeFor[additions]())
}

// Append returns a value of the type, one of [AdditionsType], that adds the elements of a list,
// set or tuple after those of the list that it is merged over.
func Append(t cty.Type, list cty.Value) cty.Value {
	return cty.CapsuleVal(t, &additions{after: list.AsValueSlice()})
}

// Prepend is [Append] for elements that go before the others.
func Prepend(t cty.Type, list cty.Value) cty.Value {
	return cty.CapsuleVal(t, &additions{before: list.AsValueSlice()})
}

// Added returns the list that a value of [Append] or [Prepend] adds, and whether it adds in front.
func Added(v cty.Value) (list cty.Value, front bool) {
	plain, _ := v.Unmark()
	a := plain.EncapsulatedValue().(*additions)
	return Settle(v), len(a.before) > 0
}

// Adds tells whether a value is one that adds to a list.
func Adds(v cty.Value) bool { return v != cty.NilVal && isAdditions(v.Type()) }

func isAdditions(t cty.Type) bool {
	return t.IsCapsuleType() && t.EncapsulatedType() == reflect.TypeFor[additions]()
}

// AddsWithin returns where values of a type hold additions although there is nothing below that they could be
// added to: inside of lists. There are none when all is well. In a list that is no tuple it is the list.
func AddsWithin(t cty.Type) []cty.Path { return addsWithin(t, nil) }

func addsWithin(t cty.Type, path cty.Path) []cty.Path {
	var found []cty.Path
	switch {
	case t.IsObjectType():
		attributes := t.AttributeTypes()
		for _, name := range slices.Sorted(maps.Keys(attributes)) {
			if inner := attributes[name]; AddsAnywhere(inner) {
				found = append(found, addsWithin(inner, slices.Concat(path, cty.GetAttrPath(name)))...)
			}
		}
	case t.IsMapType():
		return addsWithin(t.ElementType(), path)
	case t.IsTupleType():
		for i, inner := range t.TupleElementTypes() {
			if AddsAnywhere(inner) {
				found = append(found, slices.Concat(path, cty.IndexIntPath(i)))
			}
		}
	case (t.IsListType() || t.IsSetType()) && AddsAnywhere(t.ElementType()):
		return []cty.Path{path}
	}
	return found
}

// AddsAnywhere tells whether values of a type can hold additions at any depth.
func AddsAnywhere(t cty.Type) bool {
	switch {
	case isAdditions(t):
		return true
	case t.IsObjectType():
		for _, inner := range t.AttributeTypes() {
			if AddsAnywhere(inner) {
				return true
			}
		}
	case t.IsTupleType():
		return slices.ContainsFunc(t.TupleElementTypes(), AddsAnywhere)
	case t.IsCollectionType():
		return AddsAnywhere(t.ElementType())
	}
	return false
}

// Merge lays one value over another. Objects and maps are merged key by key, all the way down;
// additions to a list are added to the list below; anything else takes the place of what is below,
// lists as a whole. So does null, and it stays: Helm takes it for the order to leave away what
// the chart has there. What lies over null starts anew. Marks of both sides stay where both
// sides do.
//
// The paths are those where additions met something that is no list; there the value below stays.
// Values may be merged in any grouping, as long as their order stays the same. The last result
// needs [Settle].
func Merge(base, over cty.Value) (cty.Value, [][]string) {
	var m merger
	v := m.merge(base, over, nil)
	return v, m.conflicts
}

type merger struct{ conflicts [][]string }

func (m *merger) merge(base, over cty.Value, path []string) cty.Value {
	switch {
	case over == cty.NilVal:
		return base
	case base == cty.NilVal:
		return over
	case Adds(over):
		return m.add(base, over, path)
	case !mergeable(over) || over.HasMark(whole):
		return over
	case !mergeable(base):
		return over.Mark(whole)
	}
	base, baseMarks := base.Unmark()
	over, overMarks := over.Unmark()
	merged := base.AsValueMap()
	if merged == nil {
		merged = map[string]cty.Value{}
	}
	for key, value := range over.AsValueMap() {
		below, ok := merged[key]
		if !ok {
			below = cty.NilVal
		}
		merged[key] = m.merge(below, value, append(path[:len(path):len(path)], key))
	}
	return cty.ObjectVal(merged).WithMarks(baseMarks, overMarks)
}

// add adds to what is below: a list, other additions, or null, which stands for no list.
func (m *merger) add(base, over cty.Value, path []string) cty.Value {
	plain, marks := base.Unmark()
	added, addedMarks := over.Unmark()
	if !added.IsKnown() || added.IsNull() {
		return over
	}
	a := added.EncapsulatedValue().(*additions)
	switch t := plain.Type(); {
	case plain.IsNull():
		return Settle(over)
	case !plain.IsKnown():
	case isAdditions(t):
		below := plain.EncapsulatedValue().(*additions)
		return cty.CapsuleVal(added.Type(), &additions{
			before: slices.Concat(a.before, below.before), after: slices.Concat(below.after, a.after),
		}).WithMarks(marks, addedMarks)
	case t.IsTupleType() || t.IsListType() || t.IsSetType():
		return cty.TupleVal(slices.Concat(a.before, plain.AsValueSlice(), a.after)).WithMarks(marks, addedMarks)
	}
	m.conflicts = append(m.conflicts, path)
	return base
}

// Settle ends merging: additions with no list below become lists of their own.
func Settle(v cty.Value) cty.Value {
	if v == cty.NilVal {
		return v
	}
	plain, marks := v.Unmark()
	marks = maps.Clone(marks)
	delete(marks, whole)
	switch {
	case isAdditions(plain.Type()) && plain.IsKnown() && !plain.IsNull():
		a := plain.EncapsulatedValue().(*additions)
		plain = cty.TupleVal(slices.Concat(a.before, a.after))
	case mergeable(plain):
		elements := plain.AsValueMap()
		if len(elements) == 0 {
			break
		}
		for key, element := range elements {
			elements[key] = Settle(element)
		}
		plain = cty.ObjectVal(elements)
	}
	return plain.WithMarks(marks)
}

func mergeable(v cty.Value) bool {
	return (v.Type().IsObjectType() || v.Type().IsMapType()) && v.IsKnown() && !v.IsNull()
}

// Part returns what a value has at a path of keys, with the marks of everything around it, and
// whether it has something there.
func Part(v cty.Value, path ...string) (cty.Value, bool) {
	var marks []cty.ValueMarks
	for _, key := range path {
		plain, around := v.Unmark()
		if !mergeable(plain) {
			return cty.NilVal, false
		}
		marks = append(marks, around)
		inner, ok := element(plain, key)
		if !ok {
			return cty.NilVal, false
		}
		v = inner
	}
	return v.WithMarks(marks...), true
}

// element returns what a map or an object has for a key, without taking the others in hand.
func element(v cty.Value, key string) (cty.Value, bool) {
	if v.Type().IsObjectType() {
		if !v.Type().HasAttribute(key) {
			return cty.NilVal, false
		}
		return v.GetAttr(key), true
	}
	index := cty.StringVal(key)
	if !v.HasIndex(index).True() {
		return cty.NilVal, false
	}
	return v.Index(index), true
}
