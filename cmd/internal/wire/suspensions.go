package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
)

const (
	// suspensions is the name by which the cluster keeps them.
	suspensions = "suspensions"
	// maxWrites bounds how often they are read and written again, where others write at the same time.
	maxWrites = 10
	// firstWritePause is the time until they are for the first time, or up to twice that.
	firstWritePause = 10 * time.Millisecond
)

// ErrNothingInstalled says that there is nobody in the namespace whom anything could be told.
var ErrNothingInstalled = errors.New("nothing is installed")

// Suspensions returns those that were given by command, those included whose time has passed.
func (s *System) Suspensions(ctx context.Context) ([]suspension.Suspension, error) {
	list, _, err := s.readSuspensions(ctx)
	return list, err
}

func (s *System) readSuspensions(ctx context.Context) ([]suspension.Suspension, string, error) {
	data, version, err := s.instructions(ctx, suspensions)
	if err != nil {
		return nil, "", fmt.Errorf("what is suspended: %w", err)
	}
	list, err := suspension.Decode(data)
	if err != nil {
		s.unread(suspensions)
		return nil, "", fmt.Errorf("what is suspended is not known, as the ConfigMap kupenstack-%s in %s is damaged: %w. To resume everything, delete it", suspensions, s.Flags.Namespace, err)
	}
	return list, version, nil
}

// instructions reads what was told by a name, and remembers which version that is.
func (s *System) instructions(ctx context.Context, name string) (data []byte, version string, err error) {
	data, version, err = s.cluster.Instructions(ctx, name)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if delete(s.told, name); err == nil {
		s.told[name] = version
	}
	return data, version, err
}

// unread has what was told by a name read again though it stays the same.
func (s *System) unread(name string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.told, name)
}

// fresh tells whether what was told by a name is what was read last, so that nothing has to be asked.
func (s *System) fresh(ctx context.Context, name string) bool {
	now, err := s.cluster.InstructionsVersion(ctx, name)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	last, read := s.told[name]
	return err == nil && read && now == last
}

// ChangeSuspensions writes those that were given by command anew, after change; those whose time has passed go. It
// is for people, and asks nobody who is in charge. The error wraps [ErrNothingInstalled] where no daemon or pass has
// ever been at work in the namespace: one that was misspelt would be made else.
func (s *System) ChangeSuspensions(ctx context.Context, change func([]suspension.Suspension) []suspension.Suspension) error {
	if err := s.installedHere(ctx); err != nil {
		return err
	}
	return untilAlone(ctx, "what is suspended", func() error {
		list, version, err := s.readSuspensions(ctx)
		if err != nil {
			return err
		}
		data, err := suspension.Encode(change(suspension.Standing(s.Now(), list)))
		if err != nil {
			return err
		}
		return s.cluster.Instruct(ctx, suspensions, data, version)
	})
}

// resuspend has an engine change them, and know what is kept then: where they cannot be changed, what was read. Nobody else
// would tell it of that, as it counts as read. It is for who is in charge.
func (s *System) resuspend(ctx context.Context, e *engine.Engine, change func([]suspension.Suspension) []suspension.Suspension) error {
	s.hearing.Lock()
	defer s.hearing.Unlock()
	var kept []suspension.Suspension
	known := false
	err := untilAlone(ctx, "what is suspended", func() error {
		known = false
		all, version, err := s.readSuspensions(ctx)
		if err != nil {
			return err
		}
		kept, known = suspension.Standing(s.Now(), all), true
		next := change(kept)
		if slices.Equal(next, kept) {
			return nil
		}
		data, err := suspension.Encode(next)
		if err != nil {
			return err
		}
		if err = s.cluster.Instruct(ctx, suspensions, data, version); err == nil {
			kept = next
		}
		return err
	})
	if known {
		err = errors.Join(err, s.hand(ctx, e, kept))
	}
	return err
}

// hand has an engine know what was read of them. Where it cannot be told any more, that is read again.
func (s *System) hand(ctx context.Context, e *engine.Engine, list []suspension.Suspension) error {
	err := e.Suspend(ctx, list) // the error is the context's
	if err != nil {
		s.unread(suspensions)
	}
	return err
}

