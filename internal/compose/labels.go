package compose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// roleLabels are the labels by which OpenStack-Helm's charts choose nodes, by our role. The agents
// of Neutron are moved to network nodes, see agentLabels.
func roleLabels() map[string][]string {
	return map[string][]string{
		schema.RoleControlPlane: {unit.ControlPlaneLabel},
		schema.RoleCompute:      {unit.ComputeLabel, unit.OpenvSwitchLabel},
		schema.RoleNetwork:      {unit.NetworkLabel, unit.OpenvSwitchLabel, unit.GatewayLabel},
	}
}

func (c *composer) nodeLabels(n *model.Node) map[string]string {
	labels := map[string]string{}
	c.groupLabels(n, labels)
	if n.Disabled {
		return labels
	}
	table := roleLabels()
	for _, role := range n.Roles {
		for _, label := range table[role] {
			labels[label] = unit.LabelEnabled
		}
	}
	return labels
}

// labelsOfNode are all that a node gets.
func (c *composer) labelsOfNode(n *model.Node) map[string]string {
	labels := c.nodeLabels(n)
	maps.Copy(labels, n.Labels)
	return labels
}

// ownLabels tells of labels that are somebody else's: ours by the roles and the profile of a node, and those by which
// Kubernetes knows it.
func (c *composer) ownLabels(n *model.Node) {
	ours := append(unit.RoleLabels(), unit.ProfileLabel, unit.SlotLabel)
	for _, key := range slices.Sorted(maps.Keys(n.Labels)) {
		where := cmp.Or(n.LabelsAt.At(key), n.Ranges["labels"], n.Range)
		switch {
		case slices.Contains(ours, key):
			c.fail(codeLabel, where, n.Address, notYours, fmt.Sprintf("the label %s says which roles or profile the node has", key), "write roles or profile")
		case strings.HasPrefix(key, "kupenstack.io/"):
			c.fail(codeLabel, where, n.Address, notYours, fmt.Sprintf("KupenStack keeps labels like %s for itself", key), "write another key")
		case ofKubelet(key):
			c.fail(codeLabel, where, n.Address, notYours, fmt.Sprintf("the label %s is set by Kubernetes, which would set it again", key), "write another key")
		}
	}
}

const notYours = "not a label of yours"

// ofKubelet tells whether Kubernetes sets a label by itself. Most below its domains are for people to set, such as
// node-role.kubernetes.io/worker and node.kubernetes.io/exclude-from-external-load-balancers.
func ofKubelet(key string) bool {
	switch key {
	case "kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch", "node.kubernetes.io/instance-type", "node.kubernetes.io/windows-build":
		return true
	}
	return strings.HasPrefix(key, "beta.kubernetes.io/") || strings.HasPrefix(key, "kubelet.kubernetes.io/")
}

// nodes adds a unit for each node that the configuration speaks of.
func (c *composer) nodes() {
	for i := range c.m.Nodes {
		n := &c.m.Nodes[i]
		if problems := validation.IsValidLabelValue(n.Profile); len(problems) > 0 {
			where := n.Range
			if written, ok := n.Ranges["profile"]; ok {
				where = written
			}
			c.fail(codeProfile, where, n.Address, "the name of the profile cannot be a label",
				fmt.Sprintf("nodes are labelled with the name of their profile, and Kubernetes takes no %q: %s", n.Profile, strings.Join(problems, "; ")), "rename the profile")
		}
		c.ownLabels(n)
		c.add(unit.Unit{
			Address: n.Address, Class: unit.ClassNode, Range: n.Range,
			Spec: &unit.Node{
				Name: n.Name, Labels: c.labelsOfNode(n),
				Roles: slices.Clone(n.Roles), Profile: n.Profile, Disabled: n.Disabled,
				Hosts: !n.Disabled && slices.Contains(n.Roles, schema.RoleCompute),
			},
		})
	}
}
