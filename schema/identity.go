package schema

import "github.com/zclconf/go-cty/cty"

func identityBlocks() []Block {
	return []Block{{
		Kind: "project", Class: ClassResource, Labels: resourceLabel(),
		Doc: "A project of Keystone, the owner of other resources, with its quotas.",
		Attributes: []Attribute{
			nameAttribute(InPlace),
			descriptionAttribute(),
			{
				Name: "domain", Type: cty.String, Change: Refused, Lookup: true, Example: cty.StringVal("default"),
				Doc: "The id of the domain; the domain of our own user unless written.",
			},
			{
				Name: "enabled", Type: cty.Bool, Example: cty.True,
				Doc: "Whether its users can get tokens.",
			},
			tagsAttribute(),
			{
				Name: "quota", Type: quotaType(), Bounds: &Bounds{-1, 1 << 31}, Example: cty.ObjectVal(map[string]cty.Value{
					"instances": cty.NumberIntVal(20), "cores": cty.NumberIntVal(64),
				}),
				Doc: "How much the project may use; -1 is without limit. What is not written stays as it is.",
			},
			idAttribute(),
		},
	}}
}

func quotaType() cty.Type {
	fields := map[string]cty.Type{}
	var optional []string
	for _, name := range quotaNames() {
		fields[name] = cty.Number
		optional = append(optional, name)
	}
	return cty.ObjectWithOptionalAttrs(fields, optional)
}

// quotaNames are the limits of Nova and of Neutron; no name is in both.
func quotaNames() []string {
	return []string{
		"instances", "cores", "ram", "key_pairs", "metadata_items", "server_groups", "server_group_members",
		"networks", "subnets", "routers", "ports", "floating_ips", "security_groups", "security_group_rules",
	}
}
