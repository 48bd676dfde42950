package plan

import (
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Suspend notes which changes wait until a suspension ends. Nothing else about a plan depends on that: it says
// what is done then.
func (p *Plan) Suspend(now time.Time, lists ...[]suspension.Suspension) {
	standing := suspension.Standing(now, lists...)
	for i := range p.Changes {
		c := &p.Changes[i]
		if s := suspension.Of(standing, c.Address, now); s != nil && c.Action.Changes() && c.Action != unit.ActionMove {
			c.Suspended = s.String()
		}
	}
}
