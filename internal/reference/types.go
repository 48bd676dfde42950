package reference

import (
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// typeOf writes the type of an attribute as a type constraint, as far as it is one.
func typeOf(a *schema.Attribute) string {
	switch {
	case a.Form == schema.FormType:
		return "a type"
	case a.Form == schema.FormAddress:
		return "an address"
	case a.Form == schema.FormReferences:
		return "list of addresses"
	case a.Form == schema.FormAttributes:
		return "list of attributes, or all"
	case a.Form == schema.FormExpressions:
		return "list of expressions"
	case a.Form == schema.FormName:
		return "a name"
	case a.Mapping, a.Encodes:
		return "map(any)"
	case len(a.OneOf) > 0:
		var names []string
		for _, t := range a.OneOf {
			names = append(names, constraint(t))
		}
		return strings.Join(names, " or ")
	default:
		return constraint(a.Type)
	}
}

// constraint writes a type as Terraform has it.
func constraint(t cty.Type) string {
	switch {
	case t == cty.DynamicPseudoType:
		return "any"
	case t == cty.String:
		return "string"
	case t == cty.Number:
		return "number"
	case t == cty.Bool:
		return "bool"
	case t.IsListType():
		return "list(" + constraint(t.ElementType()) + ")"
	case t.IsSetType():
		return "set(" + constraint(t.ElementType()) + ")"
	case t.IsMapType():
		return "map(" + constraint(t.ElementType()) + ")"
	case t.IsObjectType():
		return objectConstraint(t)
	default:
		return t.FriendlyName()
	}
}

func objectConstraint(t cty.Type) string {
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(t.AttributeTypes())) {
		field := constraint(t.AttributeType(name))
		if t.AttributeOptional(name) {
			field = "optional(" + field + ")"
		}
		fields = append(fields, name+" = "+field)
	}
	return "object({ " + strings.Join(fields, ", ") + " })"
}

// large tells whether a type is an object with too many attributes to be written on one line.
func large(t cty.Type) bool {
	const most = 4
	return t.IsObjectType() && len(t.AttributeTypes()) > most
}

// members tells which attributes an object type has, those of one type together.
func members(t cty.Type) string {
	named := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(t.AttributeTypes())) {
		inner := "`" + constraint(t.AttributeType(name)) + "`"
		if t.AttributeOptional(name) {
			inner = "optional " + inner
		}
		named[inner] = append(named[inner], name)
	}
	var list []string
	for _, inner := range slices.Sorted(maps.Keys(named)) {
		list = append(list, inner+" for "+codes(named[inner]))
	}
	return strings.Join(list, "; ")
}
