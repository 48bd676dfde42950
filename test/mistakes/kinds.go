package mistakes

// Groups of places that share their reasons.
const (
	// resources are the blocks that become objects of OpenStack.
	resources = "network subnet router security_group flavor keypair image instance project"
	// parts have no name of their own, so nothing can refer to them.
	parts = "charts openstack settings validation dynamic lifecycle depends_on"
	// loose are no blocks: values from outside, and texts in other files.
	loose = "hclvars command-line template document"
)

// Kinds returns the columns of the table.
func Kinds() []Kind {
	return []Kind{
		{"unknown", "a name that there is not, and none that is like it", []Reason{
			{"settings document", "Every key may be there: the one who reads the document decides, or the chart, which the plan holds the keys against."},
			{"hclvars command-line template depends_on", "as hclvars/misspelt: a name is looked up among those that there are, and the nearest one is offered or none is."},
			{"module", "as file/unknown: a block in a module is read as one at the root."},
			{"", "as network/unknown: the attributes of every block are looked up in the schema by the same check."},
		}},
		{"misspelt", "a name that is nearly one that there is", []Reason{
			{"charts service profile node router keypair data validation", "as network/misspelt: the attributes of every block are looked up in the schema by the same check."},
			{"document", "as document/output: a key that is misspelt is one that the document does not have."},
		}},
		{"missing", "something that is required is not there", []Reason{
			{"router project image", "as network/missing: nothing in it is required, but for a name under for_each."},
			{"openstack locals lifecycle settings", "Nothing in it is required."},
			{"hclvars command-line", "as variable/missing: a value that is given nowhere is told at the variable."},
			{"document", "as document/path: a document that is missing is a file that is not there."},
		}},
		{"type", "a text for a number, one thing for a list", []Reason{
			{"file", "At the top of a file are blocks, which have no value."},
			{"dynamic", "as dynamic/foreach: the value of for_each is what can be of a wrong type; the content is that of a block."},
			{"charts router keypair image instance data module output", "as network/type: the value of every attribute is converted to its type by the same check."},
		}},
		{"value", "a value of the right type that is not allowed, or out of range", []Reason{
			{"file", "At the top of a file are blocks, which have no value."},
			{"settings locals output module depends_on", "Any value may stand there."},
			{"router", "as network/value: the value of every attribute is compared with its bounds and its format by the same check."},
			{"variable", "as validation/value: what a variable allows is what its rules say."},
			{"template", "A template makes a text, and any text is one."},
		}},
		{"scope", "something that has its place elsewhere", []Reason{
			{"charts openstack settings variable validation", "as cloud/scope: what belongs into another block is told by the same check."},
			{"subnet router security_group flavor image data", "as network/scope: attributes that OpenStack decides are refused by the same check."},
			{"depends_on", "as depends_on/kind: what cannot be waited for is told by the same check."},
			{"command-line template document", "It holds values and texts, which have no place of their own."},
		}},
		{"twice", "the same is written twice in one place", []Reason{
			{"file module", "as file/collision: blocks with the same name are told by the same check."},
			{"cloud charts settings node data variable validation output dynamic call " + resources, "as network/twice: the parser tells of an attribute that is there twice."},
			{"depends_on", "Waiting for something twice is waiting for it."},
			{"command-line", "Of two values the last one counts, as scripts that add to a command line rely on."},
			{"template document", "A key that is there twice is allowed in JSON, where the last one counts; a template has none."},
		}},
		{"collision", "two things have the same name", []Reason{
			{parts, "It has no name of its own."},
			{loose, "It has no name of its own."},
			{"service", "as service/twice: the name of a service is what makes two blocks the same."},
			{"locals", "as locals/twice: the name of a local is what makes two the same."},
			{"module " + resources, "as file/collision: blocks with the same name are told by the same check."},
		}},
		{"reference", "a reference to something that is not there", []Reason{
			{"file", "At the top of a file are blocks, which refer to nothing."},
			{"charts openstack service settings variable dynamic flavor keypair image instance project", "as subnet/reference: every reference is looked up by the same check."},
			{"command-line", "as hclvars/reference: a value from outside refers to nothing, wherever it comes from."},
			{"template", "as template/misspelt: a template sees nothing but the values that it is given."},
			{"document", "A document refers to nothing."},
		}},
		{"output", "a reference to an attribute or output that is not there", []Reason{
			{"file", "At the top of a file are blocks, which refer to nothing."},
			{"variable validation hclvars command-line convert", "It refers to no attributes of others."},
			{"profile node cloud charts openstack service settings network router security_group flavor keypair image project output", "as subnet/output: the attribute after every reference is looked up by the same check."},
		}},
		{"kind", "a reference to a thing of the wrong kind, or the wrong kind of thing", []Reason{
			{"profile node network security_group image data", "as subnet/kind: what a reference leads to is compared with the schema by the same check."},
			{"convert", "as convert/unknown: another kind of document is one that is not converted."},
			{"call module", "as subnet/kind: what a module is given is used by its blocks, and told there."},
			{"", "It refers to no blocks of a certain kind."},
		}},
		{"cycle", "things that need each other", []Reason{
			{"file", "At the top of a file are blocks, which need nothing."},
			{"subnet router flavor keypair image instance project data output lifecycle dynamic module", "as network/cycle: everything that can be referred to is put in order by the same check."},
			{"node cloud charts openstack service settings", "No expression can refer to it."},
			{"variable validation hclvars command-line document", "It refers to nothing."},
		}},
		{"sensitive", "a secret where everybody sees it, or in a message", []Reason{
			{"openstack charts service node", "as cloud/sensitive: a value is quoted nowhere once it is made from a secret."},
			{"document template", "as instance/sensitive: what is made from a secret is one."},
			{"variable", "as hclvars/sensitive: the value of a variable is told by the same check, wherever it comes from."},
			{"file depends_on profile", "It holds no values that could be secret."},
			{"convert", "Values that may be secret are never quoted from documents; the tests of the package look for them."},
			{"", "as instance/sensitive: secrets may stand in every attribute, and what is wrong with them is told without quoting them."},
		}},
		{"early", "a value that is decided by OpenStack, where it has to be known before", []Reason{
			{"charts openstack service profile node", "as cloud/early: what has to be known when the configuration is loaded is told by the same check."},
			{"call", "as network/early: for_each of every block is told by the same check."},
			{"hclvars command-line variable validation", "It refers to nothing that OpenStack decides."},
			{"depends_on file convert", "No value of it is evaluated."},
			{"", "What OpenStack decides may be used there."},
		}},
		{"syntax", "something that cannot be read", []Reason{
			{"", "as file/syntax: all files are read by the same parser."},
		}},
		{"size", "far more, or deeper, than what anyone needs", []Reason{
			{"hclvars", "as file/size: files with values are read behind the same bounds."},
			{"command-line template", "as file/size: texts are read behind the same bounds."},
			{"lifecycle depends_on validation", "as locals/size: every expression is evaluated within the same bounds."},
			{"cloud charts openstack", "There is one of it."},
			{"", "as locals/size: every expression is evaluated within the same bounds."},
		}},
		{"conflict", "two things that exclude each other", []Reason{
			{"", "Nothing in it excludes anything else."},
		}},
		{"foreach", "for_each over something that it cannot be over, or a key that is not there", []Reason{
			{"security_group flavor keypair image instance project", "as network/foreach: for_each of every block is told by the same check."},
			{"module", "as network/foreach: for_each of every block is told by the same check."},
			{"", "It cannot be repeated."},
		}},
		{"function", "a function with arguments that it does not take, or one that there is not", []Reason{
			{"file depends_on convert", "No expression stands there."},
			{"command-line", "as hclvars/function: a value from outside is written as it is, wherever it comes from."},
			{"document", "No function is called from a document."},
			{"", "as locals/function: all expressions are evaluated with the same functions."},
		}},
		{"path", "a file or directory that is not there, or outside of the repository", []Reason{
			{"hclvars", "as command-line/path: files with values are named on the command line, or found."},
			{"convert", "Files are opened by the command, which tells what the system says."},
			{"depends_on", "No expression stands there."},
			{"", "as keypair/path: files are read by functions, which are the same in all expressions."},
		}},
	}
}
