package resolve

import (
	"errors"
	"fmt"
	"math"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// logarithm and power are those of cty, which make a value that is no number of what has no result.
func logarithm() function.Function {
	return ofNumbers("num", "base", func(num, base float64) float64 { return math.Log(num) / math.Log(base) })
}

func power() function.Function { return ofNumbers("num", "power", math.Pow) }

func ofNumbers(first, second string, f func(a, b float64) float64) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: first, Type: cty.Number}, {Name: second, Type: cty.Number}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			a, _ := args[0].AsBigFloat().Float64()
			b, _ := args[1].AsBigFloat().Float64()
			result := f(a, b)
			if math.IsNaN(result) || math.IsInf(result, 0) {
				return cty.NilVal, errors.New("there is no such number, or it is too large")
			}
			return cty.NumberFloatVal(result), nil
		},
	})
}

// parseIntBound limits the digits: reading a million of them takes seconds.
func parseIntBound(args []cty.Value) error {
	if t := args[0].Type(); t == cty.String && len(args[0].AsString()) > maxWidth {
		return fmt.Errorf("a number can have at most %d digits", maxWidth)
	}
	return nil
}
