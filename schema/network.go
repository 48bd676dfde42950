package schema

import "github.com/zclconf/go-cty/cty"

func networkBlocks() []Block {
	return []Block{
		networkBlock(), subnetBlock(), routerBlock(), securityGroupBlock(), portBlock(), floatingIPBlock(),
		trunkBlock(), subnetPoolBlock(), addressScopeBlock(), qosPolicyBlock(), rbacPolicyBlock(),
	}
}

func networkBlock() Block {
	return Block{
		Kind: "network", Class: ClassResource, API: "neutron", Labels: resourceLabel("web"), Rules: append(segmentRules(), markedRules()...),
		Quota: &Taking{Counts: "networks"},
		Doc:   "A network of Neutron: what the ports of instances and routers are connected by. Addresses come from its subnets.",
		Attributes: []Attribute{
			nameAttribute(InPlace),
			projectAttribute(),
			describedAttribute(),
			adminStateAttribute(),
			{
				Name: "mtu", Type: cty.Number, Bounds: &Bounds{68, 65535}, Unit: "bytes", Example: cty.NumberIntVal(1450),
				Doc: "The largest packet that fits. Neutron knows it from how the network is carried; write it when the network underneath can carry less.",
			},
			{
				Name: "shared", Type: cty.Bool, Example: cty.False, Lookup: true,
				Doc: "Whether every project can use it. Needs an administrator.",
			},
			{
				Name: "external", Type: cty.Bool, Example: cty.True, Lookup: true,
				Doc: "Whether it leads out of the cloud, so that routers can have their gateway there. Needs an administrator.",
			},
			{
				Name: "port_security", Type: cty.Bool, Example: cty.True,
				Doc: "Whether its ports are filtered by security groups, and bound to their addresses, unless they say otherwise.",
			},
			{
				Name: "qos_policy", Type: cty.String, Connects: true, Reference: &Reference{Kind: "qos_policy", Output: "id"},
				Doc: "The limits of the traffic of its ports, for those that have none of their own. Taken out of the block, the one that we have set goes; another one, which others have set since, stays.",
			},
			{
				Name: "provider_network_type", Type: cty.String, Change: Replace, Allowed: networkTypes(),
				Example: cty.StringVal("vlan"),
				Doc:     "How the network is carried between nodes; chosen by Neutron unless written. Needs an administrator, as do the two below.",
			},
			{
				Name: "provider_physical_network", Type: cty.String, Change: Replace, Example: cty.StringVal("physnet1"),
				Doc: "The physical network that a flat or vlan network lies on.",
			},
			{
				Name: "provider_segmentation_id", Type: cty.Number, Change: Replace, Bounds: &Bounds{1, 1<<24 - 1}, Example: cty.NumberIntVal(100),
				Sole: "one network at a time has a number on a physical network", Unless: "the number is what changes",
				Doc: "The number of the VLAN or tunnel; chosen by Neutron unless written.",
			},
			segmentsAttribute(),
			tagsAttribute(),
			idAttribute(FormatID),
		},
	}
}

