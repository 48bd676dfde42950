package revision_test

import (
	"context"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// slowly is a source that tells what is newest only to who has time.
type slowly struct {
	*gitrepo.Source
	hurried int // how often somebody had none
}

func (s *slowly) Head(ctx context.Context) (gitrepo.Revision, error) {
	if end, _ := ctx.Deadline(); time.Until(end) > 10*time.Second {
		return s.Source.Head(ctx)
	}
	s.hurried++
	<-ctx.Done()
	return gitrepo.Revision{}, ctx.Err()
}

// TestBeginsSoonWithWhatWasFetched: a process that comes into charge while the source hangs begins with what was fetched
// before, at once; with nothing of that it waits, and later it does as well.
func TestBeginsSoonWithWhatWasFetched(t *testing.T) {
	p := newPods(t)
	p.commit(one)
	cache := t.TempDir()
	begin := func() (*revision.Tracker, *slowly) {
		source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: p.server.URL(p.repository), CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		s := &slowly{Source: source}
		tracker := revision.NewTracker(s, ".", func(context.Context) (compose.Facts, error) { return compose.Facts{}, nil }, revision.Options{})
		tracker.Ledger, tracker.FirstLook = p.ledger, 20*time.Millisecond
		return tracker, s
	}
	first, source := begin() // there is nothing to begin with
	poll(t, first, "project.one")
	if source.hurried != 1 {
		t.Errorf("without a cache it was hurried %d times", source.hurried)
	}
	p.keep(first, first.State().Applied.Hash)

	p.commit(two)
	second, source := begin()
	got, err := second.Poll(t.Context())
	if err == nil || second.State().Unreachable == nil {
		t.Error("that the source hangs is not told")
	}
	expect(t, got, "project.one")
	poll(t, second, "project.one", "project.two")
	if source.hurried != 1 {
		t.Errorf("it was hurried %d times", source.hurried)
	}
}
