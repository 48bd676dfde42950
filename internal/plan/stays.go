package plan

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Keeps tells whether what an entry stands for stays though nothing wants it any more; disabled as for [Departed].
func Keeps(entry *inventory.Entry, removals Removals, disabled bool) bool {
	return entry.Stays && !disabled && !removals.Names(entry.Address)
}

// NeededByKept tells whether something must be there as long as what stays is. That needs the service that keeps it,
// but none of those that keep limits of it: they go with what is limited.
func NeededByKept(language *schema.Definition, entry *inventory.Entry, to addr.Object) bool {
	return to.Kind() != "service" || to.Name() == language.ServiceOf(entry.Locator.Kind)
}

// keepNeeded keeps what something needs that stays: to wait until that is gone would be to wait for ever.
func (p *Plan) keepNeeded(in *Input) {
	if !p.has(func(c *Change) bool { return c.Action == unit.ActionDelete }) {
		return
	}
	wanted := map[addr.Object]bool{}
	for i := range in.Units {
		wanted[in.Units[i].Address] = true
	}
	users := map[addr.Object]addr.Object{}
	for i := range in.Entries {
		e := &in.Entries[i]
		if c := p.Change(e.Address); wanted[e.Address] || !Keeps(e, in.Removals, in.Removed[e.Address]) || c == nil || c.Action == unit.ActionForget {
			continue
		}
		for _, edge := range e.Edges {
			if before, known := users[edge.To]; edge.Until != unit.Gone && NeededByKept(in.Language, e, edge.To) && (!known || e.Address.Compare(before) < 0) {
				users[edge.To] = e.Address
			}
		}
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		if user, needed := users[c.Address]; needed && c.Action == unit.ActionDelete {
			c.block(fmt.Sprintf("%s stays and needs it: forget it in a removed block with destroy = false first, or delete it in one", user))
		}
	}
}
