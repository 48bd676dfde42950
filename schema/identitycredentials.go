package schema

import "github.com/zclconf/go-cty/cty"

func applicationCredentialBlock() Block {
	return Block{
		Kind: "application_credential", Class: ClassResource, API: "keystone", Labels: resourceLabel("backup"),
		Unique: "Keystone takes a name for one application credential of a user only", OneName: true,
		Doc: "A secret by which a program logs in to OpenStack, in one project and with some roles, in place of a user and a password. Keystone makes one for nobody but who asks for it, so it is one of our own user, with roles that this user has in the project: " +
			"without a role there it gets the role member first. What it does counts as done by our user, and it ends with the user, and when the user loses one of the roles in the project. Nothing of it can be changed. Where our user itself logs in with an application credential, that has to be an unrestricted one. " +
			"With the credentials of another user, one that was made is left as it is, and reported as unknown, until those of its user are back, or a removed block with destroy = false has it forgotten.",
		Attributes: []Attribute{
			fullName(Replace),
			projectAttribute(),
			{
				Name: "secret", Type: cty.String, Presence: Required, Change: Refused, AtLoad: true, Format: FormatSecret, Example: cty.StringVal("backup-openstack"),
				Doc: "The Secret, in the cloud's namespace or as namespace/name, that programs log in with: it has a clouds.yaml, whose cloud is called openstack, and the variables that clients know, such as OS_APPLICATION_CREDENTIAL_SECRET, for envFrom in pods. " +
					"Both have the address of Keystone that our user has. The secret is generated, and there before Keystone has it. As long as Keystone has the application credential and the Secret was lost, it waits for a person. The Secret goes with it.",
			},
			{
				Name: "roles", Type: cty.List(cty.String), Change: Replace, Unordered: true, Reference: &Reference{Kind: "role", Output: "id"},
				Doc: "The roles that it has, all of which our user has to have in the project; each of those unless written, which may be that of an administrator.",
			},
			{
				Name: "description", Type: cty.String, Change: Replace, Example: cty.StringVal("Nightly backups"),
				Doc: "A text for people, shown in lists and dashboards.",
			},
			{
				Name: "expires_at", Type: cty.String, Change: Replace, Format: FormatTime, Example: cty.StringVal("2030-01-01T00:00:00Z"),
				Doc: "From when on it is refused; never unless written.",
			},
			{
				Name: "unrestricted", Type: cty.Bool, Change: Replace, Example: cty.False,
				Doc: "Whether it may make and delete application credentials and trusts itself. Keystone says no unless written, and yes lets whoever has it stay in after it is taken away.",
			},
			idAttribute(FormatID),
		},
		Blocks: []Nested{{
			Block: Block{
				Kind: "access_rule", Class: ClassPart,
				Doc: "A request that it may send; with some, it may send no others. Services check that only where they were set up to.",
				Attributes: []Attribute{
					{
						Name: "service", Type: cty.String, Presence: Required, Format: FormatName, Example: cty.StringVal("compute"),
						Doc: "The type of the service, as the catalogue has it.",
					},
					{
						Name: "method", Type: cty.String, Presence: Required, Allowed: []string{"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"}, Example: cty.StringVal("GET"),
						Doc: "The method of HTTP.",
					},
					{
						Name: "path", Type: cty.String, Presence: Required, Format: FormatName, Example: cty.StringVal("/v2.1/servers"),
						Doc: "The path of the request behind the service's address: a * stands for one part of it, ** for any number, and {name} for one with that name.",
					},
				},
			},
		}},
	}
}
