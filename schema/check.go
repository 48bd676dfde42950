package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// Check tells why a value of the right type is not one that the attribute takes: "" when it
// is, else words that complete the sentence "must be …". What is unknown is not checked.
func (a *Attribute) Check(v cty.Value) string {
	if v == cty.NilVal || v.IsMarked() || !v.Type().IsPrimitiveType() { // else there is nothing to take off
		v, _ = v.UnmarkDeep()
	}
	if v == cty.NilVal || v.IsNull() || !v.IsKnown() {
		return ""
	}
	if a.Mapping && !v.Type().IsObjectType() && !v.Type().IsMapType() {
		return "a map, such as { key = \"value\" }"
	}
	if a.Bounds == nil && a.Allowed == nil && a.Format == FormatAny && a.Fields == nil {
		return ""
	}
	return a.checkScalars(v)
}

// checkScalars checks a scalar, or the scalars directly inside a collection or object.
func (a *Attribute) checkScalars(v cty.Value) string {
	if v.IsNull() || !v.IsKnown() {
		return ""
	}
	switch {
	case v.Type() == cty.String:
		return a.checkString(v.AsString())
	case v.Type() == cty.Number:
		return a.checkNumber(v)
	case v.CanIterateElements():
		for it := v.ElementIterator(); it.Next(); {
			key, element := it.Element()
			of := a
			if v.Type().IsObjectType() {
				of = a.Field(key.AsString())
			}
			problem := of.checkScalars(element)
			if problem == "" {
				continue
			}
			if v.Type().IsObjectType() || v.Type().IsMapType() {
				return fmt.Sprintf("%s (%s)", problem, key.AsString())
			}
			return problem
		}
	}
	return ""
}

// Field returns what holds for one attribute of the objects that the attribute takes.
func (a *Attribute) Field(name string) *Attribute {
	format, ok := a.Fields[name]
	if !ok {
		return a
	}
	field := *a
	field.Format = format
	if text, shown := a.FieldExamples[name]; shown {
		field.Example = cty.ObjectVal(map[string]cty.Value{name: cty.StringVal(text)})
	}
	return &field
}

func (a *Attribute) checkString(s string) string {
	if len(a.Allowed) > 0 && !slices.Contains(a.Allowed, s) && !a.Numbers.has(s) {
		text := "one of " + strings.Join(a.Allowed, ", ")
		if a.Numbers != nil {
			text += fmt.Sprintf(", or a number from %d to %d", a.Numbers.Min, a.Numbers.Max)
		}
		return text
	}
	if err := a.Format.Check(s); err != nil {
		return err.Error()
	}
	return ""
}

// has tells whether a text is a whole number within the bounds, as one writes it.
func (b *Bounds) has(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return b != nil && err == nil && b.Min <= n && n <= b.Max && strconv.FormatInt(n, 10) == s
}

func (a *Attribute) checkNumber(v cty.Value) string {
	if a.Bounds == nil {
		return ""
	}
	f := v.AsBigFloat()
	low, high := cty.NumberIntVal(a.Bounds.Min), cty.NumberIntVal(a.Bounds.Max)
	if !f.IsInt() || v.LessThan(low).True() || v.GreaterThan(high).True() {
		return fmt.Sprintf("a whole number from %d to %d", a.Bounds.Min, a.Bounds.Max)
	}
	return ""
}
