package daemon

import (
	"context"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// maxWarnings is how many warnings of a commit the log tells. The report has more of them.
const maxWarnings = 10

// look is one look at the repository.
type look struct {
	number int64
	before revision.State // what was known then
	found  *engine.Revision
	err    error
}

// follower hands on what is new in the repository and in the cluster. A look at the repository goes on beside that: one
// at a server that hangs holds back nothing.
type follower struct {
	*Daemon
	to       *engine.Engine
	changed  chan<- struct{} // for the report
	shown    chan<- struct{} // for what the cluster shows
	next     *time.Timer
	looks    chan look // that ended
	looking  bool      // one goes on
	again    bool      // another one is to be begun
	moved    bool      // the facts changed since it began
	pending  bool      // the revision in force could not be handed over yet
	handed   bool      // one was
	failures int

	facts *time.Timer // for news of facts that wait
	owed  bool        // they do
	told  time.Time   // when facts were heard of last
	acted time.Time   // when news of facts were handed on last
	often int         // how often in a row
}

// factsCalm is how long facts have to stay until the next news of them count as the first.
const factsCalm = time.Minute

// follow polls, and hands on what is new.
func (d *Daemon) follow(ctx context.Context, e *engine.Engine, changed, shown chan<- struct{}) {
	f := &follower{Daemon: d, to: e, changed: changed, shown: shown, next: time.NewTimer(0), looks: make(chan look, 1), facts: time.NewTimer(time.Hour)}
	defer f.next.Stop()
	defer f.facts.Stop()
	// A new process in charge has an engine that knows nothing yet. What cannot be handed over is
	// tried again with each poll.
	f.hand(ctx)
	for {
		select {
		case <-ctx.Done():
			if f.looking {
				<-f.looks // who is in charge next has the tracker to itself
			}
			return
		case change := <-d.Changes:
			if change == FactsChanged {
				f.moved = true
				f.hear(ctx)
				continue
			}
			f.again = true
		case <-f.facts.C:
			if f.owed {
				f.news(ctx)
			}
			continue
		case <-d.pushed:
			f.again = true
		case <-f.next.C:
			f.again = true
		case l := <-f.looks:
			f.looking = false
			f.take(ctx, l)
		}
		if f.again && !f.looking {
			f.look(ctx)
		}
	}
}

// look begins to look at the repository.
func (f *follower) look(ctx context.Context) {
	f.looking, f.again, f.moved = true, false, false
	f.next.Stop()
	l := look{number: f.begun.Add(1), before: f.Tracker.State()}
	contain.Go(func() {
		l.found, l.err = f.Tracker.Poll(ctx)
		f.looks <- l
	})
}

// take hands on what a look has found.
func (f *follower) take(ctx context.Context, l look) {
	f.set("source", l.err)
	after := f.Tracker.State()
	switch {
	case l.err != nil:
		f.failures++
		f.metrics.polls.WithLabelValues("failed").Inc()
		f.Log.Warn().Err(l.err).Msg("the source cannot be polled")
	case l.found == nil && after.Bad != nil && after.Head != l.before.Head:
		f.metrics.polls.WithLabelValues("invalid").Inc()
		f.Log.Warn().Str("commit", after.Head.Hash).Int("errors", len(after.Bad.Diagnostics)).Msg("the newest commit has mistakes; the last good one stays in force")
	case l.found == nil:
		f.metrics.polls.WithLabelValues("unchanged").Inc()
	default:
		f.metrics.polls.WithLabelValues("new").Inc()
		for _, warning := range after.Warnings[:min(len(after.Warnings), maxWarnings)] {
			f.Log.Warn().Str("commit", after.Applied.Hash).Err(warning).Int("of", len(after.Warnings)).Msg("the configuration is applied, with a warning")
		}
	}
	if l.err == nil {
		f.failures = 0
	}
	switch {
	case l.found != nil && !f.moved:
		f.pending = false
		f.set("facts", nil)
		f.submit(ctx, l.found)
	case l.found != nil || f.pending: // it may be composed of facts that are not so any more
		f.hand(ctx)
	}
	f.ended.Store(l.number)
	word(f.changed) // the report tells what the poll found, also when the engine has nothing to say
	if !f.handed {
		f.idle.Store(true)
		if f.to.ObserveOnly(ctx) != nil {
			return // it ends
		}
		word(f.shown)
	}
	delay := f.Interval
	if f.failures > 0 || l.found != nil && f.pending { // what was found is not in the engine's hands yet
		delay = min(backoff(f.failures), max(f.Interval, time.Minute))
	}
	f.next.Reset(jitter(delay))
}

// hand gives the engine the revision in force, if there is one, with the facts as they are now.
func (f *follower) hand(ctx context.Context) {
	found, err := f.Tracker.Recompose(ctx)
	f.set("facts", err)
	f.pending = err != nil || found == nil
	if !f.pending {
		f.submit(ctx, found)
	}
}

// hear takes up that facts have changed. What is handed on has everything looked at and planned anew, and nothing is done
// before that: while others change facts again and again, as a controller that labels nodes or a pipeline that makes namespaces,
// the pauses grow, or a look that takes longer than they do would never end.
func (f *follower) hear(ctx context.Context) {
	now := time.Now()
	if now.Sub(f.told) >= factsCalm {
		f.often = 0
	}
	f.told = now
	if f.owed {
		return
	}
	if wait := f.acted.Add(factsPause(f.often)).Sub(now); wait > 0 {
		f.owed = true
		f.facts.Reset(wait)
		return
	}
	f.news(ctx)
}

// factsPause is how long news of facts wait after others: not for the first, as nodes and namespaces mostly come together.
func factsPause(often int) time.Duration {
	if often < 2 {
		return 0
	}
	return backoff(often - 2)
}

// news hands facts on as they are now.
func (f *follower) news(ctx context.Context) {
	f.owed, f.acted, f.often = false, time.Now(), f.often+1
	f.hand(ctx)
}

func (f *follower) submit(ctx context.Context, r *engine.Revision) {
	f.handed = true
	f.idle.Store(false) // before anybody hears that the engine has it, and shows that nothing is known
	if f.to.Submit(ctx, r) != nil {
		return // it ends
	}
	f.Log.Info().Str("commit", r.ID).Int("units", len(r.Units)).Msg("took a revision")
}

// word tells whoever waits for it that something changed.
func word(heard chan<- struct{}) {
	select {
	case heard <- struct{}{}:
	default: // one word is enough
	}
}
