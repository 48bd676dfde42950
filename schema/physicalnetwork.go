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
				Name: "device", Type: cty.String, AtLoad: true, Format: FormatDevice, Example: cty.StringVal("eth1"),
				Doc: "The network device that is put into the bridge, on nodes that have one of this name. Addresses that it has move to the bridge, so give none that the node is reached by: not the one of the default route. Without it, who looks after the nodes connects the bridge. With network_backend ovs, nodes whose device is called otherwise get a profile with a slot and conf = { auto_bridge_add = { br-ex = \"eth7\" } } for neutron.",
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