// untilAlone has something read and written again while others write it in between, for a second or so. The pauses grow, and
// differ by chance, so that those who came together do not come back together.
func untilAlone(ctx context.Context, what string, write func() error) error {
	var conflict error
	pauses := wait.Backoff{Steps: maxWrites, Duration: firstWritePause, Factor: 1.5, Jitter: 1}
	err := wait.ExponentialBackoffWithContext(ctx, pauses, func(context.Context) (bool, error) {
		err := write()
		if conflict = nil; errors.Is(err, kube.ErrConflict) {
			conflict = err
			return false, nil
		}
		return true, err
	})
	if conflict != nil && ctx.Err() == nil {
		return fmt.Errorf("%s is changed all the time by others: %w", what, conflict)
	}
	return err
}

// installedHere returns an error that wraps [ErrNothingInstalled] where nothing is.
func (s *System) installedHere(ctx context.Context) error {
	_, _, found, err := s.cluster.PeekInstallation(ctx)
	if err == nil && !found {
		err = fmt.Errorf("%w in the namespace %s: see --namespace", ErrNothingInstalled, s.Flags.Namespace)
	}
	return err
}

// Unknown returns those of these that nothing is on record for.
func (s *System) Unknown(ctx context.Context, targets []addr.Address) ([]addr.Address, error) {
	records, err := inventory.Open(ctx, s.shards())
	if err != nil {
		return nil, err
	}
	var unknown []addr.Address
	for _, target := range targets {
		if !slices.ContainsFunc(records.Entries(), func(e inventory.Entry) bool { return target.Contains(e.Address) }) {
			unknown = append(unknown, target)
		}
	}
	return unknown, nil
}

// Now returns the time by the API server's clock, the one that whoever gives a command and whoever is in charge have in
// common. It is that of this machine until the cluster has answered something.
func (s *System) Now() time.Time { return s.cluster.Now() }

// User returns who this is for the cluster.
func (s *System) User(ctx context.Context) (string, error) { return s.cluster.User(ctx) }

// FollowSuspensions has the engine that was made last know what is suspended by command, until ctx ends. It tells
// what keeps it from that, and nil when nothing does; what was known last counts until then.
func (s *System) FollowSuspensions(ctx context.Context, tell func(error)) {
	s.listen(ctx, func(f func()) (func(), error) { return s.cluster.InstructionsChanged(ctx, suspensions, f) }, "a suspension is noticed later", func() time.Duration {
		if s.fresh(ctx, suspensions) {
			tell(nil)
			return keepPause
		}
		err := s.hearSuspensions(ctx)
		if ctx.Err() != nil {
			return keepPause
		}
		tell(err)
		if err != nil {
			s.Log.Warn().Err(err).Msg("it is not known what is suspended; what was known last counts")
			return keepRetry
		}
		return keepPause
	})
}

// hearSuspensions has the engine know what is suspended by command: in the order in which that is read, as nobody
// would ask again after an older list that came last.
func (s *System) hearSuspensions(ctx context.Context) error {
	s.hearing.Lock()
	defer s.hearing.Unlock()
	list, err := s.Suspensions(ctx)
	if err != nil {
		return err
	}
	if e := s.current.Load(); e != nil {
		return s.hand(ctx, e, list)
	}
	return nil
}

// listen calls look, and again each time that subscribe tells of a change, and when the time has passed that look
// returned, until ctx ends.
func (s *System) listen(ctx context.Context, subscribe func(func()) (func(), error), late string, look func() time.Duration) {
	heard := make(chan struct{}, 1)
	cancel, err := subscribe(func() {
		select {
		case heard <- struct{}{}:
		default: // one word is enough
		}
	})
	defer cancel()
	if err != nil {
		s.Log.Debug().Err(err).Msg(late)
	}
	for ctx.Err() == nil {
		later := time.NewTimer(look())
		select {
		case <-heard:
		case <-later.C:
		case <-ctx.Done():
		}
		later.Stop()
	}
}
