package resolve

import (
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// length counts elements, or the characters of a text as people see them.
func length() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowUnknown: true, AllowDynamicType: true}},
		Type: func(args []cty.Value) (cty.Type, error) {
			t := args[0].Type()
			if t == cty.String || t == cty.DynamicPseudoType || t.IsTupleType() || t.IsObjectType() || t.IsCollectionType() {
				return cty.Number, nil
			}
			return cty.Number, errors.New("the argument must be a text, a list, a set, a map or an object")
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v := args[0]
			switch t := v.Type(); {
			case t == cty.DynamicPseudoType:
				return cty.UnknownVal(cty.Number), nil
			case t == cty.String:
				return stdlib.Strlen(v)
			case t.IsTupleType():
				return cty.NumberIntVal(int64(len(t.TupleElementTypes()))), nil
			case t.IsObjectType():
				return cty.NumberIntVal(int64(len(t.AttributeTypes()))), nil
			default:
				return v.Length(), nil
			}
		},
	})
}

// lookup reads a key of a map or object, or returns the default when there is one.
func lookup() function.Function {
	return function.New(&function.Spec{
		Params:   []function.Parameter{{Name: "map", Type: cty.DynamicPseudoType, AllowMarked: true}, {Name: "key", Type: cty.String, AllowMarked: true}},
		VarParam: &function.Parameter{Name: "default", Type: cty.DynamicPseudoType, AllowNull: true, AllowUnknown: true, AllowDynamicType: true, AllowMarked: true},
		Type: func(args []cty.Value) (cty.Type, error) {
			if len(args) > 3 {
				return cty.NilType, errors.New("at most one default can be given")
			}
			if len(args) == 3 && !isNull(args[2]) {
				return stdlib.LookupFunc.ReturnTypeForValues(args)
			}
			m, _ := args[0].Unmark()
			key, _ := args[1].Unmark()
			switch t := m.Type(); {
			case t.IsMapType():
				return t.ElementType(), nil
			case t.IsObjectType() && key.IsKnown() && t.HasAttribute(key.AsString()):
				return t.AttributeType(key.AsString()), nil
			case t.IsObjectType() && (!key.IsKnown() || len(args) == 3):
				return cty.DynamicPseudoType, nil
			case t.IsObjectType():
				return cty.NilType, function.NewArgErrorf(1, "the object has no attribute of that name, and no default is given")
			default:
				return cty.NilType, function.NewArgErrorf(0, "a map or object is required")
			}
		},
		Impl: func(args []cty.Value, want cty.Type) (cty.Value, error) {
			if len(args) == 3 && !isNull(args[2]) {
				return stdlib.LookupFunc.Call(args)
			}
			m, mapMarks := args[0].Unmark()
			key, keyMarks := args[1].Unmark()
			object := m.Type().IsObjectType()
			there := object && m.Type().HasAttribute(key.AsString()) || !object && m.HasIndex(key).True()
			switch {
			case !there && len(args) == 3:
				return cty.NullVal(want).WithSameMarks(args...), nil
			case !there:
				return cty.NilVal, function.NewArgErrorf(1, "the map has no such key, and no default is given")
			case object:
				return m.GetAttr(key.AsString()).WithMarks(mapMarks, keyMarks), nil
			}
			v, err := convert.Convert(m.Index(key), want)
			return v.WithMarks(mapMarks, keyMarks), err
		},
	})
}

// isNull tells that a default is null, which the library does not take.
func isNull(v cty.Value) bool {
	v, _ = v.Unmark()
	return v.IsNull()
}

// coalesce returns the first argument that is neither null nor an empty text.
func coalesce() function.Function {
	return function.New(&function.Spec{
		VarParam: &function.Parameter{Name: "values", Type: cty.DynamicPseudoType, AllowUnknown: true, AllowDynamicType: true, AllowNull: true},
		Type: func(args []cty.Value) (cty.Type, error) {
			types := make([]cty.Type, len(args))
			for i, a := range args {
				types[i] = a.Type()
			}
			if t, _ := convert.UnifyUnsafe(types); t != cty.NilType {
				return t, nil
			}
			return cty.NilType, errors.New("the arguments must be of one type")
		},
		Impl: func(args []cty.Value, want cty.Type) (cty.Value, error) {
			for _, a := range args {
				a, err := convert.Convert(a, want)
				switch {
				case err != nil:
					return cty.NilVal, err
				case !a.IsKnown():
					return cty.UnknownVal(want), nil
				case !a.IsNull() && (want != cty.String || a.AsString() != ""):
					return a, nil
				}
			}
			return cty.NilVal, errors.New("there is no argument that is neither null nor empty")
		},
	})
}

