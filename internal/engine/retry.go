package engine

import (
	"context"
	"maps"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

const (
	// mostAsked bounds the requests that wait until the same was looked at.
	mostAsked = 200
	// mostLeft bounds what all requests but the newest wait for: each step looks through that.
	mostLeft = 100_000
)

// asked is a request that was taken, or several that wait for the same. Of more than mostAsked of these the oldest are never told
// of: who keeps those has to give them up by themselves.
type asked struct {
	left map[*loop]bool // what was not looked at since
	done []chan struct{}
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
	done := make(chan struct{})
	one := &asked{left: map[*loop]bool{}, done: []chan struct{}{done}}
	return done, e.send(ctx, func() {
		for a, l := range e.loops {
			if slices.ContainsFunc(targets, func(target addr.Address) bool { return target.Contains(a) }) {
				l.retry(name)
				one.left[l] = true
				e.admitted.stale = true
				e.settled, e.changed = false, true
			}
		}
		e.join(one)
	})
}

// join adds a request to those that wait. Who waited for just the same waits with it, as all of that is looked at anew; and beyond
// the bound so do the oldest, for what both wait for.
func (e *Engine) join(one *asked) {
	kept, left := []*asked{one}, len(one.left)
	for _, before := range slices.Backward(e.asked) {
		if same := maps.Equal(before.left, one.left); !same && left+len(before.left) <= mostLeft {
			kept, left = append(kept, before), left+len(before.left)
			continue
		}
		maps.Copy(one.left, before.left)
		one.done = append(before.done, one.done...)
	}
	one.done = one.done[max(0, len(one.done)-mostAsked):]
	slices.Reverse(kept)
	e.asked = kept
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
		for _, done := range one.done {
			close(done)
		}
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
