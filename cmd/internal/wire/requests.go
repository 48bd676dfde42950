package wire

import (
	"context"
	"errors"
	"fmt"
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
		if slices.ContainsFunc(list, func(r request.Request) bool { return r.Open() && !r.Awaited && !r.Taken }) {
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
	return slices.ContainsFunc(list, func(r request.Request) bool { return r.ID == id && !r.Taken }), err
}

// Withdraw takes requests back.
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

// outcomePause is the time between two looks whether a request is done, or it is known how one ended. They cost no request.
const outcomePause = 500 * time.Millisecond

// FollowRequests has the engine that was made last look at what somebody asks for, until ctx ends, and tells those how
// it ended who wait for that. Others ask by an annotation, see [kube.Cluster.AskedAt]. It
// tells what keeps it from that, and nil when nothing does.
func (s *System) FollowRequests(who Follower) func(ctx context.Context, tell func(error)) {
	return func(ctx context.Context, tell func(error)) {
		s.unread(requests) // what was taken in a term before may not have been looked at, and nobody knows of that any more
		t := &taker{
			who: who, list: keptRequests{s}, notes: newAnnotations(s.cluster, s.Model, s.Log), now: s.Now, log: s.Log, awaited: map[string]int64{},
			engine: func() asker {
				if e := s.current.Load(); e != nil {
					return e
				}
				return nil
			},
		}
		s.listen(ctx, func(f func()) (func(), error) {
			end := s.cluster.Subscribe(func(ref unit.ObjectRef) {
				if ref.IsShown() {
					t.notes.note(ref)
					f()
				}
			})
			cancel, err := s.cluster.InstructionsChanged(ctx, requests, f)
			return func() { end(); cancel() }, err
		}, "a request is noticed later", func() time.Duration {
			wait, err := t.look(ctx)
			if ctx.Err() == nil {
				tell(err)
			}
			return wait
		})
	}
}
