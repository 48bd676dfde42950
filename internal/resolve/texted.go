package resolve

import (
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/json"
)

// texted puts the text of their JSON in place of the lists, maps and objects in a map.
func texted(v cty.Value) cty.Value {
	inner, marks := v.Unmark()
	if !isMapping(inner.Type()) || inner.IsNull() || !inner.IsKnown() || inner.LengthInt() == 0 {
		return v
	}
	elements := inner.AsValueMap()
	for key, element := range elements {
		plain, hidden := element.UnmarkDeep()
		switch {
		case plain.IsNull() || !isMapping(plain.Type()) && !isSequence(plain.Type()):
		case !plain.IsWhollyKnown():
			elements[key] = cty.UnknownVal(cty.String).WithMarks(hidden)
		default:
			if text, err := json.Marshal(plain, plain.Type()); err == nil {
				elements[key] = cty.StringVal(string(text)).WithMarks(hidden)
			}
		}
	}
	return cty.ObjectVal(elements).WithMarks(marks)
}
