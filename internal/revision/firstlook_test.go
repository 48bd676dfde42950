package revision_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// slowly is a source that tells what is newest, or has its files, only for who has time.
type slowly struct {
	*gitrepo.Source
	files   bool // its files are what takes time
	hurried int  // how often somebody had none
}

func (s *slowly) Head(ctx context.Context) (gitrepo.Revision, error) {
	if s.files || !s.hurries(ctx) {
		return s.Source.Head(ctx)
	}
	return gitrepo.Revision{}, ctx.Err()
}

func (s *slowly) Fetch(ctx context.Context, r gitrepo.Revision) (*gitrepo.Tree, error) {
	if !s.files || !s.hurries(ctx) {
		return s.Source.Fetch(ctx, r)
	}
	return nil, ctx.Err()
}

// hurries waits for the end of who has little time.
func (s *slowly) hurries(ctx context.Context) bool {
	if end, bound := ctx.Deadline(); !bound || time.Until(end) > 10*time.Second {
		return false
	}
	s.hurried++
	<-ctx.Done()
	return true
}

// TestBeginsSoonWithWhatWasFetched: a process that comes into charge while the source hangs begins with what was fetched
// before, at once; with nothing of that it waits, and later it does as well.
func TestBeginsSoonWithWhatWasFetched(t *testing.T) {
	for name, files := range map[string]bool{"what is newest": false, "its files": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			beginsSoon(t, files)
		})
	}
}

func beginsSoon(t *testing.T, files bool) {
	t.Helper()
	p := newPods(t)
	p.commit(one)
	cache := t.TempDir()
	begin := func() (*revision.Tracker, *slowly) {
		source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: p.server.URL(p.repository), CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		s := &slowly{Source: source, files: files}
		tracker := revision.NewTracker(s, ".", func(context.Context) (compose.Facts, error) { return compose.Facts{}, nil }, revision.Options{Language: schema.New()})
		tracker.Ledger, tracker.FirstLook = p.ledger, 20*time.Millisecond
		if files {
			tracker.FirstLook = 5 * time.Second // to tell what is newest, which it does
		}
		return tracker, s
	}
	first, source := begin() // there is nothing to begin with
	poll(t, first, "project.one")
	if want := map[bool]int{false: 1, true: 0}[files]; source.hurried != want {
		t.Errorf("without a cache it was hurried %d times, want %d", source.hurried, want)
	}
	p.keep(first, first.State().Applied.Hash)

	p.commit(two)
	second, source := begin()
	got, err := second.Poll(t.Context())
	if err == nil || second.State().Unreachable == nil {
		t.Error("that the source hangs is not told")
	}
	expect(t, got, "project.one")
	if id := second.State().Applied.Hash; got.ID != id || second.Newest(id) {
		t.Errorf("what it begins with, %s, counts as the newest one", id)
	}
	poll(t, second, "project.one", "project.two")
	newest := second.State().Applied.Hash
	if !second.Newest(newest) || second.Newest(got.ID) {
		t.Errorf("%s does not count as the newest one, or the one before it does", newest)
	}
	p.commit("project {") // mistakes
	if _, err := second.Poll(t.Context()); err != nil || second.State().Bad == nil || second.Newest(newest) {
		t.Errorf("what stays in force counts as the newest one beside one with mistakes: %v, %+v", err, second.State().Bad)
	}
	if source.hurried != 1 {
		t.Errorf("it was hurried %d times", source.hurried)
	}
}

// TestBeginsSoonWhileAPackComes: the same with a server that has told what is newest and then sends its objects one by one.
func TestBeginsSoonWhileAPackComes(t *testing.T) {
	t.Parallel()
	p := newPods(t)
	p.commit(one)
	cache := t.TempDir()
	first := p.start(cache)
	poll(t, first, "project.one")
	p.keep(first, first.State().Applied.Hash)

	noise := make([]byte, 1<<20) // that no pack makes small
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	p.repository.Commit(t, map[string]string{"main.hcl": two, "noise": string(noise)}, "Change")
	p.server.SetFaults(gitserver.Faults{On: gitserver.Fetch, BytesPerSecond: 20_000})
	before := p.server.Requests()[p.repository.Name].Fetch
	second := p.start(cache)
	second.FirstLook = 3 * time.Second
	got, err := second.Poll(t.Context())
	if err == nil || second.State().Unreachable == nil {
		t.Error("that the server is slow is not told")
	}
	expect(t, got, "project.one")
	if began := p.server.Requests()[p.repository.Name].Fetch - before; began != 1 {
		t.Errorf("%d packs were begun", began)
	}
	p.server.SetFaults(gitserver.Faults{})
	poll(t, second, "project.one", "project.two")
}
