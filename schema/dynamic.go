package schema

import "github.com/zclconf/go-cty/cty"

// DynamicKind is the kind of the block that stands for several nested blocks of a resource.
const DynamicKind = "dynamic"

// Dynamic returns the block that can be written in a resource instead of nested blocks of one kind,
// one for each element of a collection: dynamic "rule" { for_each = …, content { … } }.
func Dynamic() Block {
	return Block{
		Kind: DynamicKind, Class: ClassPart,
		Doc:    "Stands for as many nested blocks of one kind as a collection has elements, a thousand in one resource at most.",
		Labels: []Label{{Name: "block", Doc: "The kind of the nested blocks.", Format: FormatIdentifier}},
		Attributes: []Attribute{
			{
				Name: "for_each", Type: cty.DynamicPseudoType, Presence: Required,
				Example: cty.ListVal([]cty.Value{cty.NumberIntVal(80), cty.NumberIntVal(443)}),
				Doc:     "A list, set, map or object, of which it must be known at load how many elements it has, and the elements of a set.",
			},
			{
				Name: "iterator", Type: cty.String, Form: FormName, ExampleText: "port",
				Doc: "The name, without quotes, under which the content sees the element: its key and its value. The kind of the nested blocks unless written.",
			},
		},
		Blocks: []Nested{{Min: 1, Max: 1, Block: Block{
			Kind: "content", Class: ClassPart, Free: true,
			Doc: "What each of the nested blocks holds; <iterator>.key and <iterator>.value are the element's, and for a list the key is its index.",
		}}},
	}
}