func subnetBlock() Block {
	pool := cty.Object(map[string]cty.Type{"start": cty.String, "end": cty.String})
	route := cty.Object(map[string]cty.Type{"destination": cty.String, "next_hop": cty.String})
	return Block{
		Kind: "subnet", Class: ClassResource, API: "neutron", Labels: resourceLabel("web"),
		Quota: &Taking{Counts: "subnets"},
		Doc:   "A range of addresses in a network.",
		Rules: append(subnetRules(), markedRules()...), NeedsOne: [][]string{{"cidr", "subnet_pool"}},
		Attributes: []Attribute{
			nameAttribute(InPlace),
			{
				Name: "network", Type: cty.String, Presence: Required, Change: Replace, Lookup: true,
				Reference: &Reference{Kind: "network", Output: "id"},
				Doc:       "The network that the addresses are for.",
			},
			{
				Name: "cidr", Type: cty.String, Change: Replace, Format: FormatCIDR, Lookup: true,
				Example: cty.StringVal("10.1.0.0/24"),
				Sole:    "ranges of one network cannot overlap", Unless: "the range or the network is what changes",
				Doc: "The range of addresses. It must not overlap with other subnets of the network. It is chosen from subnet_pool unless written.",
			},
			{
				Name: "subnet_pool", Type: cty.String, Change: Replace, Lookup: true, Reference: &Reference{Kind: "subnet_pool", Output: "id"},
				Doc: "The subnet pool that the range is taken from.",
			},
			{
				Name: "prefix_length", Type: cty.Number, Change: Replace, Conflicts: "cidr", Bounds: &Bounds{1, 128}, Unit: "bits", Example: cty.NumberIntVal(26),
				Doc: "The size of the range that is taken from subnet_pool; what the pool says unless written.",
			},
			projectAttribute(),
			describedAttribute(),
			{
				Name: "gateway_ip", Type: cty.String, Format: FormatIP, Example: cty.StringVal("10.1.0.1"),
				Doc: "The address of the router; the first one of the range unless written. It changes only while no router has it: take the subnet away from the router before, and give it back after.",
			},
			{
				Name: "no_gateway", Type: cty.Bool, Conflicts: "gateway_ip", Example: cty.True,
				Doc: "Leaves the subnet without a gateway, for a network that leads nowhere else.",
			},
			{
				Name: "enable_dhcp", Type: cty.Bool, Example: cty.True,
				Doc: "Whether instances get their address by DHCP; Neutron says yes unless written.",
			},
			{
				Name: "ipv6_address_mode", Type: cty.String, Change: Replace, Allowed: ipv6Modes(), Lookup: true, Apart: true, Example: cty.StringVal("slaac"),
				Doc: "Where ports have their addresses of IPv6 from: they make them themselves of what a router announces (slaac, and dhcpv6-stateless, where DHCP has the rest to tell), or DHCP gives them out (dhcpv6-stateful). " +
					"With the first two, Neutron gives every port of the network an address of the subnet besides what it was asked for, which no block has to write. Nobody's unless written.",
			},
			{
				Name: "ipv6_ra_mode", Type: cty.String, Change: Replace, Allowed: ipv6Modes(), Lookup: true, Apart: true, Example: cty.StringVal("slaac"),
				Doc: "How a router of Neutron announces the subnet. Unless it is written, none does: with ipv6_address_mode alone, a router outside has to, and none of Neutron can be connected; with neither of the two, instances get no address of IPv6 that they use, unless they are told it.",
			},
			{
				Name: "dns_nameservers", Type: cty.List(cty.String), Format: FormatIP, Example: cty.ListVal([]cty.Value{cty.StringVal("192.0.2.53")}),
				Doc: "The name servers that DHCP announces, in order of preference.",
			},
			{
				Name: "allocation_pools", Type: cty.List(pool), Unordered: true, Fields: map[string]Format{"start": FormatIP, "end": FormatIP}, Example: cty.ListVal([]cty.Value{
					cty.ObjectVal(map[string]cty.Value{"start": cty.StringVal("10.1.0.10"), "end": cty.StringVal("10.1.0.99")}),
				}),
				Doc: "The parts of the range that addresses are taken from; all of it but the gateway unless written.",
			},
			{
				Name: "host_routes", Type: cty.List(route), Unordered: true, Fields: map[string]Format{"destination": FormatPrefix, "next_hop": FormatIP}, Example: cty.ListVal([]cty.Value{
					cty.ObjectVal(map[string]cty.Value{"destination": cty.StringVal("10.2.0.0/16"), "next_hop": cty.StringVal("10.1.0.254")}),
				}),
				Doc: "Routes that DHCP announces besides the gateway.",
			},
			tagsAttribute(),
			idAttribute(FormatID),
			{Name: "ip_version", Type: cty.Number, Presence: Computed, Doc: "4 or 6, by the range."},
		},
	}
}

// ipv6Modes are Neutron's (IPV6_MODES in neutron_lib/constants.py).
func ipv6Modes() []string { return []string{slaac, "dhcpv6-stateful", stateless} }

