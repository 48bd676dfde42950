package plan

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// keepShared keeps an object that two blocks have on record, as kinds without marks have what two of them write alike, while one
// of them goes or is to have another one: it would be taken away from under the block that stays.
func (p *Plan) keepShared(in *Input) {
	type identity struct{ kind, id, user string }
	of := func(e *inventory.Entry) identity { return identity{e.Locator.Kind, e.ID, e.Locator.User} }
	gives := map[identity][]*Change{}
	for i := range in.Entries {
		e := &in.Entries[i]
		if c := p.Change(e.Address); e.Locator.Driver == unit.OpenStack && e.ID != "" && c != nil && c.Action.Destroys() {
			gives[of(e)] = append(gives[of(e)], c)
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
		if c := p.Change(e.Address); c == nil || c.Action.Destroys() || c.Action == unit.ActionForget {
			continue
		}
		for _, c := range gives[of(e)] {
			hint := "take it out with a removed block that has destroy = false"
			if c.Action == unit.ActionReplace {
				hint += ", and write another block"
			}
			c.block(fmt.Sprintf("the %s with the id %s is %s as well, which keeps it: %s", c.Kind, e.ID, e.Address, hint))
		}
	}
}
