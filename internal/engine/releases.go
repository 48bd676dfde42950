package engine

import (
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// waitForRelease has a loop wait until another block has given up its release.
func (e *Engine) waitForRelease(l *loop, holder addr.Object) bool {
	why := plan.HeldRelease(l.unit, holder)
	if on := e.loops[holder]; on != nil && on.unit == nil && on.phase != PhaseKept && on.phase != PhaseBlocked {
		return l.set(PhaseWaiting, why, holder)
	}
	return l.set(PhaseBlocked, why)
}

// wakeForRelease has those look again that may have waited for the release of a loop, which is gone.
func (e *Engine) wakeForRelease(l *loop) {
	for _, other := range e.order {
		if other.unit != nil && other.unit.Spec.Driver() == unit.Helm && (other.phase == PhaseBlocked || slices.Contains(other.waits, l.address)) {
			other.stale, other.dirty = true, true
			e.admitted.stale = e.admitted.stale || other.phase == PhaseWaiting // the plan was made while the release was another one's
		}
	}
}

// heir returns what waits for the release that something has which is to go, nil for nothing.
func (e *Engine) heir(entry *inventory.Entry) *loop {
	if l := e.loops[entry.Address]; entry.Locator.Kind != unit.KindRelease || l == nil || l.unit != nil {
		return nil
	}
	for _, l := range e.order {
		if l.unit != nil && plan.ReleaseHolder(l.unit, []inventory.Entry{*entry}) == entry.Address {
			if _, known := e.Inventory.Entry(l.address); !known {
				return l
			}
		}
	}
	return nil
}
