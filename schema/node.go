package schema

import "github.com/zclconf/go-cty/cty"

// The roles of a node.
const (
	RoleControlPlane = "control-plane"
	RoleCompute      = "compute"
	RoleNetwork      = "network"
)

// Roles lists what a node can be used for.
func Roles() []string { return []string{RoleControlPlane, RoleCompute, RoleNetwork} }

func nodeBlocks() []Block {
	return []Block{{
		Kind: "node", Class: ClassNode,
		Doc:    "A Kubernetes node and what it is used for. A node without a block is left alone.",
		Labels: []Label{{Name: "label", Doc: "The name in addresses, and the node's name in Kubernetes unless one is written.", Format: FormatIdentifier, Example: "worker-7"}},
		Attributes: []Attribute{
			{
				Name: "name", Type: cty.String, AtLoad: true, FromLabel: true, Format: FormatDNSName,
				Example: cty.StringVal("ip-10-0-0-1.example.internal"),
				Doc:     "The name of the node in Kubernetes. A name with dots in it has to be written, as no label has any.",
			},
			{
				Name: "roles", Type: cty.Set(cty.String), AtLoad: true, Allowed: Roles(),
				Example: cty.SetVal([]cty.Value{cty.StringVal(RoleCompute)}),
				Doc:     "What runs on the node: the APIs and their databases, instances, or the routers and DHCP servers of networks, of OVN its databases and the gateways of routers. A cloud with instances and without a node for the last is warned of.",
			},
			{
				Name: "profile", Type: cty.String, AtLoad: true, Reference: &Reference{Kind: "profile", Output: "name"},
				Doc: "The profile whose settings this node adds to those of the cloud's default profile.",
			},
			{
				Name: "labels", Type: cty.Map(cty.String), AtLoad: true, Format: FormatLabelValue, Example: cty.MapVal(map[string]cty.Value{"rack": cty.StringVal("a")}),
				Doc: "Labels that the node gets in Kubernetes besides those of its roles, and by which devices of a physical_network chooses nodes. A label that is taken away here is taken off the node.",
			},
			{
				Name: "disabled", Type: cty.Bool, AtLoad: true, Default: cty.False, Example: cty.False,
				Doc: "Takes the node out of the cloud. Refused while it hosts instances.",
			},
		},
	}}
}
