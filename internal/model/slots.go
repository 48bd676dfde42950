package model

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/schema"
)

// slots checks that each profile has a place of its own among those that differ: by it charts choose its nodes.
func (c *checker) slots(profiles []Profile) {
	taken := map[int]*Profile{}
	for i := range profiles {
		p := &profiles[i]
		where := orElse(p.Ranges["slot"], p.Range)
		switch other := taken[p.Slot]; {
		case p.Slot == 0:
		case p.Slot < 0 || p.Slot > schema.MaxSlot:
			c.fail(codeSlot, where, "no such slot", fmt.Sprintf("a slot is a number from 1 to %d, and %s has %d", schema.MaxSlot, p.Address, p.Slot), "write another number")
		case other != nil:
			hint := "join some of the profiles: all slots are taken"
			if free := FreeSlots(profiles); len(free) > 0 {
				hint = fmt.Sprintf("give one of them another one, such as: slot = %d", free[0])
			}
			c.fail(codeSlot, where, "one slot, two profiles", fmt.Sprintf("%s and %s both have the slot %d, and the nodes of a slot are alike", other.Address, p.Address, p.Slot), hint)
		default:
			taken[p.Slot] = p
		}
	}
}

// FreeSlots are the slots that no profile has, in order.
func FreeSlots(profiles []Profile) []int {
	taken := map[int]bool{}
	for i := range profiles {
		taken[profiles[i].Slot] = true
	}
	var free []int
	for slot := 1; slot <= schema.MaxSlot; slot++ {
		if !taken[slot] {
			free = append(free, slot)
		}
	}
	return free
}
