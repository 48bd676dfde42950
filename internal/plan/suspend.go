package plan

import (
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Suspended returns the one of the suspensions that hold for an address, or for one that it was moved from; nil when
// none does.
func Suspended(standing []suspension.Suspension, moves []model.Move, a addr.Object) *suspension.Suspension {
	if len(standing) == 0 {
		return nil
	}
	if s := suspension.Of(standing, a, time.Time{}); s != nil {
		return s
	}
	for _, from := range origins(moves, a) {
		if s := suspension.Of(standing, from, time.Time{}); s != nil {
			return s
		}
	}
	return nil
}

// Suspend notes which changes wait until a suspension ends. Nothing else about a plan depends on that: it says
// what is done then.
func (p *Plan) Suspend(standing []suspension.Suspension, moves []model.Move) {
	for i := range p.Changes {
		c := &p.Changes[i]
		if s := Suspended(standing, moves, c.Address); s != nil && c.Action.Changes() && c.Action != unit.ActionMove {
			c.Suspended = s.String()
		}
	}
}
