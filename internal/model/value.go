package model

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/zclconf/go-cty/cty"
)

type mark string

// Sensitive is the mark of values that are never shown. It stays on everything that is made
// from such a value.
const Sensitive mark = "sensitive"

// Plain returns a value as encoding/json and Helm take it: nil, bool, string, int64 for whole
// numbers (float64 would be printed as 1e+06), float64 for others, []any, map[string]any. It
// fails for what is unknown, for numbers that would become other ones on their way, and for marked
// values, which the caller has to unmark where they may be seen.
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
		return plainNumber(v)
	case t.IsObjectType() || t.IsMapType():
		return plainMap(v)
	case t.IsListType() || t.IsSetType() || t.IsTupleType():
		return plainList(v)
	default:
		return nil, fmt.Errorf("a value of the type %s has no plain form", t.FriendlyName())
	}
}

// plainNumber keeps whole numbers whole: one that int64 does not hold is refused, as JSON's readers,
// Kubernetes and Helm among them, would take it for a float and round it.
func plainNumber(v cty.Value) (any, error) {
	f := v.AsBigFloat()
	if i, accuracy := f.Int64(); accuracy == big.Exact {
		return i, nil
	}
	n, _ := f.Float64()
	if f.IsInt() || math.IsInf(n, 0) {
		return nil, errors.New("the whole number has more than 64 bits; write it as a text, in quotes")
	}
	return n, nil
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

// OfType returns a value that shares its type with others, where it is of that type. Each object has a type of its own
// by the library, and of thousands of them those take as much memory as what is in them.
func OfType(v cty.Value, t cty.Type) cty.Value {
	if !t.IsObjectType() || !v.Type().Equals(t) {
		return v
	}
	return cty.ListVal([]cty.Value{cty.UnknownVal(t), v}).Index(cty.NumberIntVal(1)) // a list has one type for all in it
}
