package schema

import "github.com/zclconf/go-cty/cty"

func portBlock() Block {
	pair := cty.ObjectWithOptionalAttrs(map[string]cty.Type{"ip_address": cty.String, "mac_address": cty.String}, []string{"mac_address"})
	return Block{
		Kind: "port", Class: ClassResource, API: "neutron", Labels: resourceLabel("web"), Rules: markedRules(),
		Quota: &Taking{Counts: "ports"},
		Loses: &Loss{What: "addresses that it has", Kept: "fixed_ip"},
		Doc:   "A port in a network: the addresses and filters of an interface, kept when the instance that uses it goes. What is plugged in is up to others, such as an instance with this port.",
		Attributes: []Attribute{
			nameAttribute(InPlace),
			{
				Name: "network", Type: cty.String, Presence: Required, Change: Replace, Lookup: true,
				Reference: &Reference{Kind: "network", Output: "id"},
				Doc:       "The network that the port is in.",
			},
			projectAttribute(),
			describedAttribute(),
			adminStateAttribute(),
			{
				Name: "mac_address", Type: cty.String, Change: Replace, Format: FormatMAC, Lookup: true, Example: cty.StringVal("fa:16:3e:00:00:01"),
				Sole: "one port of a network at a time has a hardware address", Unless: "the address is what changes",
				Doc: "The hardware address; chosen by Neutron unless written.",
			},
			{
				Name: "security_groups", Type: cty.List(cty.String), Unordered: true, Reference: &Reference{Kind: "security_group", Output: "id"},
				Doc: "The security groups, of which it has no others; the project's default group unless written. Write [] for none, which lets nothing in or out.",
			},
			{
				Name: "port_security", Type: cty.Bool, Example: cty.True,
				Doc: "Whether security groups filter what passes, and packets from other addresses are dropped; as the network says unless written. With false, security_groups must be [].",
			},
			{
				Name: "allowed_address_pairs", Type: cty.List(pair), Unordered: true,
				Fields: map[string]Format{"ip_address": FormatRange, "mac_address": FormatMAC},
				Example: cty.ListVal([]cty.Value{
					cty.ObjectVal(map[string]cty.Value{"ip_address": cty.StringVal("10.1.0.200"), "mac_address": cty.StringVal("fa:16:3e:00:00:02")}),
				}),
				Doc: "Addresses or networks that packets may come from besides the port's own, such as one that moves between instances. The hardware address is the port's own unless written. The port has no others. Taken out of the block, they stay as they are; write [] to have none.",
			},
			{
				Name: "qos_policy", Type: cty.String, Connects: true, Reference: &Reference{Kind: "qos_policy", Output: "id"},
				Doc: "The limits of its traffic; those of the network unless written. Taken out of the block, the one that we have set goes; another one, which others have set since, stays.",
			},
			{
				Name: "binding_vnic_type", Type: cty.String, Change: Replace, Example: cty.StringVal("direct"),
				Allowed: []string{"normal", "direct", "macvtap", "direct-physical", "baremetal", "virtio-forwarder", "smart-nic", "vdpa", "accelerator-direct", "accelerator-direct-physical", "remote-managed"},
				Doc:     "What it is plugged in by; normal unless written.",
			},
			{
				Name: "binding_profile", Type: cty.Map(cty.String), Encodes: true, Example: cty.MapVal(map[string]cty.Value{"physical_network": cty.StringVal("physnet1")}),
				Doc: "What the binding should know: texts, and lists or objects, such as capabilities = [\"switchdev\"] for hardware offload, which show as their JSON. Keys that are taken out are taken away; those that others have added stay. Of a port that an instance has, what Nova writes, such as pci_slot, is up to Nova. Needs an administrator, as does the next.",
			},
			{
				Name: "binding_host", Type: cty.String, Example: cty.StringVal("compute-1"),
				Doc: "The host that the port is on, for one that no instance uses: Nova writes it for those of instances.",
			},
			tagsAttribute(),
			idAttribute(FormatID),
			{Name: "addresses", Type: cty.List(cty.String), Presence: Computed, Among: inSubnets(), Doc: "All its addresses."},
		},
		Blocks: []Nested{{Block: Block{
			Kind: "fixed_ip", Class: ClassPart,
			Doc: "An address in a subnet of the network. When one is written, the port has no others, but those that Neutron gives it of subnets with slaac or dhcpv6-stateless; one address that Neutron chooses unless any is. What takes away an address that the port has needs lifecycle { replace = true }; one more does not.",
			Attributes: []Attribute{
				{
					Name: "subnet", Type: cty.String, Presence: Required, Reference: &Reference{Kind: "subnet", Output: "id"},
					Doc: "The subnet that the address is in.",
				},
				{
					Name: "ip_address", Type: cty.String, Format: FormatIP, Example: cty.StringVal("10.1.0.5"),
					Doc: "The address; chosen by Neutron unless written. In a subnet with slaac or dhcpv6-stateless it follows from the hardware address, and Neutron takes none that is written.",
				},
			},
		}}},
	}
}

