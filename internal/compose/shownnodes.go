package compose

import (
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// StatusUnmanaged is what an OpenstackNode says of a node without a block. How one with a block stands
// does not follow from the configuration: whoever runs the units shows it.
const StatusUnmanaged = "Unmanaged"

// nodeObjects are the OpenstackNodes: one for each node of the cluster, and for each node block.
func (c *composer) nodeObjects() []map[string]any {
	if c.facts.Nodes != nil {
		c.there = map[string]bool{}
		for _, name := range c.facts.Nodes {
			c.there[name] = true
		}
	}
	blocks := map[string]*model.Node{}
	names := slices.Clone(c.facts.Nodes)
	for i := range c.m.Nodes {
		blocks[c.m.Nodes[i].Name] = &c.m.Nodes[i]
		names = append(names, c.m.Nodes[i].Name)
	}
	slices.Sort(names)
	var objects []map[string]any
	for _, name := range slices.Compact(names) {
		objects = append(objects, c.nodeObject(name, blocks[name]))
	}
	return objects
}

// nodeObject has the roles a second time, in one line: kubectl prints a list in a column as JSON.
func (c *composer) nodeObject(name string, n *model.Node) map[string]any {
	spec := map[string]any{"roles": []any{}, "disabled": false}
	status := map[string]any{"status": StatusUnmanaged, "desiredNodeConfiguration": map[string]any{}}
	if n != nil {
		roles := []any{}
		for _, role := range n.Roles {
			roles = append(roles, role)
		}
		spec["roles"], spec["disabled"] = roles, n.Disabled
		if n.Profile != "" {
			spec["profile"] = n.Profile
		}
		status = map[string]any{"desiredNodeConfiguration": c.nodeConfiguration(n)}
		if len(n.Roles) > 0 {
			status["roles"] = strings.Join(n.Roles, ",")
		}
	}
	object := shownObject(unit.KindShownNode, name, spec)
	object["status"] = status
	return object
}
