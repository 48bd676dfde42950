package schema

import "github.com/zclconf/go-cty/cty"

// The kinds of blocks that say what became of objects.
const (
	MovedKind   = "moved"
	ImportKind  = "import"
	RemovedKind = "removed"
	// SuspendedKind is of blocks that have something left alone.
	SuspendedKind = "suspended"
)

// DeleteData is the attribute of a removed block with the services whose data goes with the cloud.
const DeleteData = "delete_data"

// FilterName is the attribute of an import with what the object has, in place of its id.
const FilterName = "filter"

// Filter returns that attribute for an import of this kind.
func (b *Block) Filter() *Attribute {
	a := &Attribute{Name: FilterName, AtLoad: true, Conflicts: "id", Fields: map[string]Format{}}
	types := map[string]cty.Type{}
	var names []string
	for _, by := range b.DataBlock().Attributes {
		if by.Name == "id" {
			continue // which has its own attribute
		}
		types[by.Name] = by.Type
		names = append(names, by.Name)
		format := by.Format
		if by.Reference != nil {
			format = by.Reference.Format
		}
		if format != FormatAny {
			a.Fields[by.Name] = format
		}
		if a.Example == cty.NilVal && by.Example != cty.NilVal {
			a.Example = cty.ObjectVal(map[string]cty.Value{by.Name: by.Example})
		}
	}
	a.Type = cty.ObjectWithOptionalAttrs(types, names)
	return a
}

// statementBlocks are the blocks that stand for no object of their own.
func statementBlocks() []Block {
	address := func(name, example, doc string) Attribute {
		return Attribute{Name: name, Type: cty.String, Form: FormAddress, Presence: Required, ExampleText: example, Doc: doc}
	}
	return []Block{
		{
			Kind: MovedKind, Class: ClassMeta,
			Doc: "Says that an object goes on under another address, so that it is neither deleted nor created again. " +
				"In a module it is about the module's own objects, in every instance. " +
				"Once every place where the configuration is applied has moved it, the block can be taken away.",
			Attributes: []Attribute{
				address("from", "instance.web", "The address until now, of a resource, one of its objects, a node, or a module: network.web, instance.web[\"a\"], node.worker[\"a\"], module.edge[\"fra\"].network.web, module.edge. "+
					"Without keys on both sides all keys move along."),
				address("to", "instance.app", "The address from now on, of the same kind, in whichever module."),
			},
		},
		{
			Kind: ImportKind, Class: ClassMeta, NeedsOne: [][]string{{"id", FilterName}},
			Doc: "Takes over an object that exists and that nobody manages. What differs from the block is changed afterwards. " +
				"The block stands at the root, and says nothing once that was done.",
			Attributes: []Attribute{
				{
					Name: "for_each", Type: cty.DynamicPseudoType, AtLoad: true, Example: cty.MapVal(map[string]cty.Value{"a": cty.StringVal("d32019d3-bc6e-4319-9c1d-6722fc136a22")}),
					Doc: "Imports one object for each element of a set of strings, or of a map or object; each.key and each.value tell them apart.",
				},
				address("to", "network.office[each.key]", "The resource that the object becomes, such as network.web, module.edge.network.web, or network.web[each.key] and module.edge[each.key].network.web under for_each."),
				{
					Name: "id", Type: cty.String, AtLoad: true, Example: cty.StringVal("d32019d3-bc6e-4319-9c1d-6722fc136a22"), ExampleText: "each.value",
					Doc: "The object's id in OpenStack; of a key pair its name.",
				},
				{
					Name: FilterName, Type: cty.DynamicPseudoType, Mapping: true, AtLoad: true, Conflicts: "id", Apart: true,
					Example: cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("office")}),
					Doc: "What the object has, in place of its id: attributes that a data block for its kind is searched by, which exactly one object must have. " +
						"With none or several, nothing is taken over, nor created, and the ids of those that match are told. " +
						"Kinds without a place for a mark are imported by their id alone: nothing on the object that is found would say that it is another block's. Unless it names a project, or of a kind with a domain that, the one of the resource's own block is searched.",
				},
			},
		},
		{
			Kind: RemovedKind, Class: ClassMeta,
			Doc: "Says what becomes of an object whose block was taken away. In a module it is about the module's own objects, in every instance.",
			Attributes: []Attribute{
				address("from", "network.old", "The address until now, of a resource, one of its objects, a node, a module, or a service, which taking its block away alone does not uninstall. "+
					"That of the cloud itself, such as cloud.prod, has everything taken away that is on record, in the reverse order of its making; its own block has to stay, as it says how that is reached. What holds data stays: claims to volumes and keys that delete_data does not name, the generated passwords, and the namespaces, and so does all that clean_up of disabled services names."),
				{
					Name: DeleteData, Type: cty.Set(cty.String), AtLoad: true, Apart: true, Example: cty.SetVal([]cty.Value{cty.StringVal("glance"), cty.StringVal("mariadb")}),
					Doc: "The services whose claims to volumes go with the cloud, with all that is on them, where from names the cloud: delete_data = [\"mariadb\", \"glance\"]. With keystone its fernet and credential keys go, and with them all that is encrypted by these. The plan has the claims with their sizes; those that are made after the deletion of a service has begun stay. What services have left that were uninstalled before can be named as well. " +
						"The daemon needs the right to delete claims for that, which rbac.deleteData of its chart gives it.",
				},
			},
			Blocks: []Nested{{Max: 1, Block: Block{
				Kind: "lifecycle", Class: ClassPart,
				Doc: "What to do with the object.",
				Attributes: []Attribute{{
					Name: "destroy", Type: cty.Bool, AtLoad: true, Default: cty.True, Example: cty.False,
					Doc: "Whether the object is deleted. With false it stays as it is, mark included, and is not managed any more.",
				}},
			}}},
		},
		{
			Kind: SuspendedKind, Class: ClassMeta,
			Doc: "Has something left alone: it is looked at and reported, and nothing is done about it for as long as the block is there, or until its time has come. In a module it is about the module's own objects, in every instance. " +
				"kupenstack-sync suspend does the same without a commit.",
			Attributes: []Attribute{
				address("target", "service.nova", "What is left alone: a resource, all its objects or one of them, a node, a service, a chart, a manifest, or a module with all that is in it; "+
					"that of the cloud itself, such as cloud.prod, for everything. What was taken out of the configuration can be named as well: it is not deleted meanwhile."),
				{Name: "reason", Type: cty.String, AtLoad: true, Example: cty.StringVal("its disks are replaced"), Doc: "Why, for those who read the report."},
				{
					Name: "until", Type: cty.String, AtLoad: true, Format: FormatTime, Example: cty.StringVal("2026-12-24T08:00:00Z"),
					Doc: "When it ends by itself. It ends with the block unless given.",
				},
			},
		},
	}
}