func floatingIPBlock() Block {
	return Block{
		Kind: "floating_ip", Class: ClassResource, API: "neutron", Labels: resourceLabel("web"), Rules: append(floatingIPRules(), markedRules()...),
		Quota:  &Taking{Counts: "floating_ips"},
		Loses:  &Loss{What: "its address", Kept: "address"},
		Unique: "an address of a port has one floating IP only",
		Doc:    "An address in an external network that leads to one inside, through the router between the two. When some change places, one of them leads nowhere for a moment.",
		Attributes: []Attribute{
			{
				Name: "floating_network", Type: cty.String, Presence: Required, Change: Replace, Lookup: true,
				Reference: &Reference{Kind: "network", Output: "id"}, ExampleText: "network.public",
				Doc: "The external network that the address is in.",
			},
			{
				Name: "address", Type: cty.String, Change: Replace, Format: FormatIP, Lookup: true, Example: cty.StringVal("192.0.2.10"),
				Doc: "The address; chosen by Neutron unless written, which needs an administrator. Another one than it has needs lifecycle { replace = true }.",
			},
			projectAttribute(),
			describedAttribute(),
			{
				Name: "port", Type: cty.String, Connects: true, Reference: &Reference{Kind: "port", Output: "id"}, Lookup: true,
				Doc: "The port that it leads to. Unless this or instance is written, it is up to others. Taken out of the block, the address leads nowhere any more, unless others have changed that since.",
			},
			{
				Name: "instance", Type: cty.String, Conflicts: "port", Connects: true, Reference: &Reference{Kind: "instance", Output: "id"},
				Doc: "The instance that it leads to, by its only port, or the one that has fixed_ip. Taken out of the block, the address leads nowhere any more, unless others have changed that since.",
			},
			{
				Name: "fixed_ip", Type: cty.String, Format: FormatIP, Example: cty.StringVal("10.1.0.5"),
				Doc: "The address of the port that it leads to; the first of IPv4 unless written.",
			},
			{
				Name: "qos_policy", Type: cty.String, Connects: true, Reference: &Reference{Kind: "qos_policy", Output: "id"},
				Doc: "The limits of what passes through it. Taken out of the block, the one that we have set goes; another one, which others have set since, stays.",
			},
			tagsAttribute(),
			idAttribute(FormatID),
		},
	}
}

// floatingIPRules says what an address inside is of.
func floatingIPRules() []Rule {
	return []Rule{{
		Doc: "fixed_ip is an address of a port, so port or instance is written beside it.",
		breaches: func(v values) []Breach {
			if v.missing("fixed_ip") || !v.missing("port") || !v.missing("instance") {
				return nil
			}
			return []Breach{{Attribute: "fixed_ip", Says: "needs the port that has it", Hint: "write port or instance beside it"}}
		},
	}}
}

func trunkBlock() Block {
	return Block{
		Kind: "trunk", Class: ClassResource, API: "neutron", Labels: resourceLabel("appliance"), Rules: markedRules(),
		Quota:  &Taking{Counts: "trunks"},
		Unique: "a port is the parent of one trunk only",
		Doc: "Several networks on one interface of an instance: what comes from a sub-port reaches it with a tag. " +
			"With Open vSwitch, the firewall that OpenStack-Helm's chart comes with, iptables_hybrid, filters nothing of sub-ports, whatever security groups their ports have; OVN filters them, and so does the firewall openvswitch. " +
			"For that one, a new cloud has conf = { plugins = { openvswitch_agent = { securitygroup = { firewall_driver = \"openvswitch\" } } } } for service \"neutron\". " +
			"On a cloud that runs, instances keep what the old firewall made for them until they are migrated: change it node by node, in profiles, each time once no instance is left on the node.",
		Attributes: []Attribute{
			nameAttribute(InPlace),
			{
				Name: "port", Type: cty.String, Presence: Required, Change: Replace, Lookup: true, Reference: &Reference{Kind: "port", Output: "id"},
				Doc: "The parent port, which the instance has. What passes it has no tag.",
			},
			projectAttribute(),
			describedAttribute(),
			{
				Name: "admin_state_up", Type: cty.Bool, Example: cty.True,
				Doc: "Whether it moves packets. While it is false, sub-ports neither come nor go.",
			},
			tagsAttribute(),
			idAttribute(FormatID),
		},
		Blocks: []Nested{{Keys: []string{"port"}, Block: Block{
			Kind: "sub_port", Class: ClassPart,
			Doc: "A port of another network that is reached through the parent. Those that are taken out are taken away; sub-ports that others have added stay, and the trunk with them.",
			Attributes: []Attribute{
				{
					Name: "port", Type: cty.String, Presence: Required, Reference: &Reference{Kind: "port", Output: "id"},
					Doc: "The port, which nothing else has.",
				},
				{
					Name: "segmentation_type", Type: cty.String, Allowed: []string{"vlan", "inherit"}, Default: cty.StringVal("vlan"), Example: cty.StringVal("vlan"),
					Doc: "How the instance tells the sub-ports apart; inherit takes type and number of the network.",
				},
				{
					Name: "segmentation_id", Type: cty.Number, Bounds: &Bounds{1, 4094}, Example: cty.NumberIntVal(101),
					Doc: "The tag, which no other sub-port of the trunk has.",
				},
			},
			Rules: []Rule{{
				Doc: "segmentation_id is written unless segmentation_type is inherit, and only then.",
				breaches: func(v values) []Breach {
					kind, known := v.text("segmentation_type")
					switch {
					case !known:
					case kind == "inherit" && !v.missing("segmentation_id"):
						return []Breach{{Attribute: "segmentation_id", Says: "cannot be written beside inherit, which takes the number of the network", Hint: "take one of the two away"}}
					case kind != "inherit" && v.missing("segmentation_id"):
						return []Breach{{Attribute: "segmentation_id", Says: "must be written, as it tells the sub-ports apart", Hint: "write a number, such as segmentation_id = 101"}}
					}
					return nil
				},
			}},
		}}},
	}
}
