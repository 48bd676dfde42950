package engine

import (
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Services keep parts of an object that lies in another one, as the limits of a project. The object is
// there without them, but not ready, and what needs only one of the parts waits for that one alone.

// unserving returns the services that a unit is not ready without, and that are not ready themselves.
func (e *Engine) unserving(l *loop) []string {
	if l.unit == nil || l.unit.Spec.Driver() != unit.OpenStack {
		return nil
	}
	var services []string
	for _, a := range e.unmet(l, unit.GateReady) {
		services = append(services, a.Name())
	}
	return services
}

// counts counts a look that lacked a part of what exists, in a row of such. While what keeps that part is
// not ready that is no failure, however often it happens.
func (e *Engine) counts(l *loop, state unit.State) {
	if len(state.Unseen) == 0 {
		l.blind = 0
		return
	}
	if l.blinded() && len(e.unmet(l, unit.GateReady)) == 0 {
		l.blind = 0 // what came before says nothing about an API that is ready
	}
	l.blind++
	e.changed = true // at least the number of attempts
}

// stepUnseen is for a unit of which something could not be seen, though all else is as it should be.
func (e *Engine) stepUnseen(l *loop, reason string) bool {
	l.wake = time.Now().Add(retryDelay(l.blind))
	if !l.dim() || l.unit.Spec.Driver() != unit.OpenStack {
		return l.set(PhaseFailed, reason) // no service keeps what is missing
	}
	unserving := e.unserving(l)
	if slices.ContainsFunc(l.state.Unseen, func(s string) bool { return slices.Contains(l.unserved, s) && !slices.Contains(unserving, s) }) {
		e.want(l) // it became ready while something else was being done
		return l.set(PhaseReconciling, "is observed")
	}
	told := !slices.Equal(l.lacks, l.state.Unseen) // those that need another part may go on
	l.lacks = l.state.Unseen
	waits := e.unmet(l, unit.GateReady)
	if len(waits) == 0 {
		return l.set(PhaseFailed, reason) || told
	}
	if !l.decided.complete {
		l.wake = time.Time{} // nothing to see until then
	}
	return l.set(PhaseWaiting, "", waits...) || told
}