// gatewayRules says what an address outside is of.
func gatewayRules() []Rule {
	return []Rule{{
		Doc: "external_fixed_ip is an address of the gateway, so external_network is written beside it.",
		breaches: func(v values) []Breach {
			if len(v.list("external_fixed_ip")) == 0 || !v.missing("external_network") {
				return nil
			}
			return []Breach{{Attribute: "external_fixed_ip", Says: "needs the network that the address is in", Hint: "write external_network beside it, or take external_fixed_ip away"}}
		},
	}}
}

func routerBlock() Block {
	return Block{
		Kind: "router", Class: ClassResource, API: "neutron", Labels: resourceLabel("edge"), Rules: append(gatewayRules(), markedRules()...),
		Quota:  &Taking{Counts: "routers", Parts: map[string]string{"ports": "subnets"}, Room: true},
		Loses:  &Loss{What: "the address of its gateway", Kept: "external_fixed_ip", Needs: "external_network"},
		Unique: "the address of a subnet's gateway is on one router only",
		Doc:    "A router between subnets, and from them to an external network.",
		Attributes: []Attribute{
			nameAttribute(InPlace),
			projectAttribute(),
			describedAttribute(),
			adminStateAttribute(),
			{
				Name: "external_network", Type: cty.String, Connects: true, Reference: &Reference{Kind: "network", Output: "id"}, ExampleText: "network.public",
				Doc: "The external network that the gateway is in. Without one, the router only connects its subnets. Taken out of the block, the gateway that we have set goes, and its address with it; with another network it is another one, too. Both need lifecycle { replace = true }. One in another network, which others have set since, stays.",
			},
			{
				Name: "enable_snat", Type: cty.Bool, Example: cty.True,
				Doc: "Whether inner addresses are hidden behind the gateway's, so that instances reach the outside without a floating IP.",
			},
			{
				Name: "subnets", Type: cty.List(cty.String), Unordered: true, Joins: true, Reference: &Reference{Kind: "subnet", Output: "id"},
				Doc: "The subnets that the router has an interface in. Taken out of the block, the interfaces that we have added go; those that others have added stay. The subnets of IPv6 of one network share a port of the router, which stays as long as it is in one of them; if somebody else has made that port, the subnets that we have added to it stay as well. No two subnets of a router overlap, those of external_network included.",
			},
			tagsAttribute(),
			idAttribute(FormatID),
		},
		Blocks: []Nested{
			{Block: Block{
				Kind: "external_fixed_ip", Class: ClassPart,
				Doc: "An address of the gateway in the external network. When one is written, the gateway has no others, but those that Neutron gives it of subnets with slaac or dhcpv6-stateless; Neutron chooses unless any is.",
				Attributes: []Attribute{
					{
						Name: "subnet", Type: cty.String, Reference: &Reference{Kind: "subnet", Output: "id"},
						Doc: "The subnet of the external network that the address is in; that of ip_address unless written.",
					},
					{
						Name: "ip_address", Type: cty.String, Format: FormatIP, Example: cty.StringVal("192.0.2.2"),
						Doc: "The address; chosen by Neutron unless written, which needs an administrator.",
					},
				},
				Rules: []Rule{{
					Doc: "At least one of subnet and ip_address is written.",
					breaches: func(v values) []Breach {
						if !v.missing("subnet") || !v.missing("ip_address") {
							return nil
						}
						return []Breach{{Attribute: "ip_address", Says: "or subnet must be written", Hint: "write one of them, or take the block away"}}
					},
				}},
			}},
			{Keys: []string{"destination", "next_hop"}, Block: Block{
				Kind: "route", Class: ClassPart,
				Doc: "A network that is behind another router. Those that are taken out are taken away; routes that others have added stay.",
				Attributes: []Attribute{
					{
						Name: "destination", Type: cty.String, Presence: Required, Format: FormatCIDR, Example: cty.StringVal("10.2.0.0/16"),
						Doc: "The network behind the other router, as its first address and the length of its prefix.",
					},
					{
						Name: "next_hop", Type: cty.String, Presence: Required, Format: FormatIP, Example: cty.StringVal("10.1.0.254"),
						Doc: "The address of the other router, in a subnet of this one.",
					},
				},
			}},
		},
	}
}

