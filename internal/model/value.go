package model

import (
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"
)

type mark string

// Sensitive is the mark of values that are never shown. It stays on everything that is made
// from such a value.
const Sensitive mark = "sensitive"

// Merge lays one value over another: objects and maps are merged key by key, all the way down;
// anything else is replaced, a list as a whole. Marks of both sides stay.
func Merge(base, over cty.Value) cty.Value {
	if over == cty.NilVal {
		return base
	}
	if base == cty.NilVal || !mergeable(base) || !mergeable(over) {
		return over
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
		merged[key] = Merge(below, value)
	}
	return cty.ObjectVal(merged).WithMarks(baseMarks, overMarks)
}

func mergeable(v cty.Value) bool {
	return (v.Type().IsObjectType() || v.Type().IsMapType()) && v.IsKnown() && !v.IsNull()
}

// Plain returns a value as encoding/json and Helm take it: nil, bool, string, int64 for whole
// numbers (float64 would be printed as 1e+06), float64 for others, []any, map[string]any. It
// fails for what is unknown, and for marked values, which the caller has to unmark where they
// may be seen.
func Plain(v cty.Value) (any, error) {
	if v.IsMarked() {
		return nil, errors.New("the value is sensitive")
	}
	switch {
	case v == cty.NilVal || v.IsNull():
		return nil, nil
	case !v.IsKnown():
		return nil, errors.New("the value is not known yet")
	}
	switch t := v.Type(); {
	case t == cty.String:
		return v.AsString(), nil
	case t == cty.Bool:
		return v.True(), nil
	case t == cty.Number:
		return plainNumber(v), nil
	case t.IsObjectType() || t.IsMapType():
		return plainMap(v)
	case t.IsListType() || t.IsSetType() || t.IsTupleType():
		return plainList(v)
	default:
		return nil, fmt.Errorf("a value of the type %s has no plain form", t.FriendlyName())
	}
}

func plainNumber(v cty.Value) any {
	f := v.AsBigFloat()
	if i, accuracy := f.Int64(); accuracy == 0 {
		return i
	}
	n, _ := f.Float64()
	return n
}

func plainMap(v cty.Value) (any, error) {
	plain := make(map[string]any, v.LengthInt())
	for it := v.ElementIterator(); it.Next(); {
		key, element := it.Element()
		inner, err := Plain(element)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key.AsString(), err)
		}
		plain[key.AsString()] = inner
	}
	return plain, nil
}

func plainList(v cty.Value) (any, error) {
	plain := make([]any, 0, v.LengthInt())
	for it := v.ElementIterator(); it.Next(); {
		_, element := it.Element()
		inner, err := Plain(element)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", len(plain), err)
		}
		plain = append(plain, inner)
	}
	return plain, nil
}
