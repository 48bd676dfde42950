package schema

import "github.com/zclconf/go-cty/cty"

func registeredLimitBlock() Block {
	return Block{
		Kind: "registered_limit", Class: ClassResource, API: "keystone", Labels: resourceLabel("volumes"), Rules: []Rule{descriptionRule()},
		Unique: "Keystone has one for the same service, region and resource",
		Doc:    "How much of something every project may use, for services that ask Keystone for their limits. It has no name: one that nobody has marked is taken over when it is of the same service, region and resource. All of it can be changed in place; but Keystone neither changes nor deletes it while a project or domain has a limit of its own in its place: what is a block depends on it with depends_on. One that was there with such limits is taken over as it is, by its record alone, as Keystone takes no mark of ours either before they have gone; finding that out takes the role admin in the system as a whole, as limits do.",
		Attributes: []Attribute{
			{
				Name: "service", Type: cty.String, Presence: Required, Lookup: true, Reference: &Reference{Kind: "identity_service", Output: "id"},
				Doc: "The service that counts it.",
			},
			{
				Name: "region", Type: cty.String, Lookup: true, Reference: &Reference{Kind: "region", Output: "id"},
				Doc: "The region that it is for; all of them unless written.",
			},
			{
				Name: "resource_name", Type: cty.String, Presence: Required, Lookup: true, Format: FormatName, Example: cty.StringVal("volumes"),
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

func limitBlock() Block {
	return Block{
		Kind: "limit", Class: ClassResource, API: "keystone", Labels: resourceLabel("volumes"), Rules: []Rule{descriptionRule(), limitRule()},
		Unique:   "Keystone has one for the same service, region, resource and project or domain",
		NeedsOne: [][]string{{"project", "domain"}},
		Doc: "How much of something one project or domain may use, in place of what a registered_limit says for all, which has to be there before: write depends_on. Keystone shows it to nobody but a token of the system as a whole, so our user needs the role admin there, as the administrator has that Keystone begins with. " +
			"It has no name: one that nobody has marked is taken over when it is of the same service, region, resource and project or domain.",
		Attributes: []Attribute{
			{
				Name: "project", Type: cty.String, Change: Replace, Lookup: true, Conflicts: "domain", Reference: &Reference{Kind: "project", Output: "id"},
				Doc: "The project that it is for.",
			},
			{
				Name: "domain", Type: cty.String, Change: Replace, Lookup: true, Reference: &Reference{Kind: "domain", Output: "id"},
				Doc: "The domain that it is for, as a whole.",
			},
			{
				Name: "service", Type: cty.String, Presence: Required, Change: Replace, Lookup: true, Reference: &Reference{Kind: "identity_service", Output: "id"},
				Doc: "The service that counts it.",
			},
			{
				Name: "region", Type: cty.String, Change: Replace, Lookup: true, Reference: &Reference{Kind: "region", Output: "id"},
				Doc: "The region that it is for, as in the registered limit.",
			},
			{
				Name: "resource_name", Type: cty.String, Presence: Required, Change: Replace, Lookup: true, Format: FormatName, Example: cty.StringVal("volumes"),
				Doc: "What is counted, as the service calls it.",
			},
			{
				Name: "resource_limit", Type: cty.Number, Presence: Required, Bounds: &Bounds{-1, 1<<31 - 1}, Example: cty.NumberIntVal(20),
				Doc: "How much it may use; -1 is without limit.",
			},
			descriptionAttribute(),
			idAttribute(FormatID),
		},
	}
}

func limitRule() Rule {
	return Rule{Doc: "A limit is one of a project or of a domain.", breaches: func(v values) []Breach {
		if !v.missing("project") || !v.missing("domain") {
			return nil
		}
		return []Breach{{Attribute: "resource_limit", Says: "holds nowhere", Hint: "write project or domain beside it; what holds for all is a registered_limit"}}
	}}
}
