package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// resource writes the block of an object, and the one that imports it.
func (e *exporter) resource(b *strings.Builder, o unit.Live) {
	label, block := e.labels[o.Kind][o.ID], e.language.Resource(o.Kind)
	fmt.Fprintf(b, "%s %q {", o.Kind, label)
	var inner strings.Builder
	if a := block.Attribute("name"); a != nil && o.Title != label {
		fmt.Fprintf(&inner, "name = %s\n", config.Quote(o.Title))
	}
	e.body(&inner, block, o.Values, owner{o.ID, o.Kind + "." + label})
	if inner.Len() > 0 {
		b.WriteString("\n" + inner.String())
	}
	fmt.Fprintf(b, "}\n\nimport {\nto = %s.%s\nid = %s\n}\n", o.Kind, label, config.Quote(o.ID))
}

// owner is the object that attributes are of.
type owner struct{ id, address string }

// body writes attributes and nested blocks.
func (e *exporter) body(b *strings.Builder, block *schema.Block, values map[string]cty.Value, self owner) {
	written := map[string]bool{}
	for i := range block.Attributes {
		a := &block.Attributes[i]
		v, known := values[a.Name]
		switch {
		case a.Name == "name" && a.FromLabel, a.Presence == schema.Computed, a.Sensitive, a.Wish, a.Form != schema.FormValue:
		case !known || !says(a, v):
		case excluded(block, a, written):
		default:
			if a.Reference != nil && a.Reference.Self != "" && v.Type() == cty.String && v.AsString() == self.id {
				fmt.Fprintf(b, "%s = true\n", a.Reference.Self)
				written[a.Reference.Self] = true
				continue
			}
			fmt.Fprintf(b, "%s = %s\n", a.Name, e.expression(self.address, a, v))
			written[a.Name] = true
		}
	}
	for i := range block.Blocks {
		inner := &block.Blocks[i]
		for _, element := range nestedIn(values, inner) {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(b, "%s {\n", inner.Kind)
			e.body(b, &inner.Block, element.AsValueMap(), self)
			b.WriteString("}\n")
		}
	}
}

// excluded tells whether something is written that an attribute cannot be written beside: either of the two says so.
func excluded(block *schema.Block, a *schema.Attribute, written map[string]bool) bool {
	if written[a.Conflicts] {
		return true
	}
	return slices.ContainsFunc(block.Attributes, func(other schema.Attribute) bool { return other.Conflicts == a.Name && written[other.Name] })
}

// says tells whether it means anything to write a value: not where it is nothing, or what is meant without it.
func says(a *schema.Attribute, v cty.Value) bool {
	switch {
	case v.IsNull(), !v.IsWhollyKnown():
		return false
	case a.HasDefault():
		return !v.RawEquals(a.Default)
	case v.Type() == cty.String:
		return v.AsString() != ""
	case v.Type() == cty.Bool:
		return v.True() || a.Conflicts == ""
	case v.CanIterateElements():
		return v.LengthInt() > 0
	}
	return true
}

// expression is the right side of an attribute. Of two blocks that mean each other only one can refer to the other: in
// the second one stands the value, and a comment that says whose it is.
func (e *exporter) expression(from string, a *schema.Attribute, v cty.Value) string {
	if a.Reference == nil {
		return e.identity(from, a, v)
	}
	var circles []string
	one := func(v cty.Value) string {
		if v.Type() == cty.String && !v.IsNull() {
			address, circular := e.reference(from, a.Reference, v.AsString())
			switch {
			case circular:
				circles = append(circles, address)
			case address != "":
				return address
			}
		}
		return literal(v)
	}
	comment := func() string {
		if len(circles) == 0 {
			return ""
		}
		return " # " + strings.Join(circles, ", ") + ", which refers to this block itself"
	}
	if !v.Type().IsListType() && !v.Type().IsSetType() {
		value := one(v)
		return value + comment()
	}
	var elements []string
	for _, element := range v.AsValueSlice() {
		elements = append(elements, one(element))
	}
	return "[" + strings.Join(elements, ", ") + "]" + comment()
}

// identity is the id of an object by the address of its block, where an attribute has one, else what stands there.
func (e *exporter) identity(from string, a *schema.Attribute, v cty.Value) string {
	for _, kind := range a.Identifies {
		if address, circular := e.reference(from, &schema.Reference{Kind: kind, Output: "id"}, v.AsString()); address != "" && !circular {
			return address + ".id"
		}
	}
	return literal(v)
}

// literal writes a value that is wholly known. Attributes of objects that are null are left out.
func literal(v cty.Value) string {
	t := v.Type()
	switch {
	case v.IsNull():
		return "null"
	case t == cty.String:
		return config.Quote(v.AsString())
	case t == cty.Number:
		return v.AsBigFloat().Text('f', -1)
	case t == cty.Bool:
		return fmt.Sprint(v.True())
	case t.IsListType(), t.IsSetType(), t.IsTupleType():
		var elements []string
		for _, element := range v.AsValueSlice() {
			elements = append(elements, literal(element))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	}
	var entries []string
	for name, element := range v.AsValueMap() {
		if t.IsObjectType() && element.IsNull() {
			continue
		}
		key := name
		if !t.IsObjectType() {
			key = config.Quote(name)
		}
		entries = append(entries, key+" = "+literal(element))
	}
	slices.Sort(entries)
	if t.IsMapType() && len(entries) > 1 {
		return "{\n" + strings.Join(entries, "\n") + "\n}"
	}
	return "{ " + strings.Join(entries, ", ") + " }"
}

// nestedIn returns the nested blocks of one kind that values have, as far as they are known.
func nestedIn(values map[string]cty.Value, inner *schema.Nested) []cty.Value {
	v, known := values[inner.Kind]
	switch {
	case !known || v.IsNull() || !v.IsWhollyKnown():
		return nil
	case inner.Single():
		return []cty.Value{v}
	}
	return v.AsValueSlice()
}
