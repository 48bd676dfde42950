package wire

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/request"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// requests is the name by which the cluster keeps them.
const requests = "requests"

// Ask has whoever is in charge look at these again, and returns the id of the request. The error wraps
// [ErrNothingInstalled] as that of [System.ChangeSuspensions] does.
func (s *System) Ask(ctx context.Context, by string, targets []addr.Address) (string, error) {
	if err := s.installedHere(ctx); err != nil {
		return "", err
	}
	one := request.Request{ID: uuid.NewString(), Targets: targets, By: by, At: s.Now()}
	return one.ID, s.changeRequests(ctx, func(list []request.Request) []request.Request { return request.With(list, one) })
}

// AskToLook has whoever is in charge look at the repository, as a webhook does.
func (s *System) AskToLook(ctx context.Context, by string) error {
	if err := s.installedHere(ctx); err != nil {
		return err
	}
	return s.changeRequests(ctx, func(list []request.Request) []request.Request {
		if slices.ContainsFunc(list, func(r request.Request) bool { return r.Open() && !r.Awaited }) {
			return list // one that nobody has taken yet brings that about
		}
		return request.With(list, request.Request{ID: uuid.NewString(), By: by, At: s.Now()})
	})
}

// AskAndAwait has whoever is in charge look at everything again, and keep the request until its outcome was read, see
// [System.Outcome]. It returns the id of the request.
func (s *System) AskAndAwait(ctx context.Context, by string) (string, error) {
	one := request.Request{ID: uuid.NewString(), Targets: []addr.Address{addr.Module{}}, By: by, At: s.Now(), Awaited: true}
	return one.ID, s.changeRequests(ctx, func(list []request.Request) []request.Request { return request.With(list, one) })
}

// ErrNoAnswer says that a request was taken by somebody who does not tell how it ends.
var ErrNoAnswer = errors.New("whoever is in charge has taken the request, and does not tell how it ends: it is another version of this program; see its report")

// Outcome returns how a request ended, nil while that is not known.
func (s *System) Outcome(ctx context.Context, id string) (*request.Outcome, error) {
	list, _, err := s.readRequests(ctx)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(r request.Request) bool { return r.ID == id })
	if at < 0 {
		return nil, ErrNoAnswer
	}
	return list[at].Outcome, nil
}

// Asked tells whether a request is still there that nobody has taken.
func (s *System) Asked(ctx context.Context, id string) (bool, error) {
	list, _, err := s.readRequests(ctx)
	return slices.ContainsFunc(list, func(r request.Request) bool { return r.ID == id }), err
}

// Withdraw takes requests back, or from the list once they were taken up.
func (s *System) Withdraw(ctx context.Context, ids ...string) error {
	return s.changeRequests(ctx, func(list []request.Request) []request.Request { return request.Without(list, ids...) })
}

func (s *System) readRequests(ctx context.Context) ([]request.Request, string, error) {
	data, version, err := s.instructions(ctx, requests)
	if err != nil {
		return nil, "", fmt.Errorf("what is asked for: %w", err)
	}
	list, err := request.Decode(data)
	if err != nil {
		s.unread(requests)
		return nil, "", fmt.Errorf("what is asked for is not known, as the ConfigMap kupenstack-%s in %s is damaged: %w. Delete it, and ask again", requests, s.Flags.Namespace, err)
	}
	return list, version, nil
}

func (s *System) changeRequests(ctx context.Context, change func([]request.Request) []request.Request) error {
	return untilAlone(ctx, "what is asked for", func() error {
		list, version, err := s.readRequests(ctx)
		if err != nil {
			return err
		}
		data, err := request.Encode(change(list))
		if err != nil {
			return err
		}
		return s.cluster.Instruct(ctx, requests, data, version)
	})
}

// Follower is who does what is asked for.
type Follower struct {
	// Poll has the repository looked at, and returns at once.
	Poll func()
	// Begun counts the looks at the repository that have begun.
	Begun func() int64
	// Outcome tells how it ended what was asked for when so many had begun, and false while that is not known.
	Outcome func(ctx context.Context, begun int64) (request.Outcome, bool)
}

