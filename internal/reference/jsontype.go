package reference

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// toJSON returns a known value as JSON, numbers with all their digits.
func toJSON(v cty.Value) (json.RawMessage, error) { return ctyjson.Marshal(v, v.Type()) }

// alternatives are the ways to write an attribute: a value, an expression, or, unless it is
// required, null.
func alternatives(a *schema.Attribute) []any {
	var ways []any
	switch {
	case a.Form == schema.FormType:
		return []any{object{"type": "string"}}
	case a.Form == schema.FormReferences:
		return []any{object{"type": "array", "items": object{"type": "string"}}}
	case a.Form == schema.FormAttributes:
		return []any{object{"type": "array", "items": object{"type": "string"}}, object{"const": "all"}}
	case a.Form == schema.FormExpressions:
		return []any{object{"type": "array"}}
	case a.Form == schema.FormName, a.Form == schema.FormAddress:
		return []any{object{"type": "string"}}
	case a.Mapping, a.Encodes:
		ways = append(ways, object{"type": "object"})
	case len(a.OneOf) > 0:
		for _, t := range a.OneOf {
			ways = append(ways, typeSchema(a, t))
		}
	case a.Type == cty.DynamicPseudoType:
		return []any{object{}}
	default:
		ways = append(ways, typeSchema(a, a.Type))
	}
	if !slices.ContainsFunc(ways, func(way any) bool { return isAnyString(way.(object)) }) {
		ways = append(ways, ref(refTemplate))
	}
	if a.Presence != schema.Required {
		ways = append(ways, ref(refUnset))
	}
	return ways
}

// isAnyString tells whether a schema takes every string, and so templates.
func isAnyString(s object) bool { return len(s) == 1 && s["type"] == "string" }

// typeSchema describes the values of a type as the attribute takes them. It asks for the type
// itself, where the language would convert, except inside of maps, which are often written so.
func typeSchema(a *schema.Attribute, t cty.Type) object {
	switch {
	case t == cty.String:
		return stringSchema(a)
	case t == cty.Number:
		return numberSchema(a)
	case t == cty.Bool:
		return object{"type": "boolean"}
	case t.IsMapType():
		return object{"type": "object", "additionalProperties": mapElement(a, t.ElementType())}
	case t.IsSetType():
		return object{"type": "array", "items": orTemplate(typeSchema(a, t.ElementType())), "uniqueItems": true}
	case t.IsListType():
		return object{"type": "array", "items": orTemplate(typeSchema(a, t.ElementType()))}
	case t.IsObjectType():
		return objectSchema(a, t)
	default:
		return object{}
	}
}

func stringSchema(a *schema.Attribute) object {
	s := object{"type": "string"}
	switch {
	case a.Numbers != nil: // as text or as they are
		return object{"anyOf": []any{
			object{"type": "string", "enum": a.Allowed},
			object{"type": "string", "pattern": "^[0-9]+$"},
			object{"type": "integer", "minimum": a.Numbers.Min, "maximum": a.Numbers.Max},
		}}
	case len(a.Allowed) > 0:
		s["enum"] = a.Allowed
	}
	format := a.Format
	if a.Reference != nil {
		format = a.Reference.Format
	}
	if pattern := format.Pattern(); pattern != "" {
		s["pattern"] = pattern
	}
	return s
}

func numberSchema(a *schema.Attribute) object {
	if a.Bounds == nil {
		return object{"type": "number"}
	}
	return object{"type": "integer", "minimum": a.Bounds.Min, "maximum": a.Bounds.Max}
}

func mapElement(a *schema.Attribute, t cty.Type) object {
	if t == cty.String && len(a.Allowed) == 0 && a.Format == schema.FormatAny {
		return object{"type": []string{"string", "number", "boolean"}}
	}
	return orTemplate(typeSchema(a, t))
}

func orTemplate(s object) object {
	if isAnyString(s) {
		return s
	}
	return object{"anyOf": []any{s, ref(refTemplate)}}
}

func objectSchema(a *schema.Attribute, t cty.Type) object {
	properties, required := object{}, []string{}
	for _, name := range slices.Sorted(maps.Keys(t.AttributeTypes())) {
		properties[name] = orTemplate(typeSchema(a.Field(name), t.AttributeType(name)))
		if !t.AttributeOptional(name) {
			required = append(required, name)
		}
	}
	s := object{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}
