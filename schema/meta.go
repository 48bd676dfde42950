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
			Doc:    "A value that is given from outside when the configuration is loaded.",
			Labels: []Label{{Name: "name", Doc: "The variable's name: var.<name>.", Format: FormatIdentifier}},
			Attributes: []Attribute{
				{
					Name: "type", Type: cty.DynamicPseudoType, Form: FormType, Example: cty.StringVal("list(string)"),
					Doc: "The type that the value is converted to, such as string, number, bool, list(string), map(number) or object({ name = string }).",
				},
				{
					Name: "default", Type: cty.DynamicPseudoType, AtLoad: true, Example: cty.StringVal("10.0.0.0/8"),
					Doc: "The value when none is given. A variable without default must be given one.",
				},
				{
					Name: "description", Type: cty.String, AtLoad: true, Example: cty.StringVal("The address range of this site."),
					Doc: "What the variable is for.",
				},
				{
					Name: "sensitive", Type: cty.Bool, AtLoad: true, Default: cty.False, Example: cty.True,
					Doc: "Keeps the value, and everything made from it, out of plans, reports and logs.",
				},
			},
			Blocks: []Nested{{Block: Block{
				Kind: "validation", Class: ClassPart,
				Doc: "A rule that the value must follow.",
				Attributes: []Attribute{
					{
						Name: "condition", Type: cty.Bool, Presence: Required, AtLoad: true, Example: cty.True,
						Doc: "An expression over the variable that is true for a good value.",
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
	}
}

// DataKind is the kind of the block that looks up an object of somebody else:
// data "network" "public".
const DataKind = "data"

// DataBlock returns what can be written in a data block for a kind of resource: the
// attributes that its objects can be found by.
func (b *Block) DataBlock() *Block {
	data := &Block{
		Kind: b.Kind, Class: b.Class, Labels: b.Labels,
		Doc: "Looks up an object that this configuration does not manage. Exactly one must match.",
	}
	for _, a := range b.Attributes {
		if a.Lookup {
			a.Presence, a.FromLabel, a.Default = Optional, false, cty.NilVal
			data.Attributes = append(data.Attributes, a)
		}
	}
	return data
}

// Arguments returns the attributes that every resource takes besides its own, for the
// language itself.
func Arguments() []Attribute {
	return []Attribute{
		{
			Name: "for_each", Type: cty.DynamicPseudoType, AtLoad: true, Example: cty.SetVal([]cty.Value{cty.StringVal("a"), cty.StringVal("b")}),
			Doc: "Makes one object for each element of a set of strings, or of a map or object; each.key and each.value tell them apart. A name is then required.",
		},
		{
			Name: "depends_on", Type: cty.List(cty.String), Form: FormReferences, Example: cty.NullVal(cty.List(cty.String)),
			Doc: "Resources and services that must be ready first, besides those that the attributes refer to.",
		},
	}
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
				Doc: "What to do when somebody changed a written attribute: set it back, only tell, or neither.",
			},
			{
				Name: "prevent_destroy", Type: cty.Bool, AtLoad: true, Default: cty.False, Example: cty.True,
				Doc: "Refuses every change that would delete the object.",
			},
		},
	}}
}
