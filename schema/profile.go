package schema

import "github.com/zclconf/go-cty/cty"

func profileBlocks() []Block {
	return []Block{{
		Kind: "profile", Class: ClassProfile,
		Doc:    "Settings of services under a name. The cloud's default profile configures the whole cloud; a node's profile what can differ by node. A profile deploys nothing.",
		Labels: []Label{{Name: "name", Doc: "The profile's name, by which others refer to it.", Format: FormatIdentifier, Example: "gpu"}},
		Attributes: []Attribute{
			{
				Name: "name", Type: cty.String, Presence: Computed,
				Doc: "The profile's name.",
			},
			{
				Name: "from", Type: cty.DynamicPseudoType, OneOf: []cty.Type{cty.String, cty.List(cty.String)}, AtLoad: true,
				Reference: &Reference{Kind: "profile", Output: "name"}, Example: cty.StringVal("base"),
				Doc: "The profile whose settings this one starts with, or a list of them, the later over the earlier. Each counts once, where it is reached first, and always above those that it builds on itself.",
			},
		},
		Blocks: []Nested{{Block: Block{
			Kind: "service", Class: ClassService,
			Doc:        "Settings of one service.",
			Labels:     []Label{serviceLabel()},
			Attributes: serviceSettings(),
		}}},
	}}
}
