package schema

import "github.com/zclconf/go-cty/cty"

func identityBlocks() []Block {
	return []Block{{
		Kind: "project", Class: ClassResource, API: "keystone", Labels: resourceLabel("shop"), Rules: []Rule{tagsRule(), casedTagsRule()},
		Unique: "Keystone takes a name for one project of a domain only", OneName: true,
		Doc: "A project of Keystone, the owner of other resources, with its quotas.",
		Attributes: []Attribute{
			fullName(InPlace),
			descriptionAttribute(),
			domainAttribute(),
			{
				Name: "enabled", Type: cty.Bool, Example: cty.True,
				Doc: "Whether its users can get tokens. Write false to lock them out and keep what the project owns.",
			},
			tagsAttribute(),
			{
				Name: "quota", Limits: true, Bounds: &Bounds{-1, 1 << 31}, Example: cty.ObjectVal(map[string]cty.Value{
					"instances": cty.NumberIntVal(20), "cores": cty.NumberIntVal(64),
				}),
				Doc: "How much the project may use: ram counts MiB, those with gigabytes in their name GiB, everything else counts objects, and -1 is without limit. What is not written stays as it is. Neutron keeps the limits of networks, subnets, routers, ports, floating IPs and security groups, Cinder those of volumes, snapshots, backups and gigabytes, Nova the others: where the cloud deploys them, a project is there before them, and ready once those have its limits that keep some. A configuration that has more in a project than its quota allows is warned of, and kupenstack-sync plan warns of one that takes more than is left.",
			},
			{
				Name: ProjectNamespace, Type: cty.String, AtLoad: true, Shown: true, Wish: true, Format: FormatDNSLabel, Example: cty.StringVal("shop"),
				Doc: "The Kubernetes namespace that has the project: its annotations kupenstack.io/project and kupenstack.io/project-id say the name and the id, but no name that is sensitive. It cannot be sensitive itself. A namespace has one project. It is not made here, and waited for when it is missing or being deleted; one that comes again has the same project. Neither goes with the other: a project stays when its namespace is deleted, and a namespace loses only the annotations when the project, or this line, goes.",
			},
			idAttribute(FormatID),
		},
	}}
}

// ProjectNamespace is the attribute of a project with the namespace that has it.
const ProjectNamespace = "namespace"
