package plan

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// insteadOfDoubt is what to do about what an inventory that is in doubt has and no block wants.
const insteadOfDoubt = "if it was moved, write its moved block again; else name it in a removed block, by which it is deleted, or with destroy = false forgotten"

// keepDoubted keeps what no block wants while the inventory is in doubt, unless a block says that it is to go. What we make
// ourselves beside other things comes and goes with those.
func (p *Plan) keepDoubted(in *Input) {
	if in.Doubt == "" {
		return
	}
	for i := range in.Entries {
		if c := p.Change(in.Entries[i].Address); c != nil && in.doubts(c) {
			c.block(in.Doubt + ": " + insteadOfDoubt)
			c.doubted = true
		}
	}
}

// doubts tells whether a change deletes something only because no block wants it.
func (in *Input) doubts(c *Change) bool {
	return c.Action == unit.ActionDelete && c.Class != unit.ClassSystem && !in.Removed[c.Address] && in.Removals.fate(c.Address) != fateDestroy
}

// doubtful are the marks of what is kept because of a doubt.
func (p *Plan) doubtful(in *Input) []string {
	var marks []string
	for i := range in.Entries {
		if c := p.Change(in.Entries[i].Address); c != nil && c.doubted {
			for _, uid := range in.Entries[i].UIDs() {
				marks = append(marks, in.Marker.Mark(uid))
			}
		}
	}
	return marks
}

// Trusts tells whether an inventory that was in doubt can be taken as it is from now on: nothing that it has is without a
// block, all that blocks say of moves and removals is done, and everything was seen.
func (p *Plan) Trusts(entries []inventory.Entry, wanted []unit.Unit) bool {
	if len(p.Refused) > 0 || slices.ContainsFunc(p.Changes, func(c Change) bool {
		return c.moves() || c.Wanted == unit.ActionMove || c.doubted || c.Action == unit.ActionUnknown
	}) {
		return false
	}
	has := make(map[string]bool, len(wanted))
	for i := range wanted {
		has[wanted[i].Address.String()] = true
	}
	return !slices.ContainsFunc(entries, func(e inventory.Entry) bool {
		c := p.Change(e.Address)
		return !has[e.Address.String()] && c != nil && (c.Action.Changes() || c.Held())
	})
}
