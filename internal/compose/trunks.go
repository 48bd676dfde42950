package compose

import (
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// firewallOfAgents is what enforces security groups on compute nodes with Open vSwitch.
const firewallOfAgents = "conf.plugins.openvswitch_agent.securitygroup.firewall_driver"

// tellTrunks warns of trunks beside the firewall that OpenStack-Helm's chart has with Open vSwitch: it filters on a bridge
// between an instance and the switch, which what comes from sub-ports passes with its tags on. Neutron calls the two
// not compatible. The other firewall cannot just be chosen here: instances that run keep the bridge until they move.
func (c *composer) tellTrunks(s *model.Service, values map[string]any) {
	if s.Name != "neutron" || c.m.Cloud.NetworkBackend != networkOVS || !filtersOnBridges(values) {
		return
	}
	i := slices.IndexFunc(c.m.Resources, func(r model.Resource) bool { return r.Kind == "trunk" && r.Address.Mode() == addr.Managed })
	if i < 0 {
		return
	}
	trunk := &c.m.Resources[i]
	c.fail(codeUnsafe, trunk.Range, trunk.Address, "security groups do not filter sub-ports",
		"the firewall that Neutron's agents have here, iptables_hybrid, does not see what comes from the sub-ports of a trunk: their ports have security groups, and everything passes",
		`before there are instances, write conf = { plugins = { openvswitch_agent = { securitygroup = { firewall_driver = "openvswitch" } } } } for service "neutron"; on a cloud that runs, read what the reference says of trunk first`)
	c.diags[len(c.diags)-1].Severity = diag.Warning
}

// filtersOnBridges tells whether some values of Neutron have that firewall, by its short name or by its class, as the
// chart has it.
func filtersOnBridges(values map[string]any) bool {
	if !covers(values, firewallOfAgents) {
		return true
	}
	driver, _ := get(values, firewallOfAgents).(string)
	return driver == "iptables_hybrid" || strings.HasSuffix(driver, "OVSHybridIptablesFirewallDriver")
}
