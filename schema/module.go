package schema

import "github.com/zclconf/go-cty/cty"

// ModuleKind is the kind of the block that calls a module, and the word that begins the addresses
// of what is inside.
const ModuleKind = "module"

func moduleBlock() Block {
	return Block{
		Kind: ModuleKind, Class: ClassMeta, Free: true,
		Doc: "Takes the files of another directory of this repository as a part of this configuration. " +
			"Its variables are given as further attributes, and its outputs are used as module.<name>.<output>. " +
			"Modules can be nested sixteen deep, and a configuration can have 1000 instances of modules.",
		Labels: []Label{{Name: "name", Doc: "The name of the call: module.<name>.", Format: FormatIdentifier}},
		Attributes: []Attribute{
			{
				Name: "source", Type: cty.String, Presence: Required, Form: FormLiteral, Example: cty.StringVal("./modules/edge"),
				Doc: "The directory, as a path that begins with ./ or ../ at the directory of the calling module. It cannot leave the repository. " +
					"All files below it are the module, without those below the source of another call.",
			},
			{
				Name: "for_each", Type: cty.DynamicPseudoType, AtLoad: true, Example: cty.SetVal([]cty.Value{cty.StringVal("fra"), cty.StringVal("ber")}),
				ExampleText: `toset(["fra", "ber"])`,
				Doc: "Makes one instance of the module for each element of a set of strings, or of a map or object: module.<name>[\"<key>\"]. " +
					"Every resource inside then needs a name.",
			},
			{
				Name: "depends_on", Type: cty.List(cty.String), Form: FormReferences, ExampleText: "[service.keystone]",
				Doc: "Resources, data, modules, services and nodes that must be ready before anything inside. One that has for_each stands for all of its objects unless a key follows.",
			},
		},
	}
}

const outputKind = "output"

func outputBlock() Block {
	return Block{
		Kind: outputKind, Class: ClassMeta,
		Doc:    "A value that a module hands to its caller. At the root of a configuration there is nobody to read it.",
		Labels: []Label{{Name: "name", Doc: "The output's name: module.<call>.<name>.", Format: FormatIdentifier}},
		Attributes: []Attribute{
			{
				Name: "value", Type: cty.DynamicPseudoType, Presence: Required, Example: cty.StringVal("10.0.0.0/8"),
				Doc: "The value. It may depend on resources that do not exist yet.",
			},
			{
				Name: "description", Type: cty.String, AtLoad: true, Example: cty.StringVal("The network of this site."),
				Doc: "What the output is for.",
			},
			{
				Name: "sensitive", Type: cty.Bool, AtLoad: true, Default: cty.False, Example: cty.True,
				Doc: "Keeps the value, and everything made from it, out of plans, reports and logs. A value made from something sensitive is so anyway.",
			},
		},
	}
}
