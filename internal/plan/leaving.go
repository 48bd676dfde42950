package plan

import (
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Leaving returns the nodes of the role compute from which the plan takes labels or which it gives another slot,
// in a cloud with our Nova, and what each of them leaves. Their compute services are disabled before the instances are
// counted by which the plan is admitted. It is for a plan that is made as if there were none.
func (p *Plan) Leaving() map[string]string { return p.leaving }

// Occupied returns those nodes that have to wait for the instances on them.
func (p *Plan) Occupied() []string { return p.occupiedNodes }

// KnownNodes returns the names of the nodes that the configuration or the record has.
func (in *Input) KnownNodes() []string {
	var names []string
	for name := range NodesOf(in.Units) {
		names = append(names, name)
	}
	for i := range in.Entries {
		if at := in.Entries[i].Locator; at.Kind == unit.KindNode {
			names = append(names, at.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// findLeaving finds the nodes that leave. What is suspended stays as it is.
func (p *Plan) findLeaving(in *Input) map[string]string {
	if !hosting(in) || novaGoes(in) {
		return nil
	}
	names, leaving := namesOf(in.Units), map[string]string{}
	for i := range p.Changes {
		c := &p.Changes[i]
		if (takesAway(c) || givesSlot(c)) && mayHave(in, c, unit.ComputeLabel) && Suspended(in.Suspensions, in.Moves, c.Address) == nil {
			leaving[nodeOf(in.Entries, names, c)] = c.leaves()
		}
	}
	return leaving
}

// leaves says what a node leaves by a change.
func (c *Change) leaves() string {
	if c.Action.Destroys() {
		return "leaves the cloud"
	}
	i := slices.IndexFunc(c.Fields, ofSlot)
	switch {
	case i < 0:
		return "loses a role"
	case c.Fields[i].Before == "":
		return "gets slot " + c.Fields[i].After
	default:
		return "leaves slot " + c.Fields[i].Before
	}
}

// namesOf are the names of the nodes that units label.
func namesOf(units []unit.Unit) map[addr.Object]string {
	names := map[addr.Object]string{}
	for name, a := range NodesOf(units) {
		names[a] = name
	}
	return names
}

// nodeOf names the node that a change takes labels from, or gives other ones.
func nodeOf(entries []inventory.Entry, names map[addr.Object]string, c *Change) string {
	if e := entryOf(entries, c.Address); e != nil && c.Action.Destroys() {
		return e.Locator.Name // it is the node on record that loses its labels
	}
	return names[c.Address]
}

// closesFirst says in the plan that the compute service of a node is disabled before its labels change.
func (c *Change) closesFirst(in *Input, name string) {
	if _, leaves := in.Hosts.Leaving[name]; !leaves || !c.Action.Changes() {
		return
	}
	if c.Cost != "" {
		c.Cost += "; "
	}
	c.Cost += fmt.Sprintf("the compute service on %s is disabled first", name)
}

// meanwhile says what becomes of the compute service of a node that waits for its instances.
func (in *Input) meanwhile(name string) string {
	switch err, leaves := in.Hosts.Leaving[name]; {
	case !leaves:
		return ""
	case err != nil:
		return fmt.Sprintf("; its compute service could not be disabled, so that others may come: %v", err)
	default:
		return "; its compute service is disabled until then"
	}
}
