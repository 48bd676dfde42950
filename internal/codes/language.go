package codes

// language are the codes of what is found in the files themselves.
func language() []area {
	return []area{
		{"config", "Files, blocks and attributes", "What is wrong with the configuration as it is written, before any expression is evaluated.", []Entry{
			{"config.duplicate", "Something is defined twice: a second block of the same kind and name, a second `cloud`, a local or an attribute that is already there. The message names the first place. Rename one of the two, or take it away."},
			{"config.files", "A file or directory cannot be read, there is no `*.hcl` file at the path, or a file is a link, or in JSON. Check `--path`; put the file itself where the link is, as links are not followed; write what is in `*.hcl.json` in HCL's native syntax, the only one that is read."},
			{"config.format", "A warning of `kupenstack-sync fmt`: the canonical layout would change what the file means, so the file stays as it is. That happens to expressions that nobody writes, such as `a.0 .1`. Write them in another way."},
			{"config.label", "A block has a label too many or too few, or one that cannot be part of an address. Labels are made of letters, digits, `_` and `-`, with a letter or `_` in front; the name of the real thing can be written as `name`, where the block has that attribute."},
			{"config.limit", "A file, or the configuration as a whole, is larger or deeper than what is read, or there are so many mistakes that the rest is left out. The message names the limit. Split files, give parts of large expressions names with `locals`, or mend the mistakes that are shown."},
			{"config.missing-attribute", "A block lacks an attribute that it cannot do without. Under `for_each` that includes `name`, and a `data` block needs something to look up by."},
			{"config.missing-block", "A block is missing that has to be there: the `cloud` of the configuration, or one inside another block. Write it; a configuration has exactly one `cloud`."},
			{"config.module", "A module cannot be called, or something stands in it that belongs elsewhere: its source is no directory inside the repository, modules call each other in a circle, there are more of them than can be, or a `cloud`, `profile`, `node` or `import` is in a module or an `output` outside of one. The message says which and what to write."},
			{"config.reference", "What is written is no reference: nothing can be referred to by that name, a name is missing, or there is text without quotes. References look like `network.web`, `data.network.public`, `var.name`, `local.name`, `each.key`."},
			{"config.syntax", "The file is not HCL, or not text in UTF-8. The place that is shown is where the reader gave up: the mistake, often an unclosed bracket or quote, is there or just before it. Blocks that are whole by themselves are checked all the same; whether a reference leads anywhere is told once the file can be read."},
			{"config.unknown-attribute", "A block has no attribute of that name, or an attribute stands outside of any block. Look for a misspelt name; the reference lists what each block has. A name for a value of your own belongs into `locals`."},
			{"config.unknown-block", "There is no block of that kind, or not in this place. Look for a misspelt kind, and for a block that stands one level too deep or too high. A map as a value is written with an equals sign: `conf = { … }`."},
		}},
		{"resolve", "Values and references", "What is wrong with the values of expressions, and with what they refer to.", []Entry{
			{"resolve.conflict", "Two things are written that exclude each other: attributes, such as `cloud` and `secret` in an `openstack` block, or two objects with one name where OpenStack takes a name for one only, as for projects, flavors and key pairs. Keep one of them, or give it another name; an attribute that is null counts as not written."},
			{"resolve.cycle", "References lead in a circle, so that nothing in it can come first; profiles must not build on themselves either. The message shows the circle. Take one of the references away, for example by writing a value instead."},
			{"resolve.expression", "An expression has no value: a function was called with something that it does not take, an index or attribute is not there, an operator does not fit its sides. The message has what the evaluator says. `try` and `can` help where something may be missing."},
			{"resolve.for-each", "`for_each` is given something that a block cannot be repeated for. It takes a set of strings or a map whose keys are known when the configuration is loaded: `toset([…])` makes one of a list."},
			{"resolve.import", "An `import` block cannot take anything over: its address leads to nothing in the configuration, to several objects or to something else than a resource, its id is none or is sensitive, or two blocks contradict each other. Name one object, such as `network.web`, `network.web[\"a\"]` or `module.edge.network.web`, and write the id that OpenStack gave it."},
			{"resolve.interface", "A warning: the cloud has an `exposure`, and `openstack` does not say which endpoints are used, so these are the public ones, at names outside the cluster. Write `interface = \"internal\"` where the daemon cannot reach those, else `interface = \"public\"`."},
			{"resolve.moved", "A `moved` block cannot be followed: what it names is still in the configuration, nothing is at the new address, the two are of different kinds, or several blocks contradict each other or lead in a circle. `from` is the address until now, which must be free, and `to` the one that the configuration has instead."},
			{"resolve.reference", "A reference leads nowhere: there is no such block, instance, attribute, profile or variable in the configuration. Look for a misspelt name. What exists in OpenStack without being managed here is referred to through a `data` block."},
			{"resolve.removed", "A `removed` block contradicts the rest of the configuration: what it names is still there, is moved elsewhere, is named by two blocks, or is a service that does not exist. Take the block of the object itself away, or the `removed` block, or mend the name."},
			{"resolve.scope", "A setting stands where it cannot apply, such as the number of replicas in a profile that only some nodes have. Put it into the cloud's `service` block or the default profile."},
			{"resolve.sealed", "A warning: a file that is encrypted with SOPS could not be opened, as no age identity was given, so that its values are taken for unknown and are not checked. Commands that apply nothing go on; those that do need `--sops-age-key-file`."},
			{"resolve.secret", "The value of a Kubernetes Secret is used where it cannot be: it is read only when something is made from it, so nothing that decides the shape of the whole can depend on it, and a setting of a service takes it as it is or not at all. Use `secret(…)` in attributes of resources, and alone as the value of a key in `conf` or `values`, or in `options` of a `backend`. Attributes that take the name of a Secret, such as `secret` in `volumes` of the block `ceph`, take it as a text."},
			{"resolve.too-large", "The value of an expression, or what it takes to compute it, is far beyond what a configuration needs, so it was stopped; or there are so many mistakes that the rest is left out. Look for text or lists that double again and again, and for nested `for` over large collections. Modules, `for_each` and blocks such as `moved` have limits too, which the message names."},
			{"resolve.unknown", "A value is needed when the configuration is loaded, and is known only after something was created: the key of an instance, a name, a setting of a service. Use a value that is written in the configuration instead."},
			{"resolve.value", "An attribute is given a value that it does not take: of another type, outside of the allowed values or bounds, of another form, null where there must be something, or another kind of object than the one it refers to. The message says what is expected."},
			{"resolve.variable", "A variable is wrong: it has neither a default nor a value, the value has another type or breaks a rule of `validation`, or a value is given for a variable that does not exist. Declarations of variables hold plain values, and rules may use the variable itself only."},
		}},
		{"model", "The cloud as a whole", "What is wrong with values that are right one by one.", []Entry{
			{"model.incomplete", "Something is missing that the cloud as a whole needs. One that deploys services needs `release` and `charts`, and with Cinder a `storage_backend`; one that does not needs an `openstack` block that says how to reach what is there."},
			{"model.node", "Nodes contradict each other or have a role that does not exist. Each Kubernetes node has one block at most, and the roles are those that the reference lists."},
			{"model.not-allowed", "A value of the cloud is none of those that are allowed, such as a network backend that does not exist. The message says what can be written."},
			{"model.service", "A setting makes no sense for this service: the number of replicas of one that runs once on each node, the storage of one that keeps no data, a version of one that follows the release, or a part that it does not have. Take the line away, or correct it."},
			{"model.slot", "Two profiles have the same `slot`, or one has a number that there is not. Nodes are chosen by the slot of their profile, so give each of them its own; the message names one that is free."},
		}},
		{"convert", "YAML that becomes a configuration", "What `kupenstack-sync convert` has to say about the documents that it reads.", []Entry{
			{"convert.assumed", "A warning: the documents do not say something that a configuration needs, such as the release and where the charts are, so a usual value was written. Look at the lines that the message names before anything is deployed."},
			{"convert.conflict", "Two places of the documents contradict each other, such as a field and its older spelling, or profiles that build on each other in a circle. The message says which one was taken. Correct the result if it was the wrong one."},
			{"convert.duplicate", "Something is there twice: a document of the same kind and name, a second cloud, a node, or a key within a mapping. Keep one of them."},
			{"convert.left-out", "A warning: what a document says is no wish but the state of something, is told by other means, or disables what does not run anyway, so it is not part of a configuration. There is nothing to do unless something depended on it."},
			{"convert.limit", "A file, a document or all of them together are larger or deeper than what is read, aliases included, or the result would be. The message names the limit. Convert less at once."},
			{"convert.missing", "A document refers to another one, such as a profile, that is not among those that were given, or there is no document in a file, in a `List` or at all. Give all files of a cloud at once."},
			{"convert.no-home", "A field means something that the language has nothing for, so it is lost. The message says what can be done instead."},
			{"convert.roles", "Nodes lack the roles that the services need, such as `network`, which the documents do not know. Add them to the `node` blocks that were written."},
			{"convert.syntax", "A file is not YAML, not text in UTF-8, or uses keys and aliases in a way that has no meaning. Mend it at the place that is shown, or just before it."},
			{"convert.unknown-field", "The kind of the document has no such field, so it is lost. Look for a misspelt name."},
			{"convert.unknown-kind", "The document is of a kind, or of an API, that cannot be converted, or does not say what it is. Leave it away, or correct `apiVersion` and `kind`."},
			{"convert.value", "A field has a value that it cannot have, or that HCL has nothing for. The message says what is expected."},
		}},
		{"format", "Layout", "What keeps `kupenstack-sync fmt` from formatting a file.", []Entry{
			{"format.file", "A file cannot be read or written, or is a link or something else that is no regular file. It stays as it is. Format the file that the link leads to, or see to the rights."},
			{"format.limit", "There are more files below the directory, or more bytes in them, than are formatted at once. None of them was changed. Name directories further down."},
		}},
	}
}
