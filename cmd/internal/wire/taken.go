package wire

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/request"
)

// asker is the engine as far as requests need it.
type asker interface {
	// Wants tells whether there is something that a request could be about.
	Wants() bool
	// Retry has all that is named looked at again; the result is closed once it was.
	Retry(ctx context.Context, name string, targets ...addr.Address) (looked <-chan struct{}, err error)
}

// requestList is where requests are kept.
type requestList interface {
	// news returns the list, false where it is as it was read last.
	news(ctx context.Context) (list []request.Request, read bool, err error)
	change(ctx context.Context, change func([]request.Request) []request.Request) error
	// unread has the list read again though it stays the same.
	unread()
}

// keptRequests is the list in the cluster.
type keptRequests struct{ system *System }

func (k keptRequests) news(ctx context.Context) ([]request.Request, bool, error) {
	if k.system.fresh(ctx, requests) {
		return nil, false, nil
	}
	list, _, err := k.system.readRequests(ctx)
	return list, err == nil, err
}

// change reads the list as well, and others may have added to it just before: where nothing is to be written by then, the
// version that was read stays, and would count as known.
func (k keptRequests) change(ctx context.Context, change func([]request.Request) []request.Request) error {
	defer k.unread()
	return k.system.changeRequests(ctx, change)
}

func (k keptRequests) unread() { k.system.unread(requests) }

// taker takes what somebody asks for, by a request or by an annotation, and notes it as done once all that it names was
// looked at. Who is killed before leaves it to the next process.
type taker struct {
	who    Follower
	list   requestList
	engine func() asker // nil while there is none
	notes  *annotations
	now    func() time.Time
	log    zerolog.Logger

	taken   []*taken
	polls   bool             // the repository is to be looked at
	awaited map[string]int64 // how many looks at it had begun when such a request was taken
}

// taken is one of those.
type taken struct {
	asking
	id      string          // of the request, "" for an annotation
	awaited bool            // it stays in the list until its outcome is told
	told    bool            // the list says that it was taken
	looked  <-chan struct{} // nil before the engine has it
	over    bool            // all that it names was looked at
}

// isOver notes whether all that it names was looked at.
func (t *taken) isOver() bool {
	select {
	case <-t.looked: // nil never comes
		t.over = true
	default:
		t.over = len(t.targets) == 0 // it is about the repository, which every process looks at when it begins
	}
	return t.over
}

// look takes what is new, hands it to the engine, notes what was looked at, and returns when to look again at the latest,
// and what it could not do.
func (t *taker) look(ctx context.Context) (time.Duration, error) {
	list, read, err := t.list.news(ctx)
	if ctx.Err() != nil {
		return keepPause, nil //nolint:nilerr // nobody waits for it any more
	}
	if read {
		t.forget(list)
	}
	e := t.engine()
	wanting := e != nil && e.Wants()
	t.takeRequests(list)
	if wanting { // else nobody could do it, and it is not to be noted as seen
		t.takeAnnotations(ctx)
		for _, one := range t.taken {
			if one.looked == nil && len(one.targets) > 0 {
				if looked, err := e.Retry(ctx, one.name, one.targets...); err == nil { // the error is the context's
					one.looked = looked
				}
			}
		}
	}
	polls := t.polls
	noted := t.note(ctx)
	if polls { // after what names nothing was withdrawn: who comes until then adds no other request
		t.who.Poll()
	}
	err = errors.Join(err, noted, t.answer(ctx))
	switch {
	case err != nil:
		return keepRetry, err
	case len(t.taken) > 0, len(t.awaited) > 0, !wanting:
		return outcomePause, nil
	}
	return keepPause, nil
}

// forget gives up what nobody asks for any more.
func (t *taker) forget(list []request.Request) {
	gone := func(id string) bool {
		return !slices.ContainsFunc(list, func(r request.Request) bool { return r.ID == id })
	}
	maps.DeleteFunc(t.awaited, func(id string, _ int64) bool { return gone(id) })
	t.taken = slices.DeleteFunc(t.taken, func(one *taken) bool { return one.id != "" && gone(one.id) })
}

// takeRequests takes those that are new.
func (t *taker) takeRequests(list []request.Request) {
	for _, r := range list {
		_, awaited := t.awaited[r.ID]
		if !r.Open() || awaited || slices.ContainsFunc(t.taken, func(one *taken) bool { return one.id == r.ID }) {
			continue
		}
		one := &taken{asking: asking{name: r.ID, targets: r.Targets}, id: r.ID, awaited: r.Awaited, told: r.Taken}
		if r.Awaited {
			t.awaited[r.ID], one.name = t.who.Begun(), ""
		}
		t.log.Info().Str("by", r.By).Stringers("targets", stringers(r.Targets)).Msg("looks again, as somebody asks for")
		t.taken, t.polls = append(t.taken, one), true
	}
}

// takeAnnotations takes those that are new. A newer value of one takes the place of the one before.
func (t *taker) takeAnnotations(ctx context.Context) {
	for _, one := range t.notes.asked(ctx) {
		t.log.Info().Stringers("targets", stringers(one.targets)).Msg("looks again, as an annotation asks for")
		t.taken = slices.DeleteFunc(t.taken, func(older *taken) bool { return older.id == "" && older.object == one.object })
		t.taken, t.polls = append(t.taken, &taken{asking: one}), true
	}
}

// note has everybody know what was taken, and what was looked at. What could not be noted is tried again with the next look.
func (t *taker) note(ctx context.Context) error {
	var told, over []string
	t.polls = false
	for _, one := range t.taken {
		switch isOver := one.isOver(); {
		case one.id == "" && isOver:
			t.notes.looked(one.object, one.value)
		case one.id == "", one.awaited:
		case isOver:
			over = append(over, one.id)
		case !one.told:
			told = append(told, one.id)
		}
	}
	var err error
	if len(told)+len(over) > 0 {
		err = t.list.change(ctx, func(list []request.Request) []request.Request {
			return request.Taken(request.Without(list, over...), told...)
		})
		if err != nil {
			t.list.unread() // they are still there
		}
	}
	t.taken = slices.DeleteFunc(t.taken, func(one *taken) bool {
		if one.id == "" || one.awaited {
			return one.over
		}
		if err != nil {
			t.polls = t.polls || !one.told // who finds it in the list adds no other
			return false
		}
		one.told = true
		return one.over
	})
	return errors.Join(err, t.notes.settle(ctx))
}

// answer tells those how it ended whose requests are done: it is on their requests, which they take away.
func (t *taker) answer(ctx context.Context) error {
	for id, begun := range t.awaited {
		outcome, known := t.who.Outcome(ctx, begun)
		if !known {
			continue
		}
		err := t.list.change(ctx, func(list []request.Request) []request.Request {
			return request.Answered(list, id, outcome, t.now())
		})
		if err != nil {
			t.list.unread() // there may be others by now that nobody has taken
			return err
		}
		delete(t.awaited, id)
		t.log.Info().Str("commit", outcome.Commit).Str("verdict", outcome.Verdict).Msg("told who waits for it how it ended")
	}
	return nil
}

func stringers(list []addr.Address) []fmt.Stringer {
	all := make([]fmt.Stringer, 0, len(list))
	for _, a := range list {
		all = append(all, a)
	}
	return all
}
