package schema

import "github.com/zclconf/go-cty/cty"

// The values of lifecycle's drift.
const (
	DriftCorrect = "correct"
	DriftReport  = "report"
	DriftIgnore  = "ignore"
)

func metaBlocks() []Block {
	return []Block{
		{
			Kind: "variable", Class: ClassMeta,
			Doc:    "A value that is given from outside when the configuration is loaded, used as var.<name>.",
			Labels: []Label{{Name: "name", Doc: "The variable's name: var.<name>.", Format: FormatIdentifier, Example: "site_cidr"}},
			Attributes: []Attribute{
				{
					Name: "type", Type: cty.DynamicPseudoType, Form: FormType, Example: cty.StringVal("string"),
					Doc: "The type that the value is converted to, such as string, number, bool, list(string), map(number) or object({ name = string }).",
				},
				{
					Name: "default", Type: cty.DynamicPseudoType, AtLoad: true, Example: cty.StringVal("10.20.0.0/16"),
					Doc: "The value when none is given. A variable without default must be given one.",
				},
				{
					Name: "description", Type: cty.String, AtLoad: true, Example: cty.StringVal("The address range of this site."),
					Doc: "What the variable is for, for the people who have to give it a value.",
				},
				{
					Name: "sensitive", Type: cty.Bool, AtLoad: true, Default: cty.False, Example: cty.False,
					Doc: "Keeps the value, and everything made from it, out of plans, reports and logs.",
				},
				{
					Name: "nullable", Type: cty.Bool, AtLoad: true, Default: cty.True, Example: cty.False,
					Doc: "Whether the value can be null. With false, null stands for the default, and is an error where there is none.",
				},
			},
			Blocks: []Nested{{Block: Block{
				Kind: "validation", Class: ClassPart,
				Doc: "A rule that the value must follow.",
				Attributes: []Attribute{
					{
						Name: "condition", Type: cty.Bool, Presence: Required, AtLoad: true, Example: cty.True, ExampleText: "cidrnetmask(var.site_cidr) == \"255.255.0.0\"",
						Doc: "An expression over the variable, and others of its module, that is true for a good value. In a module that is called, two variables cannot name each other in their rules: write one rule for both.",
					},
					{
						Name: "error_message", Type: cty.String, Presence: Required, AtLoad: true, Example: cty.StringVal("The site must be a /16."),
						Doc: "What to tell when the condition is false.",
					},
				},
			}}},
		},
		{
			Kind: "locals", Class: ClassMeta, Free: true,
			Doc: "Names for expressions, used as local.<name>. There may be several such blocks.",
		},
		moduleBlock(), outputBlock(),
	}
}

// DataKind is the kind of the block that looks up an object of somebody else:
// data "network" "public".
const DataKind = "data"

// DataBlock returns what can be written in a data block for a kind of resource: the
// attributes that its objects can be found by.
func (b *Block) DataBlock() *Block {
	data := &Block{
		Kind: b.Kind, Class: b.Class, Labels: b.Labels, looked: b,
		Doc: "Looks up an object that this configuration does not manage. Exactly one must match.",
	}
	for _, a := range b.Attributes {
		if a.Lookup {
			a.Presence, a.FromLabel, a.Default, a.Change = Optional, false, cty.NilVal, InPlace
			data.Attributes = append(data.Attributes, a)
		}
	}
	return data
}

// The arguments of the language itself.
const (
	argumentForEach   = "for_each"
	argumentDependsOn = "depends_on"
)

// Arguments returns the attributes that every resource takes besides its own, for the
// language itself.
func Arguments() []Attribute {
	return []Attribute{
		{
			Name: argumentForEach, Type: cty.DynamicPseudoType, AtLoad: true, Example: cty.SetVal([]cty.Value{cty.StringVal("a"), cty.StringVal("b")}),
			ExampleText: `toset(["a", "b"])`,
			Doc:         "Makes one object for each element of a set of strings, or of a map or object; each.key and each.value tell them apart. A name is then required.",
		},
		{
			Name: argumentDependsOn, Type: cty.List(cty.String), Form: FormReferences, ExampleText: "[service.keystone]",
			Doc: "Resources, data, modules, services and nodes that must be ready first, besides those that the attributes refer to. " +
				"One that has for_each stands for all of its objects unless a key follows: node.worker, node.worker[\"a\"]; of nodes those that are disabled are left out then. " +
				"A node is ready once it has its labels and Kubernetes calls it ready.",
		},
	}
}

