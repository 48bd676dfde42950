package schema

import "github.com/zclconf/go-cty/cty"

func profileBlocks() []Block {
	return []Block{{
		Kind: "profile", Class: ClassProfile,
		Doc:    "Settings of services under a name. The cloud's default profile configures the whole cloud; a node's profile what can differ by node. A profile deploys nothing.",
		Labels: []Label{{Name: "name", Doc: "The profile's name.", Format: FormatIdentifier}},
		Attributes: []Attribute{
			{
				Name: "name", Type: cty.String, Presence: Computed,
				Doc: "The profile's name.",
			},
			{
				Name: "from", Type: cty.String, AtLoad: true, Reference: &Reference{Kind: "profile", Output: "name"},
				Example: cty.StringVal("base"),
				Doc:     "The profile whose settings this one starts with. Maps are merged key by key; anything else is replaced.",
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
