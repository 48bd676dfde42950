package schema

import "github.com/zclconf/go-cty/cty"

func registeredLimitBlock() Block {
	return Block{
		Kind: "registered_limit", Class: ClassResource, Labels: resourceLabel("volumes"), Rules: []Rule{descriptionRule()},
		Unique: "Keystone has one for the same service, region and resource",
		Doc:    "How much of something every project may use, for services that ask Keystone for their limits. It has no name: one that nobody has marked is taken over when it is of the same service, region and resource. Keystone does not delete it while a project or domain has a limit of its own in its place, which no block describes.",
		Attributes: []Attribute{
			{
				Name: "service", Type: cty.String, Presence: Required, Change: Replace, Lookup: true, Reference: &Reference{Kind: "identity_service", Output: "id"},
				Doc: "The service that counts it.",
			},
			{
				Name: "region", Type: cty.String, Change: Replace, Lookup: true, Reference: &Reference{Kind: "region", Output: "id"},
				Doc: "The region that it is for; all of them unless written.",
			},
			{
				Name: "resource_name", Type: cty.String, Presence: Required, Change: Replace, Lookup: true, Format: FormatName, Example: cty.StringVal("volumes"),
				Doc: "What is counted, as the service calls it.",
			},
			{
				Name: "default_limit", Type: cty.Number, Presence: Required, Bounds: &Bounds{-1, 1<<31 - 1}, Example: cty.NumberIntVal(10),
				Doc: "How much a project may use that has no limit of its own; -1 is without limit.",
			},
			descriptionAttribute(),
			idAttribute(FormatID),
		},
	}
}
