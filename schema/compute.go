package schema

import "github.com/zclconf/go-cty/cty"

func computeBlocks() []Block { return []Block{flavorBlock(), keypairBlock(), instanceBlock()} }

func flavorBlock() Block {
	return Block{
		Kind: "flavor", Class: ClassResource, Labels: resourceLabel(),
		Doc: "A size of instances. Nova cannot change one: a changed size is a new flavor, and running instances keep the old one.",
		Attributes: []Attribute{
			nameAttribute(Replace),
			{
				Name: "vcpus", Type: cty.Number, Presence: Required, Change: Replace, Bounds: &Bounds{1, 1 << 16}, Example: cty.NumberIntVal(2),
				Doc: "How many virtual processors.",
			},
			{
				Name: "ram", Type: cty.Number, Presence: Required, Change: Replace, Bounds: &Bounds{1, 1 << 31}, Unit: "MiB", Example: cty.NumberIntVal(2048),
				Doc: "How much memory.",
			},
			{
				Name: "disk", Type: cty.Number, Change: Replace, Bounds: &Bounds{0, 1 << 31}, Unit: "GiB", Example: cty.NumberIntVal(20),
				Doc: "The size of the root disk; 0 takes the image's.",
			},
			{
				Name: "ephemeral", Type: cty.Number, Change: Replace, Bounds: &Bounds{0, 1 << 31}, Unit: "GiB", Example: cty.NumberIntVal(10),
				Doc: "The size of a second disk that goes with the instance.",
			},
			{
				Name: "swap", Type: cty.Number, Change: Replace, Bounds: &Bounds{0, 1 << 31}, Unit: "MiB", Example: cty.NumberIntVal(512),
				Doc: "The size of the swap disk.",
			},
			{
				Name: "public", Type: cty.Bool, Change: Replace, Example: cty.True,
				Doc: "Whether every project can use it.",
			},
			{
				Name: "description", Type: cty.String, Example: cty.StringVal("Small web servers"),
				Doc: "A text for people.",
			},
			{
				Name: "extra_specs", Type: cty.Map(cty.String), Example: cty.MapVal(map[string]cty.Value{"hw:cpu_policy": cty.StringVal("dedicated")}),
				Doc: "What the scheduler and the hypervisor should know. Keys that others have added stay.",
			},
			idAttribute(),
		},
	}
}

func keypairBlock() Block {
	return Block{
		Kind: "keypair", Class: ClassResource, Labels: resourceLabel(),
		Doc: "A public SSH key that instances start with. It belongs to our own user, and cannot be changed.",
		Attributes: []Attribute{
			nameAttribute(Replace),
			{
				Name: "public_key", Type: cty.String, Presence: Required, Change: Replace,
				Example: cty.StringVal("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPhqf2bNpLhR9mX4lDxYb0Q4dS9c6GZ8mNn2eQ0W1t5v ops@example.org"),
				Doc:     "The public key in OpenSSH's format.",
			},
			idAttribute(),
			{Name: "fingerprint", Type: cty.String, Presence: Computed, Doc: "The fingerprint of the key."},
		},
	}
}

func instanceBlock() Block {
	return Block{
		Kind: "instance", Class: ClassResource, Labels: resourceLabel(),
		Doc: "A virtual machine of Nova.",
		Attributes: []Attribute{
			nameAttribute(InPlace),
			projectAttribute(),
			{
				Name: "image", Type: cty.String, Presence: Required, Change: Replace, Reference: &Reference{Kind: "image", Output: "id"},
				Example: cty.StringVal("b2c1f6f0-3f5a-4c0f-8b5e-6f0a3d6d2b11"),
				Doc:     "The image of the root disk.",
			},
			{
				Name: "flavor", Type: cty.String, Presence: Required, Change: Refused, Reference: &Reference{Kind: "flavor", Output: "id"},
				Example: cty.StringVal("5f1d9c1e-7d0a-4f5e-9a0e-0d6cf0f6a9b3"),
				Doc:     "The size. A running instance is not resized: give it another label to have a new one.",
			},
			{
				Name: "networks", Type: cty.List(cty.String), Change: Replace, Reference: &Reference{Kind: "network", Output: "id"},
				Example: cty.ListVal([]cty.Value{cty.StringVal("d32019d3-bc6e-4319-9c1d-6722fc136a22")}),
				Doc:     "The networks it has a port in, in the order of its interfaces.",
			},
			{
				Name: "keypair", Type: cty.String, Change: Replace, Reference: &Reference{Kind: "keypair", Output: "name"},
				Example: cty.StringVal("ops"),
				Doc:     "The SSH key that it starts with.",
			},
			{
				Name: "security_groups", Type: cty.List(cty.String), Unordered: true, Reference: &Reference{Kind: "security_group", Output: "id"},
				Example: cty.ListVal([]cty.Value{cty.StringVal("2076db17-a522-4506-91de-c6dd8e837028")}),
				Doc:     "The security groups of its ports; the project's default group unless written.",
			},
			{
				Name: "availability_zone", Type: cty.String, Change: Replace, Example: cty.StringVal("nova"),
				Doc: "Where the scheduler looks for a host.",
			},
			{
				Name: "user_data", Type: cty.String, Change: Replace, Sensitive: true, Example: cty.StringVal("#cloud-config\n"),
				Doc: "What cloud-init runs at the first start. Kept out of plans and reports, as it often holds secrets.",
			},
			{
				Name: "config_drive", Type: cty.Bool, Change: Replace, Example: cty.True,
				Doc: "Whether metadata is also given on a small disk.",
			},
			{
				Name: "metadata", Type: cty.Map(cty.String), Example: cty.MapVal(map[string]cty.Value{"tier": cty.StringVal("web")}),
				Doc: "Keys and values that the instance can read. Keys that others have added stay.",
			},
			{
				Name: "tags", Type: cty.Set(cty.String), Example: cty.SetVal([]cty.Value{cty.StringVal("shop")}),
				Doc: "Tags. Those that others have added stay.",
			},
			idAttribute(),
			{Name: "access_ip", Type: cty.String, Presence: Computed, Doc: "Its first fixed address, of IPv4 where it has one."},
			{Name: "addresses", Type: cty.List(cty.String), Presence: Computed, Doc: "All its fixed addresses, in the order of its interfaces."},
			{Name: "host", Type: cty.String, Presence: Computed, Doc: "The compute host that runs it."},
		},
	}
}
