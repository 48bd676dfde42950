package schema

import "github.com/zclconf/go-cty/cty"

// MaxSlot is the highest slot that a profile can take. Charts of OpenStack-Helm take about ten groups of nodes, and
// nodes without a slot are one.
const MaxSlot = 9

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
			{
				Name: "slot", Type: cty.Number, AtLoad: true, Bounds: &Bounds{1, MaxSlot}, Example: cty.NumberIntVal(1),
				Doc: "The place of the profile's nodes among those that differ. A profile of single nodes needs one, which no other profile has, once it sets what holds on its nodes alone. The nodes are chosen by this number and not by the profile, so that the profile can be renamed, changed and taken away without touching the pods of other nodes; another number moves its nodes, which waits until no instances run there. Services keep a DaemonSet for every number up to the highest one, so begin with 1.",
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
