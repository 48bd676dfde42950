package plan

import "github.com/kupenstack/kupenstack-sync/internal/unit"

// move notes where the change's entry is recorded until now, or why it has to stay there.
func (c *Change) move(r *Relocation) {
	if why, held := r.Held[c.Address]; held {
		c.Action, c.Wanted, c.Fields, c.Cost, c.Reason = unit.ActionBlocked, unit.ActionMove, nil, "", why
		return
	}
	records := r.From[c.Address]
	if len(records) == 0 {
		return
	}
	c.From = records[0]
	if c.Action == unit.ActionNone && !c.Drift {
		c.Action = unit.ActionMove
	}
}

// moves tells whether the change gives something another address.
func (c *Change) moves() bool { return !c.From.IsZero() }

// Changes tells whether anything changes, be it only an address on record.
func (c *Change) Changes() bool { return c.Action.Changes() || c.moves() }

// countsAs tells whether the change is one of those that a line of numbers counts under an action: what
// moves and is changed besides is both.
func (c *Change) countsAs(a unit.Action) bool {
	if a == unit.ActionMove {
		return c.moves()
	}
	return c.Action == a && c.Shown()
}
