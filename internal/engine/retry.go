package engine

import (
	"context"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// mostAsked bounds the requests that wait until what they name was looked at. Of more the oldest are never told of: who
// keeps those has to give them up by themselves.
const mostAsked = 200

// asked is a request that was taken.
type asked struct {
	left map[*loop]bool // what was not looked at since
	done chan struct{}
}

// Retry has all that these name observed again, and what failed or was refused there tried again without the rest of
// its pause. Names that nothing stands for are passed over. name is that of the request, see [unit.Target.Asked]: the same
// request has the same name for all processes, and "" is that of no person, which leaves the one before as it was. The
// error is the context's.
//
// The result is closed once all that was looked at: it was observed, and a step that this led to has ended, however it
// ended, or none can begin now. What cannot be observed, or must not be written any more, was not. Whoever has to see that
// a request is not lost with this process keeps it until then.
func (e *Engine) Retry(ctx context.Context, name string, targets ...addr.Address) (looked <-chan struct{}, err error) {
	one := &asked{left: map[*loop]bool{}, done: make(chan struct{})}
	return one.done, e.send(ctx, func() {
		for a, l := range e.loops {
			if slices.ContainsFunc(targets, func(target addr.Address) bool { return target.Contains(a) }) {
				l.retry(name)
				one.left[l] = true
				e.admitted.stale = true
				e.settled, e.changed = false, true
			}
		}
		e.asked = append(e.asked, one)
		e.asked = e.asked[max(0, len(e.asked)-mostAsked):]
	})
}

// tellAsked tells those whose requests are done.
func (e *Engine) tellAsked() {
	e.asked = slices.DeleteFunc(e.asked, func(one *asked) bool {
		for l := range one.left {
			if e.lookedAt(l) {
				delete(one.left, l)
			}
		}
		if len(one.left) > 0 {
			return false
		}
		close(one.done)
		return true
	})
}

// lookedAt tells whether nothing is left that [loop.retry] asks for. A loop is stale from then on until it is observed.
func (e *Engine) lookedAt(l *loop) bool {
	a := &e.admitted
	switch {
	case e.loops[l.address] != l: // nothing wants it any more, and nothing is on record
		return true
	case l.busy, l.stale, l.dirty, l.queued, a.stale, a.planning, a.revision != e.revision:
		return false
	case l.unsent && (l.phase == PhaseFailed || l.mending != nil):
		return false
	case l.phase == PhaseBlocked, l.phase == PhaseKept, l.phase == PhaseGone:
		return true
	case l.blind > 0 && l.state.Existence == unit.Unknown: // but what waits for its own API has nothing to be seen yet
		return l.phase == PhaseWaiting && l.wake.IsZero()
	}
	_, leaves := e.places.To[l.address]
	return !leaves && len(e.awaited(l.address)) == 0
}
