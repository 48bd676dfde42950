package schema

import "github.com/zclconf/go-cty/cty"

// Who may do what in the cloud, and where.

func accessBlocks() []Block {
	return []Block{roleBlock(), groupBlock(), userBlock(), assignmentBlock(), applicationCredentialBlock()}
}

func domainAttribute() Attribute {
	return Attribute{
		Name: "domain", Type: cty.String, Change: Refused, Lookup: true, Reference: &Reference{Kind: "domain", Output: "id"},
		Doc: "The domain that it is in, where its name is taken once only; the domain of our own user unless written.",
	}
}

func roleBlock() Block {
	return Block{
		Kind: "role", Class: ClassResource, API: "keystone", Labels: resourceLabel("auditor"), Rules: []Rule{descriptionRule()},
		Unique: "Keystone takes a name for one role of the whole cloud, or of a domain, only", OneName: true,
		Doc: "A role of Keystone, which the rules of the services give rights to. It is not deleted while somebody has it.",
		Attributes: []Attribute{
			fullName(InPlace),
			{
				Name: "domain", Type: cty.String, Change: Refused, Lookup: true, Reference: &Reference{Kind: "domain", Output: "id"},
				Doc: "The domain that it is in: it is for that domain and its projects, and its name is taken once only there. Unless written it is one of the whole cloud. No token names a role of a domain, only those of the whole cloud that it implies.",
			},
			describedAttribute(),
			{Name: "immutable", Type: cty.Bool, Presence: Computed, Doc: "Whether Keystone refuses to change it and to delete it, as with the roles that it begins with."},
			idAttribute(FormatID),
		},
	}
}

func groupBlock() Block {
	return Block{
		Kind: "group", Class: ClassResource, API: "keystone", Labels: resourceLabel("developers"), Rules: []Rule{descriptionRule()},
		Unique: "Keystone takes a name for one group of a domain only", OneName: true,
		Doc:        "A group of users of Keystone, all of which have the roles that the group has. It is not deleted while it has users or roles.",
		Attributes: []Attribute{fullName(InPlace), domainAttribute(), descriptionAttribute(), idAttribute(FormatAny)},
	}
}

func userBlock() Block {
	return Block{
		Kind: "user", Class: ClassResource, API: "keystone", Labels: resourceLabel("alice"), Rules: []Rule{descriptionRule()},
		Unique: "Keystone takes a name for one user of a domain only", OneName: true,
		Doc: "A user of Keystone. It is not deleted while it has roles that others gave it.",
		Attributes: []Attribute{
			fullName(InPlace), domainAttribute(), descriptionAttribute(),
			{
				Name: "password", Type: cty.String, Sensitive: true, Example: cty.StringVal("change-me-soon"),
				Doc: "What it logs in with. Keystone never tells it, so a change by somebody else is not seen: it is written when the user is made or taken over, and when it is another one here than it was. Each time Keystone revokes the tokens that the user has.",
			},
			{
				Name: "email", Type: cty.String, Example: cty.StringVal("alice@example.org"),
				Doc: "Its address, for people: Keystone sends nothing there.",
			},
			{
				Name: "enabled", Type: cty.Bool, Example: cty.True,
				Doc: "Whether it can get tokens. Write false to lock it out.",
			},
			{
				Name: "default_project", Type: cty.String, Reference: &Reference{Kind: "project", Output: "id"},
				Doc: "The project that its tokens are for when it names none. It needs a role there all the same.",
			},
			{
				Name: "groups", Type: cty.Set(cty.String), Reference: &Reference{Kind: "group", Output: "id"},
				Doc: "The groups that it is in. It is taken out of those that are taken out here; groups that others have put it in stay.",
			},
			idAttribute(FormatAny),
		},
	}
}

func assignmentBlock() Block {
	return Block{
		Kind: "role_assignment", Class: ClassResource, API: "keystone", Labels: resourceLabel("developers"), Rules: assignmentRules(),
		Unmarked: true,
		Unique:   "Keystone has a role of somebody in one place once only",
		NeedsOne: [][]string{{"user", "group"}, {"project", "domain", "system"}},
		Doc:      "A role that a user or a group has in a project, in a domain, or in the system as a whole. Nothing of it can be changed: another role is another assignment. Keystone keeps no mark with it, so one that is there already is taken over.",
		Attributes: []Attribute{
			{
				Name: "role", Type: cty.String, Presence: Required, Change: Replace, Lookup: true, Reference: &Reference{Kind: "role", Output: "id"},
				Doc: "The role that is given.",
			},
			{
				Name: "user", Type: cty.String, Change: Replace, Lookup: true, Conflicts: "group", Reference: &Reference{Kind: "user", Output: "id"}, Belongs: true,
				Doc: "The user who has it.",
			},
			{
				Name: "group", Type: cty.String, Change: Replace, Lookup: true, Reference: &Reference{Kind: "group", Output: "id"},
				Doc: "The group whose users have it.",
			},
			{
				Name: "project", Type: cty.String, Change: Replace, Lookup: true, Conflicts: "domain", Reference: &Reference{Kind: "project", Output: "id"},
				Doc: "The project that it is for.",
			},
			{
				Name: "domain", Type: cty.String, Change: Replace, Lookup: true, Reference: &Reference{Kind: "domain", Output: "id"},
				Doc: "The domain that it is for.",
			},
			{
				Name: "system", Type: cty.Bool, Change: Replace, Lookup: true, Conflicts: "project", Example: cty.True,
				Doc: "Whether it is for the system as a whole.",
			},
			{
				Name: "inherited", Type: cty.Bool, Change: Replace, Lookup: true, Example: cty.True,
				Doc: "Whether it counts in the projects below that project, or of that domain, and not in the project or domain itself.",
			},
			{
				Name: "id", Type: cty.String, Presence: Computed, Lookup: true, Example: cty.StringVal("user/5d0d51acfa1c4e9f9d1a3c1b2e9a7c45/project/0c1b36ac32a94e1f8f5a9f1f2b5b7d1e/role/9fe2ff9ee4384b1894a90878d3e92bab"),
				Doc: "What it connects: who, where and which role, and /inherited behind that where it is inherited. Keystone has no id of its own for it.",
			},
		},
	}
}

func assignmentRules() []Rule {
	return []Rule{
		{
			Doc: "A role is given to a user or to a group.",
			breaches: func(v values) []Breach {
				if !v.missing("user") || !v.missing("group") {
					return nil
				}
				return []Breach{{Attribute: "role", Says: "is given to nobody", Hint: "write user or group beside it"}}
			},
		},
		{
			Doc:      "A role is given in a project, in a domain, or in the system; that of the system is not inherited.",
			breaches: placeBreaches,
		},
	}
}

func placeBreaches(v values) []Breach {
	system, inherited := v.truth("system"), v.truth("inherited")
	inDomain := !v.missing("domain")
	placed := inDomain || !v.missing("project")
	open := !v.missing("system") && plainOf(v["system"]) == cty.NilVal
	switch {
	case inDomain && system:
		return []Breach{{Attribute: "system", Says: "must not be true beside a domain", Hint: "write two blocks, one for each place"}}
	case system && inherited:
		return []Breach{{Attribute: "inherited", Says: "must not be true beside system: nothing is below that", Hint: "take one of the two out"}}
	case !placed && !system && !open:
		return []Breach{{Attribute: "role", Says: "is given nowhere", Hint: "write project or domain beside it, or system = true"}}
	}
	return nil
}
