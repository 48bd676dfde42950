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
	needs := needsOf(in)
	former := map[addr.Object]bool{}
	for i := range in.Entries {
		former[in.Entries[i].Address] = len(in.Entries[i].Former) > 0
	}
	for again := true; again; { // what is kept needs others in turn
		again = false
		users := map[addr.Object][]string{}
		for i := range p.Changes {
			c := &p.Changes[i]
			if in.Seen(c.Address).Existence != unit.Present && !former[c.Address] || c.Action.Destroys() && !c.Later {
				continue
			}
			for _, to := range needs[c.Address] {
				users[to] = append(users[to], c.Address.String())
			}
		}
		for i := range p.Changes {
			c := &p.Changes[i]
			if names := users[c.Address]; c.Action == unit.ActionReplace && len(names) > 0 && !c.CreateFirst && c.Kind != unit.KindNode {
				c.block(fmt.Sprintf("it would have to be replaced, but %s needs it: take that out first", strings.Join(names, ", ")))
				again = true
			}
		}
	}
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
