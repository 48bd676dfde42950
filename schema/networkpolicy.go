package schema

import "github.com/zclconf/go-cty/cty"

func qosPolicyBlock() Block {
	direction := Attribute{
		Name: "direction", Type: cty.String, Allowed: []string{"egress", "ingress"}, Default: cty.StringVal("egress"), Example: cty.StringVal("egress"),
		Doc: "Whether it is about packets from the port or to it.",
	}
	rate := &Bounds{0, 1<<31 - 1}
	return Block{
		Kind: "qos_policy", Class: ClassResource, API: "neutron", Labels: resourceLabel("gold"), Rules: markedRules(),
		Doc: "Limits of the traffic of the networks, ports and floating IPs that use it. As long as it has rules that others have added, it stays when its block is taken out.",
		Attributes: []Attribute{
			nameAttribute(InPlace),
			projectAttribute(),
			describedAttribute(),
			{
				Name: "shared", Type: cty.Bool, Example: cty.True, Lookup: true,
				Doc: "Whether every project can use it.",
			},
			{
				Name: "is_default", Type: cty.Bool, Example: cty.True, Lookup: true,
				Doc: "Whether new networks of the project use it unless they say otherwise.",
			},
			{
				Name: "dscp_mark", Type: cty.Number, Bounds: &Bounds{0, 56}, Example: cty.NumberIntVal(26),
				Doc: "The class that packets from the port are marked with, for the switches behind. One that is taken out stays as it is; 0 is the class of packets without a mark.",
			},
			tagsAttribute(),
			idAttribute(FormatID),
		},
		Blocks: []Nested{
			{Keys: []string{"direction"}, Block: Block{
				Kind: "bandwidth_limit", Class: ClassPart,
				Doc: "The most that passes, one for each direction. Those that are taken out are taken away; rules that others have added stay.",
				Attributes: []Attribute{
					direction,
					{
						Name: "max_kbps", Type: cty.Number, Presence: Required, Bounds: rate, Unit: "kbit/s", Example: cty.NumberIntVal(100000),
						Doc: "The rate above which packets are held back or dropped.",
					},
					{
						Name: "max_burst_kbps", Type: cty.Number, Bounds: rate, Unit: "kbit", Example: cty.NumberIntVal(80000),
						Doc: "How much may pass at once; chosen by what limits the port unless written.",
					},
				},
			}},
			{Keys: []string{"direction"}, Block: Block{
				Kind: "minimum_bandwidth", Class: ClassPart,
				Doc: "What always passes, one for each direction. Those that are taken out are taken away; rules that others have added stay.",
				Attributes: []Attribute{
					direction,
					{
						Name: "min_kbps", Type: cty.Number, Presence: Required, Bounds: rate, Unit: "kbit/s", Example: cty.NumberIntVal(10000),
						Doc: "The rate that the scheduler keeps free for the port on the host.",
					},
				},
			}},
		},
	}
}

func rbacPolicyBlock() Block {
	return Block{
		Kind: "rbac_policy", Class: ClassResource, API: "neutron", Labels: resourceLabel("shop"), Rules: rbacPolicyRules(),
		Quota:    &Taking{Counts: "rbac_policies"},
		Unmarked: true,
		Unique:   "Neutron takes the same right only once",
		Doc:      "A right of a project to use an object of Neutron that belongs to another one. It belongs to our own project, and nothing but its target can be changed, which Neutron refuses while somebody uses the right.",
		Attributes: []Attribute{
			{
				Name: "object_type", Type: cty.String, Presence: Required, Change: Replace, Lookup: true, Example: cty.StringVal("network"),
				Allowed: []string{"network", "qos_policy", "security_group", "address_scope", "subnetpool", "address_group"},
				Doc:     "The kind of the object, as Neutron calls it.",
			},
			{
				Name: "object", Type: cty.String, Presence: Required, Change: Replace, Lookup: true, Format: FormatID, ExampleText: "network.web.id",
				Example:    cty.StringVal("d32019d3-bc6e-4319-9c1d-6722fc136a22"),
				Identifies: []string{"network", "qos_policy", "security_group", "address_scope", "subnet_pool"},
				Doc:        "The id of the object.",
			},
			{
				Name: "action", Type: cty.String, Presence: Required, Change: Replace, Lookup: true, Example: cty.StringVal("access_as_shared"),
				Allowed: []string{"access_as_shared", "access_as_external"},
				Doc:     "What the project may do: use it as if it were shared, or, of a network, as an external one.",
			},
			{
				Name: "target", Type: cty.String, Presence: Required, Lookup: true, Example: cty.StringVal("*"), Identifies: []string{"project"},
				Doc: "The id of the project that gets the right, or * for all.",
			},
			idAttribute(FormatID),
		},
	}
}

func rbacPolicyRules() []Rule {
	return []Rule{
		{
			Doc: "Only networks are used as external ones.",
			breaches: func(v values) []Breach {
				action, _ := v.text("action")
				kind, known := v.text("object_type")
				if action != "access_as_external" || !known || kind == "network" {
					return nil
				}
				return []Breach{{Attribute: "action", Says: `must be "access_as_shared", as only networks are external`, Hint: "correct it, or write another object"}}
			},
		},
		{
			Doc: "The target is the id of a project, or *.",
			breaches: func(v values) []Breach {
				target, known := v.text("target")
				if !known || target == "*" || FormatID.Check(target) == nil {
					return nil
				}
				return []Breach{{Attribute: "target", Says: "must be the id of a project, or *", Hint: "write, for example: target = project.shop.id"}}
			},
		},
	}
}
