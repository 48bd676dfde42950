package mistakes

// Places returns the rows of the table.
func Places() []Place {
	return []Place{
		{"file", "a file as a whole", "unknown misspelt missing scope collision syntax size path"},
		{"cloud", "the block of the cloud", "unknown misspelt missing type value scope collision reference kind sensitive early"},
		{"charts", "its charts", "missing value path"},
		{"openstack", "its openstack block", "unknown misspelt type value twice conflict"},
		{"service", "a service of the cloud", "unknown misspelt missing type value scope twice"},
		{"settings", "conf and values of a service", "misspelt type sensitive early conflict function"},
		{"profile", "a profile", "unknown misspelt missing type value scope twice collision reference cycle"},
		{"node", "a node", "unknown misspelt missing type value scope collision reference function foreach"},
		{"network", "a network", "unknown misspelt missing type value scope twice reference cycle early syntax size foreach function"},
		{"subnet", "a subnet", "unknown misspelt missing type value reference output kind conflict foreach function"},
		{"router", "a router", "type reference kind foreach"},
		{"security_group", "a security group and its rules", "unknown misspelt missing type value reference cycle conflict"},
		{"flavor", "a flavor", "unknown misspelt missing type value sensitive"},
		{"keypair", "a key pair", "missing value scope path"},
		{"image", "an image", "misspelt value path"},
		{"instance", "an instance", "misspelt missing value scope output kind sensitive"},
		{"project", "a project", "misspelt type value scope syntax"},
		{"data", "a lookup", "unknown misspelt missing value collision reference output syntax foreach"},
		{"variable", "a variable", "unknown misspelt missing type scope collision reference kind"},
		{"validation", "a rule of a variable", "missing type value reference sensitive function"},
		{"locals", "locals", "unknown misspelt type scope twice reference output cycle syntax size function"},
		{"output", "an output of a module", "misspelt missing scope collision reference"},
		{"call", "the call of a module", "unknown misspelt missing type value scope collision reference output cycle syntax foreach path"},
		{"module", "what is in a module", "misspelt missing scope reference output path"},
		{"dynamic", "a dynamic block", "unknown misspelt missing value scope output kind sensitive early size foreach"},
		{"lifecycle", "the lifecycle of a resource", "unknown misspelt type value scope twice reference output early conflict"},
		{"depends_on", "a list of what to wait for", "misspelt missing type reference output kind cycle syntax foreach"},
		{"hclvars", "a file with values of variables", "misspelt type value scope twice reference sensitive syntax function"},
		{"command-line", "--var and --var-file", "unknown misspelt type value sensitive syntax path"},
		{"template", "a file that is a template", "misspelt missing type output cycle syntax function path"},
		{"document", "a file of JSON or YAML that is decoded", "type value output syntax size path"},
		{"convert", "a document for convert", "unknown misspelt missing type value scope twice collision reference cycle syntax size conflict"},
	}
}