// Arguments returns those of the language itself that the block takes besides its own attributes.
func (b *Block) Arguments() []Attribute {
	all := Arguments()
	switch {
	case b.Class == ClassNode:
		all = all[:1]
		all[0].Doc = "Stands for one node for each element of a set of strings, or of a map or object; each.key and each.value tell them apart. " +
			"A name is then required, and the addresses are node.<label>[\"<key>\"]."
	case b.looked != nil:
		all[0].Doc = "Looks up one object for each element of a set of strings, or of a map or object; each.key and each.value tell them apart. " +
			"The addresses are data.<kind>.<label>[\"<key>\"]."
		all[1].Doc = "What must be ready before the object is looked up, as for resources."
	case b.Waits:
		all = all[1:]
		all[0].Doc = "What must be ready before the service is deployed, besides the services that it needs: charts and manifests, resources, data, modules, nodes and other services. " +
			"It is uninstalled before they are."
		all[0].ExampleText = "[chart.rook]"
	case b.Kind == outputKind:
		all = all[1:]
		all[0].Doc = "What must be ready before anything that uses the output, besides what its value refers to."
	case b.Class != ClassResource:
		return nil
	}
	return all
}

// Argument returns an argument of the language itself that the block takes, or nil.
func (b *Block) Argument(name string) *Attribute {
	if name != argumentForEach && name != argumentDependsOn {
		return nil // as nearly always
	}
	for _, a := range b.Arguments() {
		if a.Name == name {
			return &a
		}
	}
	return nil
}

// Lifecycle returns the block that every resource takes besides its own.
func Lifecycle() Nested {
	return Nested{Max: 1, Block: Block{
		Kind: "lifecycle", Class: ClassPart,
		Doc: "How the object is treated over time.",
		Attributes: []Attribute{
			{
				Name: "drift", Type: cty.String, AtLoad: true, Allowed: []string{DriftCorrect, DriftReport, DriftIgnore},
				Default: cty.StringVal(DriftCorrect), Example: cty.StringVal(DriftReport),
				Doc: "What to do when somebody changed a written attribute: set it back, only tell, or neither. What cannot be set back blocks the object and what waits for it, unless that is only told or ignored. What somebody deleted is made again, unless that is only told; but an imported object only where correct is written here.",
			},
			{
				Name: "prevent_destroy", Type: cty.Bool, AtLoad: true, Default: cty.False, Example: cty.True,
				Doc: "Refuses every change that would delete the object.",
			},
			{
				Name: "ignore_changes", Type: cty.List(cty.String), Form: FormAttributes, ExampleText: "[description]",
				Doc: "Attributes and inner blocks of this resource, by name and without quotes, or all. The object is created with what is written for them; later differences, whoever made them, change nothing. Not for charts and manifests.",
			},
			{
				Name: "create_before_destroy", Type: cty.Bool, AtLoad: true, Default: cty.False, Example: cty.True,
				Doc: "When the object has to be replaced, the new one is created first; the old one is deleted once everything that refers to it has moved. Not for kinds of which two cannot exist side by side.",
			},
			{
				Name: "replace", Type: cty.Bool, AtLoad: true, Default: cty.False, Example: cty.True,
				Doc: "Agrees to a replacement that loses data or an address, such as the disk of an instance, and to a change in place that loses an address: without, it is blocked, and the plan says what would be lost. Not for charts and manifests.",
			},
			{
				Name: "replace_triggered_by", Type: cty.DynamicPseudoType, Form: FormExpressions, ExampleText: "[project.shop]",
				Doc: "A list in brackets of expressions. The object is replaced when one of their values is another one than when it was made. A whole resource stands for its id. Only digests of the values are kept. A list with another number of expressions is noted and replaces nothing. Where something is lost by that, it needs replace = true as well. Not for charts and manifests.",
			},
		},
	}}
}
