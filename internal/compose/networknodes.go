package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// networkPart is what a chart has on nodes with the role network alone.
type networkPart struct {
	name        string
	part, label string // the part below labels, and the label that it chooses nodes by
	toggle      string // among manifests
	without     string // what becomes of the cloud where no node has it
	instead     string // what to write where that is meant
}

// networkParts are those of each service with a network_backend. OVN answers DHCP on each node: what it has on such nodes are its
// databases and the gateways of routers, of which Neutron chooses among no other nodes.
func networkParts(network string) map[string][]networkPart {
	if network == networkOVS {
		return map[string][]networkPart{"neutron": {
			{"the agent of DHCP", "agent.dhcp", unit.NetworkLabel, "daemonset_dhcp_agent", "instances get no addresses by DHCP", "where networks have that from elsewhere, values = { manifests = { daemonset_dhcp_agent = false } } says so"},
			{"the agent of routers", "agent.l3", unit.NetworkLabel, "daemonset_l3_agent", "routers lead nowhere", "where there are to be none, values = { manifests = { daemonset_l3_agent = false } } says so"},
		}}
	}
	parts := []networkPart{{
		"gateways of routers", "ovn_controller_gw", unit.GatewayLabel, "daemonset_ovn_controller", "no router leads out",
		fmt.Sprintf("conf = { ovn_cms_options = %q } has all nodes be gateways", chassisIsGateway+",availability-zones=nova"),
	}}
	for _, part := range []string{"ovn_ovsdb_nb", "ovn_ovsdb_sb"} {
		parts = append(parts, networkPart{part, part, unit.NetworkLabel, "statefulset_" + part, part + " never starts", fmt.Sprintf("labels.%s in values chooses other nodes for it", part)})
	}
	return map[string][]networkPart{"ovn": parts}
}

// chassisIsGateway is the option by which Neutron takes a node for a gateway, and optionsOfChassis is where the chart of OVN takes the
// options of nodes that are none by their label.
const (
	chassisIsGateway = "enable-chassis-as-gw"
	optionsOfChassis = "conf.ovn_cms_options"
)

// tellNoNetworkNode warns where instances run and no node has the role network: DaemonSets without a node are ready, so that nobody
// would hear of it. A cloud may do without what runs there, and others may label nodes as well, so it is no mistake.
func (c *composer) tellNoNetworkNode(s *model.Service, values map[string]any) {
	hosts := c.nodesOfRole(schema.RoleCompute)
	if len(hosts) == 0 || len(c.nodesOfRole(schema.RoleNetwork)) > 0 {
		return
	}
	var names, without, instead []string
	parts := networkParts(c.m.Cloud.NetworkBackend)[s.Name]
	for _, p := range parts {
		if c.somewhere(values, p) {
			continue
		}
		names, without, instead = append(names, p.name), append(without, p.without), append(instead, p.instead)
	}
	if len(names) == 0 {
		return
	}
	detail := fmt.Sprintf("instances run on %s, and no node of the configuration has the role network, where %s has %s: %s", several(hosts), s.Name, list(names), list(without))
	if c.m.Cloud.NetworkBackend == networkOVS {
		detail += "; it becomes ready all the same"
	}
	c.failAt(codeUnsafe, origin{where: s.Range, about: s.Address}, "no node with the role network", detail,
		fmt.Sprintf("write network in roles of one or more nodes; or else %s; nothing has to be done where somebody else labels nodes with %s=%s",
			strings.Join(instead, "; "), parts[len(parts)-1].label, unit.LabelEnabled))
	c.diags[len(c.diags)-1].Severity = diag.Warning
}

// somewhere tells whether a part is on some node by what people write for the chart, or not wanted, or whether only they know.
func (c *composer) somewhere(values map[string]any, p networkPart) bool {
	if toggle := "manifests." + p.toggle; covers(values, toggle) && get(values, toggle) != true {
		return true
	}
	for _, path := range []string{"labels." + p.part + ".node_selector_key", "labels." + p.part + ".node_selector_value"} {
		if _, secret := get(values, path).(hidden); secret {
			return true
		}
	}
	if p.label == unit.GatewayLabel {
		options := get(values, optionsOfChassis)
		if _, secret := options.(hidden); secret || strings.Contains(plainText(options), chassisIsGateway) {
			return true
		}
	}
	return len(c.nodesWith(values, p.part, p.label)) > 0
}

// nodesOfRole are the nodes with a role that take part.
func (c *composer) nodesOfRole(role string) []string {
	var names []string
	for i := range c.m.Nodes {
		if n := &c.m.Nodes[i]; !n.Disabled && slices.Contains(n.Roles, role) {
			names = append(names, n.Name)
		}
	}
	slices.Sort(names)
	return names
}