func securityGroupBlock() Block {
	return Block{
		Kind: "security_group", Class: ClassResource, API: "neutron", Labels: resourceLabel("web"), Rules: markedRules(),
		Quota: &Taking{Counts: "security_groups", Parts: map[string]string{"security_group_rules": "rule"}, First: firstGroupRules(), Brings: groupOfProject(), Room: true},
		Doc:   "A set of rules about which packets reach the ports that use it.",
		Attributes: []Attribute{
			nameAttribute(InPlace),
			projectAttribute(),
			describedAttribute(),
			{
				Name: "stateful", Type: cty.Bool, Example: cty.True,
				Doc: "Whether answers to what was let out are let in; Neutron says yes unless written, and changes it only while no port uses the group.",
			},
			tagsAttribute(),
			idAttribute(FormatID),
		},
		Blocks: []Nested{{Spells: groupRuleKey, Block: Block{
			Kind: "rule", Class: ClassPart, Rules: append(groupRuleRules(), descriptionRule()),
			Doc: "One rule. A rule cannot be changed in OpenStack: another one takes its place. Those that are taken out are taken away, also where others had added them before they were written; rules that others have added and nobody has written stay, and as long as there are such, so does the group when its block is taken out.",
			Attributes: []Attribute{
				{
					Name: "direction", Type: cty.String, Presence: Required, Allowed: []string{"ingress", "egress"}, Example: cty.StringVal("ingress"),
					Doc: "Whether it is about packets to the port or from it.",
				},
				{
					Name: "ethertype", Type: cty.String, Allowed: []string{"IPv4", "IPv6"}, Default: cty.StringVal("IPv4"), Example: cty.StringVal("IPv4"),
					Doc: "The version of IP that the rule is about.",
				},
				{
					Name: "protocol", Type: cty.String, Allowed: protocols(), Numbers: &Bounds{0, 255}, Example: cty.StringVal("tcp"),
					Doc: "The protocol by name or number; any unless written.",
				},
				{
					Name: "port_min", Type: cty.Number, Bounds: &Bounds{0, 65535}, Example: cty.NumberIntVal(80),
					Doc: "The first port, or the type of ICMP. The same as port_max unless written, and any port when neither is.",
				},
				{
					Name: "port_max", Type: cty.Number, Bounds: &Bounds{0, 65535}, Example: cty.NumberIntVal(80),
					Doc: "The last port, or the code of ICMP. The same as port_min unless written, and any port when neither is.",
				},
				{
					Name: "remote_cidr", Type: cty.String, Conflicts: "self", Format: FormatCIDR, Example: cty.StringVal("192.0.2.0/24"),
					Doc: "The addresses at the other end; any unless written.",
				},
				{
					Name: "remote_group", Type: cty.String, Conflicts: "remote_cidr", Reference: &Reference{Kind: "security_group", Output: "id", Self: "self"},
					Doc: "The security group that the other end must be in, instead of addresses. Of two groups that let each other in only one can refer to the other: its rules have the id of that one as a text, once it is there.",
				},
				{
					Name: "self", Type: cty.Bool, Conflicts: "remote_group", Example: cty.True,
					Doc: "Whether the other end must be in this security group itself, which the rule cannot refer to.",
				},
				{
					Name: "remote_address_group", Type: cty.String, Conflicts: "remote_cidr", Format: FormatID, Example: cty.StringVal("d32019d3-bc6e-4319-9c1d-6722fc136a22"),
					Doc: "The address group of Neutron that has the addresses at the other end, by its id: there is no block for one.",
				},
				{
					Name: "description", Type: cty.String, Format: FormatText, Example: cty.StringVal("HTTP"),
					Doc: "A text for people: what the rule is there for.",
				},
			},
		}}},
	}
}

// protocols are the names that Neutron knows of them (IP_PROTOCOL_MAP in neutron_lib/constants.py). Others go by
// number.
func protocols() []string {
	return []string{
		"tcp", "udp", "icmp", "ipv6-icmp", "icmpv6", "ah", "dccp", "egp", "esp", "gre", "hopopt", "igmp", "ip", "ipip", "ipv6-encap",
		"ipv6-frag", "ipv6-nonxt", "ipv6-opts", "ipv6-route", "ospf", "pgm", "rsvp", "sctp", "udplite", "vrrp",
	}
}
