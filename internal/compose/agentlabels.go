package compose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// agent is what a chart runs on each of the nodes with some label, which nodes have by their roles.
type agent struct {
	part, label string // the part below labels, and the label that it chooses nodes by
	network     string // with this network_backend; "" for all
}

// agents are those of the charts.
func agents() map[string][]agent {
	return map[string][]agent{
		"libvirt":     {{part: "agent.libvirt", label: unit.ComputeLabel}},
		"nova":        {{part: "agent.compute", label: unit.ComputeLabel}},
		"openvswitch": {{part: "ovs", label: unit.OpenvSwitchLabel}},
		"ovn":         {{part: "ovn_controller", label: unit.OpenvSwitchLabel}},
		"neutron": {
			{part: "ovs", label: unit.OpenvSwitchLabel},
			{part: "agent.dhcp", label: unit.NetworkLabel, network: networkOVS},
			{part: "agent.l3", label: unit.NetworkLabel, network: networkOVS},
			{part: "agent.metadata", label: unit.NetworkLabel, network: networkOVS},
			{part: "netns_cleanup_cron", label: unit.NetworkLabel, network: networkOVS},
		},
	}
}

// tellAgentLabels warns where people have an agent choose nodes by another label than the roles give to these, and no node that
// has the role has the other one by its block.
func (c *composer) tellAgentLabels(s *model.Service, values map[string]any) {
	for _, a := range agents()[s.Name] {
		if a.network != "" && a.network != c.m.Cloud.NetworkBackend {
			continue
		}
		at := "labels." + a.part + ".node_selector_"
		written, key, known := "", a.label, true
		value := unit.LabelEnabled
		for _, one := range []struct {
			path  string
			chose *string
		}{{at + "value", &value}, {at + "key", &key}} {
			if covers(c.written[s.Name], one.path) {
				text, is := comparedText(get(values, one.path))
				written, known, *one.chose = one.path, known && is, cmp.Or(text, *one.chose)
			}
		}
		roles, names, chosen := rolesWith(a.label), []string{}, false
		for i := range c.m.Nodes {
			if n := &c.m.Nodes[i]; !n.Disabled && slices.ContainsFunc(n.Roles, func(role string) bool { return slices.Contains(roles, role) }) {
				names = append(names, n.Name)
				chosen = chosen || c.labelsOfNode(n)[key] == value
			}
		}
		if written == "" || !known || chosen || len(names) == 0 {
			continue
		}
		where, text := c.whereKey(s, s.Settings, steps(written))
		c.failAt(codeUnsafe, where, "no node is chosen",
			fmt.Sprintf("%s of %s is %s, and by the blocks of nodes with the role %s none of them has the label that its pods ask for then: they do not run on %s, which have %s=%s by that role",
				text, s.Name, plainText(get(values, written)), strings.Join(roles, " or "), several(names), a.label, unit.LabelEnabled),
			"take it away, or write the label in labels of these nodes; nothing has to be done where somebody else gives it to them")
		c.diags[len(c.diags)-1].Severity = diag.Warning
	}
}

// rolesWith are the roles whose nodes get a label, sorted.
func rolesWith(label string) []string {
	var roles []string
	for _, role := range schema.Roles() {
		if slices.Contains(roleLabels()[role], label) {
			roles = append(roles, role)
		}
	}
	return roles
}
