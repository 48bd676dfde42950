package engine

import (
	"context"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Granter is a driver whose user may give itself roles in projects, to work there. Each is put on record before it
// is given.
type Granter interface {
	// Needs tells whether something on record, or about to be, needs such a role; goes says that it is to be deleted. It is pure.
	Needs(g unit.Grant, l unit.Locator, id string, goes bool) bool

	// Claims tells whether a thing on record is that very role, which a block has since. It is pure.
	Claims(g unit.Grant, l unit.Locator, id string) bool

	// TakeBack takes a role back, and then from the record, unless it is needed by now. It can be repeated: what is
	// gone already is no error.
	TakeBack(ctx context.Context, g unit.Grant, unneeded func() bool) error
}

// takeBack begins to take back roles that nothing needs any more, once after each look at everything: what
// cannot be taken back waits for the next one. It tells whether that is going on. Nothing is taken while anything is
// suspended, or while a plan was refused: less is known then of what will be needed.
func (e *Engine) takeBack(calls context.Context) bool {
	c, ok := e.Drivers[unit.OpenStack].(*contained)
	if !ok || e.takesBack || e.tookBack == e.looks || !e.mayTakeBack() {
		return e.takesBack
	}
	driver, ok := c.Driver.(Granter)
	grants := e.Inventory.Grants()
	if !ok || len(grants) == 0 {
		return false
	}
	e.tookBack = e.looks
	claimed := plan.Claimed(grants, e.Inventory.Entries(), driver.Claims)
	if grants = e.unneeded(driver, grants); len(grants)+len(claimed) == 0 {
		return false
	}
	e.takesBack = true
	e.running[unit.OpenStack]++
	contain.Go(func() {
		for _, g := range claimed {
			if err := e.leaveToBlock(calls, g); err != nil {
				e.Log.Warn().Str("project", g.Project).Str("role", g.Role).Err(err).Msg("that a block has a role now could not be recorded")
			}
		}
		for _, g := range grants {
			err := e.takeBackOne(calls, c, driver, g, func() bool {
				e.mutex.Lock()
				defer e.mutex.Unlock()
				return e.mayTakeBack() && len(e.unneeded(driver, []unit.Grant{g})) > 0
			})
			if err != nil {
				e.Log.Warn().Str("project", g.Project).Str("role", g.Role).Err(err).Msg("a role that our user has given itself could not be taken back")
			}
		}
		e.events <- func() {
			e.running[unit.OpenStack]--
			e.takesBack, e.changed = false, true
		}
	})
	return true
}

// mayTakeBack tells whether all that will be needed is known.
func (e *Engine) mayTakeBack() bool {
	return len(e.held) == 0 && e.admitted.revision == e.revision && len(e.admitted.refused()) == 0 && e.refusal == nil
}

// unneeded are those of the roles that nothing needs which is on record or wanted now.
func (e *Engine) unneeded(driver Granter, grants []unit.Grant) []unit.Grant {
	return plan.Unneeded(grants, e.revision.Units, e.Inventory.Entries(), driver.Needs)
}

// leaveToBlock takes a role from the record, as a block has it from now on.
func (e *Engine) leaveToBlock(calls context.Context, g unit.Grant) error {
	ctx, cancel := context.WithTimeout(calls, e.CallTimeout)
	defer cancel()
	return e.Inventory.DropGrant(ctx, g)
}

// takeBackOne takes one role back. It is on record until it is gone, so that a process that is killed in between does
// it again.
func (e *Engine) takeBackOne(calls context.Context, c *contained, driver Granter, g unit.Grant, unneeded func() bool) (err error) {
	ctx, cancel := context.WithTimeout(calls, e.CallTimeout)
	defer cancel()
	defer Contain(e.Log, "take back a role of "+string(c.name), &err, func() {})
	return driver.TakeBack(ctx, g, unneeded)
}