// outcomePause is the time between two looks whether it is known how a request ended. They cost no request.
const outcomePause = 500 * time.Millisecond

// maxEarly bounds the requests that are kept for a configuration which is not there yet; the newest are.
const maxEarly = 100

// FollowRequests has the engine that was made last look at what somebody asks for, until ctx ends, and tells those how
// it ended who wait for that. Others ask by an annotation, see [kube.Cluster.AskedAt]. It
// tells what keeps it from that, and nil when nothing does.
func (s *System) FollowRequests(who Follower) func(ctx context.Context, tell func(error)) {
	return func(ctx context.Context, tell func(error)) {
		asked := newAnnotations(s.cluster, s.Model, s.Log)
		awaited := map[string]int64{} // how many looks had begun when a request was taken
		var early []asking            // what was taken before anything was wanted that it could be about
		s.listen(ctx, func(f func()) (func(), error) {
			end := s.cluster.Subscribe(func(ref unit.ObjectRef) {
				if ref.IsShown() {
					asked.note(ref)
					f()
				}
			})
			cancel, err := s.cluster.InstructionsChanged(ctx, requests, f)
			return func() { end(); cancel() }, err
		}, "a request is noticed later", func() time.Duration {
			var list []request.Request
			var err error
			if !s.fresh(ctx, requests) {
				if list, _, err = s.readRequests(ctx); err == nil {
					maps.DeleteFunc(awaited, func(id string, _ int64) bool { // nobody waits for it any more
						return !slices.ContainsFunc(list, func(r request.Request) bool { return r.ID == id })
					})
				}
			}
			if ctx.Err() != nil {
				return keepPause
			}
			var all []asking
			var ids []string
			e := s.current.Load()
			wanting := e != nil && e.Wants()
			if wanting { // else nobody could do it, and it is not to be noted as seen
				all = asked.asked(ctx)
			}
			for _, one := range all {
				s.Log.Info().Stringers("targets", stringers(one.targets)).Msg("looks again, as an annotation asks for")
			}
			for _, r := range list {
				_, taken := awaited[r.ID]
				name := r.ID
				switch {
				case !r.Open(), taken:
					continue
				case r.Awaited:
					awaited[r.ID], name = who.Begun(), ""
				default:
					ids = append(ids, r.ID)
				}
				s.Log.Info().Str("by", r.By).Stringers("targets", stringers(r.Targets)).Msg("looks again, as somebody asks for")
				all = append(all, asking{name, r.Targets})
			}
			early = append(early, all...)
			early = early[max(0, len(early)-maxEarly):]
			if wanting {
				for _, one := range early {
					if len(one.targets) > 0 {
						_ = e.Retry(ctx, one.name, one.targets...) // the error is the context's
					}
				}
				early = nil
			}
			noted := asked.settle(ctx)
			if len(ids) > 0 {
				// Those that were not taken up before this process ends are taken up by the next.
				if err = s.Withdraw(ctx, ids...); err != nil {
					s.unread(requests) // they are still there
				}
			}
			if len(all) > 0 || len(ids) > 0 { // the repository alone where a request names nothing. After the withdrawal: who comes until then adds no other request
				who.Poll()
			}
			err = errors.Join(err, noted, s.answer(ctx, who, awaited))
			tell(err)
			switch {
			case err != nil:
				return keepRetry
			case len(awaited) > 0, !wanting:
				return outcomePause
			}
			return keepPause
		})
	}
}

// answer tells those how it ended whose requests are done: it is on their requests, which they take away.
func (s *System) answer(ctx context.Context, who Follower, awaited map[string]int64) error {
	for id, begun := range awaited {
		outcome, known := who.Outcome(ctx, begun)
		if !known {
			continue
		}
		err := s.changeRequests(ctx, func(list []request.Request) []request.Request {
			return request.Answered(list, id, outcome, s.Now())
		})
		if err != nil {
			s.unread(requests) // there may be others by now that nobody has taken
			return err
		}
		delete(awaited, id)
		s.Log.Info().Str("commit", outcome.Commit).Str("verdict", outcome.Verdict).Msg("told who waits for it how it ended")
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
