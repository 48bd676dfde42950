package schema

import "github.com/zclconf/go-cty/cty"

// NamespaceProjectsBlock is the block of the cloud that gives namespaces their projects.
const NamespaceProjectsBlock = "namespace_projects"

// NamespaceSelector is its attribute with the labels that choose them.
const NamespaceSelector = "selector"

// RuledProjects is the label in the addresses of the projects that it makes, each with its namespace as the key.
const RuledProjects = "namespaces"

func namespaceProjectsBlock() Nested {
	return Nested{Max: 1, Block: Block{
		Kind: NamespaceProjectsBlock, Class: ClassPart,
		Rules: []Rule{labelsRule(NamespaceSelector, "namespace", "write a label that the namespaces with a project have")},
		Doc: "Gives each Kubernetes namespace with certain labels a project, and has the namespace's annotations kupenstack.io/project and kupenstack.io/project-id say which. The project of the namespace shop is project.namespaces[\"shop\"] in plans and reports; no block refers to it, but data \"project\" finds it, and waits for one that is still to be made. " +
			"Namespaces that come, or get the labels, later have their projects without a push. A namespace that a project names has that one and no other, and one whose project would have the name of another project block has none, of which plan warns. The namespaces kube-*, default, that of the cloud and our own are never chosen: name them in a project. " +
			"Nothing of this deletes a project: it stays when its namespace goes or loses a label, or when this block is taken away, and is reported as kept until the namespace is chosen again, which has the same project then. A removed block for its address deletes or forgets it, also while the namespace is chosen; as long as that block is there, it has none. " +
			"A project of that name which is not ours is not taken over and blocks it: import that to the address, or name the namespace in a project block.",
		Attributes: []Attribute{
			{
				Name: NamespaceSelector, Type: cty.Map(cty.String), Presence: Required, AtLoad: true, Format: FormatLabelValue,
				Example: cty.MapVal(map[string]cty.Value{"example.org/tenant": cty.StringVal("true")}),
				Doc:     "The labels that choose namespaces: those that have all of them. Whoever may label a namespace can have a project made by that. As long as it is not known which namespaces there are, nothing changes.",
			},
			{
				Name: "prefix", Type: cty.String, AtLoad: true, Example: cty.StringVal("k8s-"),
				Doc: "What the names of the projects begin with; the name of the namespace follows. Nothing unless written; write one where others than administrators label namespaces, as they decide on names of projects then. Keystone refuses names of more than 64 characters, and the report says so of the project.",
			},
			{
				Name: "domain", Type: cty.String, Reference: &Reference{Kind: "domain", Output: "id"},
				Doc: "The domain that the projects are in; that of our own user unless written. It cannot be changed once there are projects: they are blocked then.",
			},
			{
				Name: "quota", Limits: true, AtLoad: true, Bounds: &Bounds{-1, 1 << 31},
				Example: cty.ObjectVal(map[string]cty.Value{"instances": cty.NumberIntVal(20), "cores": cty.NumberIntVal(64)}),
				Doc:     "How much each of the projects may use, as in a project.",
			},
		},
	}}
}
