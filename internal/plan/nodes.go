package plan

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Nodes are the units of a configuration that label nodes of Kubernetes, by the names of these nodes.
// A block and its node are two things: either can get another name while the other one stays.
type Nodes map[string]addr.Object

// NodesOf finds the units that label nodes.
func NodesOf(units []unit.Unit) Nodes {
	nodes := Nodes{}
	for i := range units {
		if at := units[i].Spec.Locator(); at.Kind == unit.KindNode {
			nodes[at.Name] = units[i].Address
		}
	}
	return nodes
}

// Heir returns the unit that has the node of an entry now, if that is another one than the entry's own:
// the labels are its business from then on.
func (n Nodes) Heir(entry *inventory.Entry) (addr.Object, bool) {
	if entry.Locator.Kind != unit.KindNode {
		return addr.Object{}, false
	}
	heir, ok := n[entry.Locator.Name]
	return heir, ok && heir != entry.Address
}

// leaves returns the node on record that a unit has to take its labels from, as it has another one now;
// "" when there is none, or another unit has it.
func (n Nodes) leaves(u *unit.Unit, entry *inventory.Entry) string {
	if entry.Locator.Kind != unit.KindNode || u.Spec.Locator().Name == entry.Locator.Name {
		return ""
	}
	if _, inherited := n.Heir(entry); inherited {
		return ""
	}
	return entry.Locator.Name
}

// Inherited tells of an entry whose node another unit has now.
func Inherited(entry *inventory.Entry, heir addr.Object) Change {
	return Change{
		Address: entry.Address, Class: entry.Class, Kind: entry.Locator.Kind, Action: unit.ActionForget,
		Reason: "node " + entry.Locator.Name + " belongs to " + heir.String() + " now",
	}
}

// leave makes a replacement of what is to be done about a unit that has another node now: the old one
// loses its labels before the new one gets them.
func (c *Change) leave(target unit.Target) {
	if target.Leaves == "" {
		return
	}
	switch c.Action {
	case unit.ActionNone, unit.ActionAdopt, unit.ActionCreate, unit.ActionUpdate:
		c.Action, c.Drift, c.Continues = unit.ActionReplace, false, false
		c.Reason = "it is another node now"
		c.Fields = []unit.Field{{Path: "name", Before: target.Leaves, After: target.Spec.Locator().Name, Effect: unit.Replace}}
	default: // the new node is not there, or not known: the old one stays as it is until then
	}
}

// keepRecords keeps the record of a node that another unit has now while that one is held back: until it is
// on record there, the old record alone tells that the node's labels are ours. What is held back by this
// may hold back others in turn.
func (p *Plan) keepRecords(in *Input) {
	nodes := NodesOf(in.Units)
	for again := true; again; {
		again = false
		for i := range in.Entries {
			entry := &in.Entries[i]
			heir, inherited := nodes.Heir(entry)
			c, next := p.Change(entry.Address), p.Change(heir)
			if !inherited || c == nil || next == nil || c.Action == unit.ActionForget || held(c) || !held(next) {
				continue
			}
			if taken := entryOf(in.Entries, heir); taken == nil || taken.Locator.Name != entry.Locator.Name {
				c.block(fmt.Sprintf("node %s belongs to %s now, which is held back: first that one takes it over", entry.Locator.Name, heir))
				again = true
			}
		}
	}
}

func held(c *Change) bool { return c.Action == unit.ActionBlocked || c.Action == unit.ActionUnknown }
