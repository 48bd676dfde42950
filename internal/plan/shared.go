package plan

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// keepShared keeps an object that two blocks have on record, as kinds without marks have what two of them write alike, while one
// of them goes or is to have another one: it would be taken away from under the block that stays, be it because another rule holds
// that back, or as long as it is suspended.
func (p *Plan) keepShared(in *Input) {
	if !p.has(func(c *Change) bool { return c.Class == unit.ClassResource && c.Action.Destroys() }) {
		return
	}
	type identity struct{ kind, id, user string }
	type given struct {
		change  *Change
		project string
	}
	of := func(e *inventory.Entry) identity { return identity{e.Locator.Kind, e.ID, e.Locator.User} }
	gives := map[identity][]given{}
	for i := range in.Entries {
		e := &in.Entries[i]
		if e.Locator.Driver != unit.OpenStack || e.ID == "" {
			continue
		}
		if c := p.Change(e.Address); c != nil && c.Action.Destroys() {
			gives[of(e)] = append(gives[of(e)], given{c, e.Locator.Project})
		}
	}
	if len(gives) == 0 {
		return
	}
	for i := range in.Entries {
		e := &in.Entries[i]
		if e.Locator.Driver != unit.OpenStack || len(gives[of(e)]) == 0 {
			continue
		}
		c := p.Change(e.Address)
		if c == nil || c.Action == unit.ActionForget {
			continue
		}
		waits := c.Action.Destroys()
		if waits && Suspended(in.Suspensions, in.Moves, e.Address) == nil {
			continue
		}
		for _, g := range gives[of(e)] {
			if g.change.Address == e.Address {
				continue
			}
			if g.project != "" && e.Locator.Project != "" && g.project != e.Locator.Project {
				continue // the id is a name, and each project has its own of that
			}
			if waits {
				g.change.block(fmt.Sprintf("the %s with the id %s is %s as well, which is suspended: both can go once it is resumed", g.change.Kind, e.ID, e.Address))
				continue
			}
			hint := "take it out with a removed block that has destroy = false"
			if g.change.Action == unit.ActionReplace {
				hint += ", and write another block"
			}
			g.change.block(fmt.Sprintf("the %s with the id %s is %s as well, which keeps it: %s", g.change.Kind, e.ID, e.Address, hint))
		}
	}
}
