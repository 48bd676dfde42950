package plan

import (
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// keepPath keeps what we reach OpenStack through while something of ours is in there: Keystone itself,
// something that runs of it and of what it needs, and a node where that has a place.
func (p *Plan) keepPath(in *Input) {
	resources := 0
	for i := range in.Entries {
		if in.Entries[i].Class == unit.ClassResource {
			resources++
		}
	}
	if resources == 0 {
		return
	}
	homeless := p.homeless(in)
	for i := range p.Changes {
		c := &p.Changes[i]
		switch {
		case c.Class == unit.ClassService && c.Address.Name() == keystone && c.Action == unit.ActionDelete:
			c.block(fmt.Sprintf("resources of the inventory can be reached only through it (%d): take them out first", resources))
		case c.Closes != "" && c.Action.Changes():
			c.block(fmt.Sprintf("%s nothing of it would run, and resources of the inventory can be reached only through it (%d): take them out first", c.Closes, resources))
		case homeless && unlabels(in, c, unit.ControlPlaneLabel):
			c.block(fmt.Sprintf("no node of the control plane would be left, and resources of the inventory can be reached only through what runs there (%d): "+
				"take them out first, or give another node the role", resources))
		}
	}
}

// homeless tells whether the APIs are ours, and no node that is there is wanted to be one of the control
// plane.
func (p *Plan) homeless(in *Input) bool {
	return slices.ContainsFunc(in.Entries, func(e inventory.Entry) bool {
		return e.Class == unit.ClassService && e.Address.Name() == keystone
	}) && !slices.ContainsFunc(in.Units, func(u unit.Unit) bool {
		node, ok := u.Spec.(*unit.Node)
		return ok && node.Labels[unit.ControlPlaneLabel] != "" && in.Seen(u.Address).Existence == unit.Present
	})
}

// unlabels tells whether a change takes a label from a node.
func unlabels(in *Input, c *Change, label string) bool {
	if !takesAway(c) {
		return false
	}
	if c.Action.Destroys() {
		return mayHave(in, c, label)
	}
	return slices.ContainsFunc(c.Fields, func(f unit.Field) bool {
		return f.Before != "" && f.After == "" && ofLabel(f, label)
	})
}
