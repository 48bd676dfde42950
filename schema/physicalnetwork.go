package schema

import "github.com/zclconf/go-cty/cty"

// physicalNetworkBlock has the name that Neutron's own word for it has.
func physicalNetworkBlock() Nested {
	return Nested{Block: Block{
		Kind: "physical_network", Class: ClassPart,
		Doc:    "A network of the data centre that flat networks and VLANs of OpenStack can lie on, such as the one behind floating IPs. It is what provider_physical_network of a network names. With any such block, these are all that there are; without, the charts have one that is called external, on a bridge br-ex without a device.",
		Labels: []Label{{Name: "name", Doc: "The name that networks give as provider_physical_network.", Format: FormatIdentifier, Example: "external"}},
		Attributes: []Attribute{
			{
				Name: "bridge", Type: cty.String, Presence: Required, AtLoad: true, Format: FormatDevice, Example: cty.StringVal("br-ex"),
				Doc: "The bridge of Open vSwitch that stands for it on each node with the role compute or network. It is made when it is missing.",
			},
			{
				Name: "device", Type: cty.String, AtLoad: true, Format: FormatDevice, Conflicts: "devices", Example: cty.StringVal("eth1"),
				Doc: "The network device that is put into the bridge on each node with the role compute or network: by a DaemonSet of ours, whose pods say on which node there is none of this name. " +
					"Refused there is the one that the default route or the node's own address is on, or what that lies on, such as a part of a bond; another's addresses move to the bridge, routes do not. " +
					"Another name takes the old device out of the bridge; without the line, or without the block, what is in the bridge stays there and is for who looks after the nodes.",
			},
			{
				Name: "devices", Type: cty.List(nodeDeviceType()), AtLoad: true, Conflicts: "device",
				Fields: map[string]Format{"device": FormatDevice, "node_labels": FormatLabelValue},
				Example: cty.ListVal([]cty.Value{
					nodeDevice("rack", "a", "eno1"), nodeDevice("rack", "b", "ens3f0"),
				}),
				Doc: "The same where devices are not called alike on all nodes: each entry has the labels of nodes and their device, or no device for nodes that are not connected. " +
					"Each node with the role compute or network has to match exactly one entry. What counts are the labels in its block, and those that its roles give it: openstack-compute-node or openstack-network-node, which are enabled.",
			},
			{
				Name: "flat", Type: cty.Bool, AtLoad: true, Default: cty.True, Example: cty.True,
				Doc: "Whether untagged networks can lie on it.",
			},
			{
				Name: "vlans", Type: cty.List(cty.String), AtLoad: true, Format: FormatVLANs, Unordered: true,
				Example: cty.ListVal([]cty.Value{cty.StringVal("100:199"), cty.StringVal("1000")}),
				Doc:     "The tags that VLANs on it may be given: single ones, and ranges with both ends. None unless written.",
			},
		},
	}}
}

func nodeDeviceType() cty.Type {
	return cty.ObjectWithOptionalAttrs(map[string]cty.Type{"node_labels": cty.Map(cty.String), "device": cty.String}, []string{"device"})
}

func nodeDevice(key, value, device string) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"node_labels": cty.MapVal(map[string]cty.Value{key: cty.StringVal(value)}), "device": cty.StringVal(device)})
}
