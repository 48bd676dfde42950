package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
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
	one := request.Request{ID: uuid.NewString(), Targets: targets, By: by, At: time.Now()}
	return one.ID, s.changeRequests(ctx, func(list []request.Request) []request.Request { return request.With(list, one) })
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
	for range maxWrites {
		list, version, err := s.readRequests(ctx)
		if err != nil {
			return err
		}
		data, err := request.Encode(change(list))
		if err != nil {
			return err
		}
		if err = s.cluster.Instruct(ctx, requests, data, version); !errors.Is(err, kube.ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("what is asked for is changed all the time by others: %w", kube.ErrConflict)
}

// FollowRequests has the engine that was made last look at what somebody asks for, until ctx ends; poll has the
// repository looked at as well, and returns at once. Others ask by an annotation, see [kube.Cluster.AskedAt]. It
// tells what keeps it from that, and nil when nothing does.
func (s *System) FollowRequests(poll func()) func(ctx context.Context, tell func(error)) {
	return func(ctx context.Context, tell func(error)) {
		asked := &annotations{changed: map[unit.ObjectRef]bool{}, seen: map[unit.ObjectRef]string{}}
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
				list, _, err = s.readRequests(ctx)
			}
			if ctx.Err() != nil {
				return keepPause
			}
			targets := s.annotated(ctx, asked)
			for _, target := range targets {
				s.Log.Info().Stringer("target", target).Msg("looks again, as an annotation asks for")
			}
			var ids []string
			for _, r := range list {
				ids = append(ids, r.ID)
				s.Log.Info().Str("by", r.By).Stringers("targets", stringers(r.Targets)).Msg("looks again, as somebody asks for")
				targets = append(targets, r.Targets...)
			}
			if e := s.current.Load(); e != nil && len(targets) > 0 {
				_ = e.Retry(ctx, targets...) // the error is the context's
			}
			if len(targets) > 0 {
				poll()
			}
			if len(ids) > 0 {
				// Those that were not taken up before this process ends are taken up by the next.
				if err = s.Withdraw(ctx, ids...); err != nil {
					s.unread(requests) // they are still there
				}
			}
			tell(err)
			if err != nil {
				return keepRetry
			}
			return keepPause
		})
	}
}

func stringers(list []addr.Address) []fmt.Stringer {
	all := make([]fmt.Stringer, 0, len(list))
	for _, a := range list {
		all = append(all, a)
	}
	return all
}
