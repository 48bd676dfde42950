package resolve

import (
	"errors"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
)

// matchKeys returns the elements of a list whose partners, at the same places of a second list, are
// in a third.
func matchKeys() function.Function {
	list := func(name string) function.Parameter {
		return function.Parameter{Name: name, Type: cty.List(cty.DynamicPseudoType)}
	}
	return function.New(&function.Spec{
		Params: []function.Parameter{list("values"), list("keys"), list("searchset")},
		Type: func(args []cty.Value) (cty.Type, error) {
			if t, _ := convert.UnifyUnsafe([]cty.Type{args[1].Type(), args[2].Type()}); t == cty.NilType {
				return cty.NilType, errors.New("keys and searchset must be of one type")
			}
			return args[0].Type(), nil
		},
		Impl: func(args []cty.Value, want cty.Type) (cty.Value, error) {
			values := args[0].AsValueSlice()
			both, _ := convert.UnifyUnsafe([]cty.Type{args[1].Type(), args[2].Type()})
			keys, err := convert.Convert(args[1], both)
			if err != nil {
				return cty.NilVal, function.NewArgError(1, err)
			}
			search, err := convert.Convert(args[2], both)
			if err != nil {
				return cty.NilVal, function.NewArgError(2, err)
			}
			if !keys.IsWhollyKnown() || !search.IsWhollyKnown() {
				return cty.UnknownVal(want), nil
			}
			partners := keys.AsValueSlice()
			if len(partners) != len(values) {
				return cty.NilVal, errors.New("values and keys must have the same number of elements")
			}
			wanted := cty.SetValEmpty(both.ElementType())
			if search.LengthInt() > 0 {
				wanted = cty.SetVal(search.AsValueSlice())
			}
			var found []cty.Value
			for i, key := range partners {
				if wanted.HasElement(key).True() {
					found = append(found, values[i])
				}
			}
			if len(found) == 0 {
				return cty.ListValEmpty(want.ElementType()), nil
			}
			return cty.ListVal(found), nil
		},
	})
}

// transpose makes, of a map of lists of texts, the map from each text to the keys that have it.
func transpose() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "values", Type: cty.Map(cty.List(cty.String))}},
		Type:   function.StaticReturnType(cty.Map(cty.List(cty.String))),
		Impl: func(args []cty.Value, want cty.Type) (cty.Value, error) {
			if !args[0].IsWhollyKnown() {
				return cty.UnknownVal(want), nil
			}
			turned := map[string][]string{}
			for it := args[0].ElementIterator(); it.Next(); {
				key, list := it.Element()
				if list.IsNull() {
					return cty.NilVal, errors.New("a list in the map is null")
				}
				for inner := list.ElementIterator(); inner.Next(); {
					_, v := inner.Element()
					if v.IsNull() {
						return cty.NilVal, errors.New("an element of a list is null")
					}
					turned[v.AsString()] = append(turned[v.AsString()], key.AsString())
				}
			}
			if len(turned) == 0 {
				return cty.MapValEmpty(cty.List(cty.String)), nil
			}
			result := map[string]cty.Value{}
			for text, from := range turned {
				var keys []cty.Value
				for _, key := range slices.Sorted(slices.Values(from)) {
					keys = append(keys, cty.StringVal(key))
				}
				result[text] = cty.ListVal(keys)
			}
			return cty.MapVal(result), nil
		},
	})
}
