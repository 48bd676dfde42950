package plan

import (
	"fmt"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// keepUsed keeps what would have to be replaced while others that exist and stay need it to work:
// deleting it would take them along. What is created before the old one is deleted, they follow, and
// a node that another one takes the place of loses nothing but labels.
func (p *Plan) keepUsed(in *Input) {
	replaced := func(c *Change) bool {
		return c.Action == unit.ActionReplace && !c.CreateFirst && c.Kind != unit.KindNode
	}
	if !p.has(replaced) {
		return
	}
	needs := needsOf(in)
	former := map[addr.Object][]inventory.Former{}
	for i := range in.Entries {
		former[in.Entries[i].Address] = in.Entries[i].Former
	}
	first := map[addr.Object]bool{} // what is to be created first, and would be, were it not for something below it
	for i := range in.Units {
		first[in.Units[i].Address] = in.Units[i].CreateFirst
	}
	for again := true; again; { // what is kept needs others in turn
		again = false
		users := map[addr.Object][]string{}
		for i := range p.Changes {
			c := &p.Changes[i]
			if in.Seen(c.Address).Existence != unit.Present && len(former[c.Address]) == 0 || c.Action.Destroys() && !c.Later {
				continue
			}
			for _, to := range needs[c.Address] {
				users[to] = append(users[to], c.Address.String())
			}
		}
		for i := range p.Changes {
			c := &p.Changes[i]
			if names := users[c.Address]; len(names) > 0 && replaced(c) {
				c.block(fmt.Sprintf("it would have to be replaced, but %s needs it: %s%s", strings.Join(names, ", "), c.beforehand(first[c.Address]), lingering(former[c.Address])))
				again = true
			}
		}
	}
}

// lingering tells of what an object has taken the place of and what is still there: it may be just what is wanted again, where
// a change is taken back.
func lingering(former []inventory.Former) string {
	if len(former) == 0 {
		return ""
	}
	var ids []string
	for _, f := range former {
		ids = append(ids, f.ID)
	}
	return fmt.Sprintf("; what it has taken the place of before is still there (%s), is still to be deleted, and is not taken back", strings.Join(ids, ", "))
}

// beforehand says what to do about something that is needed and would have to be replaced.
func (c *Change) beforehand(first bool) string {
	switch {
	case c.Class != unit.ClassResource:
		return "take that out first"
	case first:
		return "what it is in is deleted first, so that create_before_destroy does not help here alone: write that there as well, or take that out first"
	}
	return "have a new one created first, by lifecycle { create_before_destroy = true } or in a block of its own, or take that out first"
}

// needsOf returns what everything needs ready before it can exist: by the configuration, or for
// what is no longer there by the inventory.
func needsOf(in *Input) map[addr.Object][]addr.Object {
	needs := map[addr.Object][]addr.Object{}
	add := func(a addr.Object, edges []inventory.Edge) {
		needs[a] = []addr.Object{}
		for _, e := range edges {
			if e.Until == unit.Ready {
				needs[a] = append(needs[a], e.To)
			}
		}
	}
	for i := range in.Units {
		add(in.Units[i].Address, inventory.EdgesOf(&in.Units[i]))
	}
	for i := range in.Entries {
		if e := &in.Entries[i]; needs[e.Address] == nil {
			add(e.Address, e.Edges)
		}
	}
	return needs
}
