package unit

import (
	"encoding/json"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// Texts that stand in for values that are not shown.
const (
	TextSensitive = "(sensitive)"
	TextUnknown   = "(known after apply)"
)

// Visible returns a value as encoding/json takes it, with texts in place of sensitive and unknown
// parts. Null attributes of objects are left out.
func Visible(v cty.Value) any {
	return visible(v, func(digits string) any { return digits })
}

// Printed is [Visible] for what is only printed: numbers are numbers, however many digits they have.
func Printed(v cty.Value) any {
	return visible(v, func(digits string) any { return json.Number(digits) })
}

// visible hands the digits of numbers that have no plain form to large.
func visible(v cty.Value, large func(digits string) any) any {
	switch {
	case v == cty.NilVal:
		return nil
	case v.IsMarked():
		return TextSensitive
	case !v.IsKnown():
		return TextUnknown
	case v.IsNull():
		return nil
	}
	switch t := v.Type(); {
	case t.IsObjectType(): // of each unit there is one at least, and a map of its values takes more than what is shown
		shown := map[string]any{}
		for name := range t.AttributeTypes() {
			if element := v.GetAttr(name); !isNull(element) {
				shown[name] = visible(element, large)
			}
		}
		return shown
	case t.IsMapType():
		shown := map[string]any{}
		for key, element := range v.AsValueMap() {
			if !isNull(element) {
				shown[key] = visible(element, large)
			}
		}
		return shown
	case t.IsListType() || t.IsSetType() || t.IsTupleType():
		shown := []any{}
		for it := v.ElementIterator(); it.Next(); {
			_, element := it.Element()
			shown = append(shown, visible(element, large))
		}
		return shown
	case t == cty.Number:
		plain, err := model.Plain(v)
		if err != nil { // too large for a number of JSON: its digits
			return large(v.AsBigFloat().Text('f', -1))
		}
		return plain
	default:
		plain, err := model.Plain(v)
		if err != nil {
			return TextUnknown
		}
		return plain
	}
}

// isNull tells whether a value is null for certain, and not sensitive.
func isNull(v cty.Value) bool { return v.IsKnown() && !v.IsMarked() && v.IsNull() }
