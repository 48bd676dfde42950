package reference

import "github.com/kupenstack/kupenstack-sync/schema"

// dynamicSchema is of the blocks that stand for nested ones, by the kind of these.
func dynamicSchema(b *schema.Block) object {
	dynamic := schema.Dynamic()
	one := object{
		"type":     "object",
		"required": []string{"for_each", dynamic.Blocks[0].Kind},
		"properties": object{
			"for_each":             object{},
			"iterator":             object{"type": "string"},
			dynamic.Blocks[0].Kind: object{"type": "object"},
		},
		"additionalProperties": false,
	}
	kinds := object{}
	for i := range b.Blocks {
		kinds[b.Blocks[i].Kind] = object{"anyOf": []any{one, object{"type": "array", "items": one}}}
	}
	return object{"description": dynamic.Doc, "type": "object", "properties": kinds, "additionalProperties": false}
}
