package schema

import (
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// What a cloud is divided into, and where its services are.

func placeBlocks() []Block {
	return []Block{domainBlock(), regionBlock(), identityServiceBlock(), identityEndpointBlock(), registeredLimitBlock(), limitBlock()}
}

func domainBlock() Block {
	return Block{
		Kind: "domain", Class: ClassResource, API: "keystone", Labels: resourceLabel("customers"), Rules: []Rule{descriptionRule()},
		Unique: "Keystone takes a name for one domain only", OneName: true,
		Doc: "A domain of Keystone, in which projects, users and groups have their names. It is not deleted while it has any of them, and is disabled before it is.",
		Attributes: []Attribute{
			fullName(InPlace), descriptionAttribute(),
			{
				Name: "enabled", Type: cty.Bool, Example: cty.True,
				Doc: "Whether its users can get tokens. Write false to lock all of them out.",
			},
			idAttribute(FormatAny),
		},
	}
}

func regionBlock() Block {
	return Block{
		Kind: "region", Class: ClassResource, API: "keystone", ChosenID: true, Labels: resourceLabel("north"), Rules: []Rule{descriptionRule(), regionNameRule()},
		Unique: "the name of a region is its id", OneName: true,
		Doc: "A region in the catalogue of Keystone. It is not deleted while it has endpoints or registered limits, or regions below it.",
		Attributes: []Attribute{
			fullName(Replace), describedAttribute(),
			{
				Name: "parent", Type: cty.String, Lookup: true, Reference: &Reference{Kind: "region", Output: "id"},
				Doc: "The region that it is a part of.",
			},
			idAttribute(FormatAny),
		},
	}
}

// regionNameRule is about names that Keystone takes and then finds no more.
func regionNameRule() Rule {
	return Rule{
		Doc: "The name has no slash, and is neither a dot nor two: it is the id of the region, which Keystone would find by no path.",
		breaches: func(v values) []Breach {
			if name, ok := v.text("name"); !ok || !strings.Contains(name, "/") && name != "." && name != ".." {
				return nil
			}
			return []Breach{{
				Attribute: "name", Says: "must not have a slash, nor be a dot or two: it is the id of the region, and Keystone could neither show nor delete it",
				Hint: "write it with another character in place of that",
			}}
		},
	}
}

func identityServiceBlock() Block {
	return Block{
		Kind: "identity_service", Class: ClassResource, API: "keystone", Labels: resourceLabel("backup"), Rules: []Rule{descriptionRule()},
		Doc: "A service in the catalogue of Keystone, for one that this cloud does not deploy: those that it deploys are there by themselves. It is not deleted while it has endpoints or registered limits.",
		Attributes: []Attribute{
			nameAttribute(InPlace),
			{
				Name: "type", Type: cty.String, Presence: Required, Lookup: true, Format: FormatName, Example: cty.StringVal("backup"),
				Doc: "What clients look for in the catalogue.",
			},
			descriptionAttribute(),
			{
				Name: "enabled", Type: cty.Bool, Example: cty.True,
				Doc: "Whether the catalogue shows it.",
			},
			idAttribute(FormatID),
		},
	}
}

func identityEndpointBlock() Block {
	return Block{
		Kind: "identity_endpoint", Class: ClassResource, API: "keystone", Labels: resourceLabel("backup"),
		Doc: "An address in the catalogue of Keystone. It has no name: an endpoint that nobody has marked is taken over when it is of the same service, region and interface.",
		Attributes: []Attribute{
			{
				Name: "service", Type: cty.String, Presence: Required, Lookup: true, Reference: &Reference{Kind: "identity_service", Output: "id"}, Belongs: true,
				Doc: "The service that answers there.",
			},
			{
				Name: "interface", Type: cty.String, Presence: Required, Lookup: true, Allowed: []string{"public", "internal", "admin"}, Example: cty.StringVal("public"),
				Doc: "Who it is for: everybody, the services of the cloud, or administrators.",
			},
			{
				Name: "region", Type: cty.String, Lookup: true, Reference: &Reference{Kind: "region", Output: "id"},
				Doc: "The region that it is in; none unless written.",
			},
			{
				Name: "url", Type: cty.String, Presence: Required, Lookup: true, Format: FormatEndpoint, Example: cty.StringVal("https://backup.example.org/v1"),
				Doc: "The address. Keystone puts the id of the caller's project in the place of $(project_id)s.",
			},
			{
				Name: "enabled", Type: cty.Bool, Example: cty.True,
				Doc: "Whether the catalogue shows it.",
			},
			idAttribute(FormatID),
		},
	}
}
