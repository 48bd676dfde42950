package revision_test

import (
	"context"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// A process that starts while the newest commit has mistakes begins with the one that an earlier
// process kept.
func TestRestartWhileTheNewestIsBroken(t *testing.T) {
	store := gitserver.NewStore(t)
	repository := store.Create(t, "cloud")
	good := repository.Commit(t, map[string]string{"main.hcl": one}, "Good")
	server := gitserver.StartHTTP(t, store)
	server.SetAnonymous(gitserver.ReadOnly)
	cache := t.TempDir()
	facts := func(context.Context) (compose.Facts, error) { return compose.Facts{Nodes: []string{"node-1"}}, nil }
	start := func() *revision.Tracker {
		source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: server.URL(repository), CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		return revision.NewTracker(source, ".", facts, revision.Options{Language: schema.New()})
	}
	tracker := start()
	poll(t, tracker, "project.one")
	if err := tracker.Keep(t.Context(), good); err != nil {
		t.Fatal(err)
	}
	bad := repository.Commit(t, map[string]string{"main.hcl": broken}, "Bad")
	poll(t, tracker)

	tracker = start()
	if got := poll(t, tracker, "project.one"); got.ID != good {
		t.Errorf("it begins with %s, want %s", got.ID, good)
	}
	if state := tracker.State(); state.Bad == nil || state.Head.Hash != bad || state.Applied.Hash != good || state.Model == nil {
		t.Errorf("state %+v", state)
	}
	poll(t, tracker) // nothing new
}

// What an earlier process admitted is there to fall back on, as long as nothing newer was admitted.
func TestRestartWhileTheNewestMayBeRefused(t *testing.T) {
	store := gitserver.NewStore(t)
	repository := store.Create(t, "cloud")
	admitted := repository.Commit(t, map[string]string{"main.hcl": one}, "Good")
	server := gitserver.StartHTTP(t, store)
	server.SetAnonymous(gitserver.ReadOnly)
	cache := t.TempDir()
	start := func() *revision.Tracker {
		source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: server.URL(repository), CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		return revision.NewTracker(source, ".", func(context.Context) (compose.Facts, error) { return compose.Facts{}, nil }, revision.Options{Language: schema.New()})
	}
	tracker := start()
	if got := poll(t, tracker, "project.one"); got.Fallback != nil {
		t.Errorf("the first one falls back on %s", got.Fallback.ID)
	}
	if err := tracker.Keep(t.Context(), admitted); err != nil {
		t.Fatal(err)
	}
	// A process that begins with what is in force knows that it is.
	tracker = start()
	if got := poll(t, tracker, "project.one"); got.Fallback != nil || tracker.State().InForce.Hash != admitted {
		t.Errorf("it falls back on %v, in force is %s", got.Fallback, tracker.State().InForce.Hash)
	}
	newest := repository.Commit(t, map[string]string{"main.hcl": two}, "Too much")
	for name, got := range map[string]*engine.Revision{
		"in the same process": poll(t, tracker, "project.one", "project.two"),
		"in a new process":    poll(t, start(), "project.one", "project.two"),
	} {
		if got.ID != newest || got.Fallback == nil || got.Fallback.ID != admitted {
			t.Fatalf("%s: %s with the fallback %v, want %s", name, got.ID, got.Fallback, admitted)
		}
		expect(t, got.Fallback, "project.one")
	}
	again, err := tracker.Recompose(t.Context())
	if err != nil || again.Fallback == nil || again.Fallback.ID != admitted {
		t.Errorf("composed again: %+v, %v", again, err)
	}
	tracker = start()
	poll(t, tracker, "project.one", "project.two")
	if state := tracker.State(); state.InForce.Hash != admitted || tracker.InForce() != state.InForceModel || state.InForceModel == state.Model {
		t.Errorf("in force is %s, and its model %v", state.InForce.Hash, state.InForceModel)
	}
	if err := tracker.Keep(t.Context(), newest); err != nil {
		t.Fatal(err)
	}
	if again, err := tracker.Recompose(t.Context()); err != nil || again.Fallback != nil || tracker.State().InForce.Hash != newest {
		t.Errorf("after it was admitted: %+v, %v, in force %s", again, err, tracker.State().InForce.Hash)
	}
}
