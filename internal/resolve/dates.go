package resolve

import (
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// timeCompare returns -1, 0 or 1, as the first time is before, at or after the second. None of the
// functions knows what time it is now.
func timeCompare() function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "timestamp_a", Type: cty.String}, {Name: "timestamp_b", Type: cty.String}},
		Type:   function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			var times [2]time.Time
			for i, a := range args {
				t, err := time.Parse(time.RFC3339, a.AsString())
				if err != nil {
					return cty.NilVal, function.NewArgError(i, fmt.Errorf("%q is no time such as 2026-01-31T12:00:00Z", a.AsString()))
				}
				times[i] = t
			}
			return cty.NumberIntVal(int64(times[0].Compare(times[1]))), nil
		},
	})
}