// contains tells whether a list or set has an element. A null that is written as such has no type, and is
// looked for as any other.
func contains() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}, {Name: "value", Type: cty.DynamicPseudoType, AllowNull: true, AllowDynamicType: true}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			switch {
			case !isSequence(args[0].Type()):
				return cty.NilVal, function.NewArgErrorf(0, "a list or set is required")
			case !args[1].IsNull():
				return stdlib.ContainsFunc.Call(args)
			}
			found := cty.False
			for it := args[0].ElementIterator(); it.Next(); {
				switch _, element := it.Element(); {
				case element.IsNull():
					return cty.True, nil
				case !element.IsKnown():
					found = cty.UnknownVal(cty.Bool)
				}
			}
			return found, nil
		},
	})
}

// textAtMostOne says what one() takes, of which a smaller part is no remedy.
const textAtMostOne = "with at most one element"

// one turns a list or set of at most one element into that element, or null.
func one() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}},
		Type: func(args []cty.Value) (cty.Type, error) {
			switch t := args[0].Type(); {
			case t.IsListType() || t.IsSetType():
				return t.ElementType(), nil
			case t.IsTupleType() && t.Length() == 0:
				return cty.DynamicPseudoType, nil
			case t.IsTupleType() && t.Length() == 1:
				return t.TupleElementType(0), nil
			default:
				return cty.NilType, errors.New("the argument must be a list or set " + textAtMostOne)
			}
		},
		Impl: func(args []cty.Value, want cty.Type) (cty.Value, error) {
			switch args[0].LengthInt() {
			case 0:
				return cty.NullVal(want), nil
			case 1:
				it := args[0].ElementIterator()
				it.Next()
				_, v := it.Element()
				return v, nil
			default:
				return cty.NilVal, errors.New("the argument must be a list or set " + textAtMostOne)
			}
		},
	})
}

// index finds the place of a value in a list.
func index() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}, {Name: "value", Type: cty.DynamicPseudoType}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if t := args[0].Type(); !t.IsListType() && !t.IsTupleType() {
				return cty.NilVal, function.NewArgErrorf(0, "a list is required")
			}
			at := int64(0)
			for it := args[0].ElementIterator(); it.Next(); at++ {
				_, element := it.Element()
				equal, err := stdlib.Equal(element, args[1])
				if err != nil {
					return cty.NilVal, err
				}
				if !equal.IsKnown() {
					return cty.UnknownVal(cty.Number), nil
				}
				if equal.True() {
					return cty.NumberIntVal(at), nil
				}
			}
			return cty.NilVal, errors.New("the list does not contain the value")
		},
	})
}

func sum() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.DynamicPseudoType}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			if t := args[0].Type(); !t.IsTupleType() && !t.IsListType() && !t.IsSetType() || args[0].LengthInt() == 0 {
				return cty.NilVal, errors.New("the argument must be a list or set with at least one element")
			}
			total := cty.Zero
			err := each(args[0], cty.Number, func(v cty.Value) bool {
				total = total.Add(v)
				return true
			})
			return total, err
		},
	})
}

func allTrue() function.Function { return quantifier(cty.False, cty.True) }

func anyTrue() function.Function { return quantifier(cty.True, cty.False) }

// quantifier returns decisive as soon as an element has that value, else otherwise.
func quantifier(decisive, otherwise cty.Value) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "list", Type: cty.List(cty.Bool)}},
		Type:   function.StaticReturnType(cty.Bool),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			result := otherwise
			err := each(args[0], cty.Bool, func(v cty.Value) bool {
				switch {
				case !v.IsKnown():
					result = cty.UnknownVal(cty.Bool)
				case !v.IsNull() && v.RawEquals(decisive), v.IsNull() && decisive.False():
					result = decisive
					return false
				}
				return true
			})
			return result, err
		},
	})
}

// each visits the elements of a list, tuple or set as values of a type until visit returns false.
func each(list cty.Value, want cty.Type, visit func(cty.Value) bool) error {
	for it := list.ElementIterator(); it.Next(); {
		_, element := it.Element()
		v, err := convert.Convert(element, want)
		if err != nil || v.IsNull() && want == cty.Number {
			return fmt.Errorf("every element must be a %s", want.FriendlyName())
		}
		if !visit(v) {
			return nil
		}
	}
	return nil
}

// countUp counts from one number to another, at most 1024 elements. A step of zero gets nowhere, of which
// the library says that there are too many.
func countUp() function.Function {
	params := function.Parameter{Name: "params", Type: cty.Number}
	return function.New(&function.Spec{
		VarParam: &params,
		Type:     function.StaticReturnType(cty.List(cty.Number)),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, err := stdlib.RangeFunc.Call(args)
			if err != nil && len(args) == 3 && args[2].RawEquals(cty.Zero) {
				return cty.NilVal, function.NewArgErrorf(2, "the step is zero, with which it never ends")
			}
			return v, err
		},
	})
}
