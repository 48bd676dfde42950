package revision_test

import (
	"context"
	"errors"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// A commit that could not be read with what was given from outside is read again with something else, and what is in
// force stays until it can be.
func TestReadAgainWithOtherOptions(t *testing.T) {
	p := newPods(t)
	source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: p.server.URL(p.repository), CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	tracker := revision.NewTracker(source, ".", func(context.Context) (compose.Facts, error) { return compose.Facts{}, nil }, reading)
	tracker.Ledger = p.ledger
	options := reading
	var away error
	tracker.Reread = func() (revision.Options, error) { return options, away }

	first := p.commit(one)
	p.keep(tracker, poll(t, tracker, "project.one").ID)
	second := p.commit(two + "variable \"text\" {}\nproject \"three\" {\n  description = var.text\n}\n")
	poll(t, tracker)
	state := tracker.State()
	if state.Bad == nil || state.Applied.Hash != first {
		t.Fatalf("without a value: %+v", state)
	}
	poll(t, tracker)

	away = errors.New("the file is away")
	if got, err := tracker.Poll(t.Context()); got != nil || !errors.Is(err, away) {
		t.Errorf("got %v, %v", got, err)
	}
	away = nil
	options.Given = []config.Given{{Name: "text", Text: "x", Origin: "--var text"}}
	p.server.Stop(t)
	if got, err := tracker.Poll(t.Context()); got != nil || gitrepo.KindOf(err) != gitrepo.Unreachable {
		t.Errorf("without Git: %v, %v", got, err)
	}
	p.server.Start(t)
	got := poll(t, tracker, "project.one", "project.three", "project.two")
	if got.ID != second || got.Fallback == nil || got.Fallback.ID != first || tracker.State().Bad != nil {
		t.Errorf("with a value: %+v", got)
	}
	p.keep(tracker, second)
	poll(t, tracker) // nothing new
}

// rereading is a process with a cache, whose options are read again at each poll.
func (p *pods) rereading(cache string, o *revision.Options) *revision.Tracker {
	p.t.Helper()
	source, err := gitrepo.Open(p.t.Context(), gitrepo.Options{URL: p.server.URL(p.repository), CacheDir: cache})
	if err != nil {
		p.t.Fatal(err)
	}
	tracker := revision.NewTracker(source, ".", func(context.Context) (compose.Facts, error) { return compose.Facts{}, nil }, *o)
	tracker.Ledger = p.ledger
	tracker.Reread = func() (revision.Options, error) { return *o, nil }
	return tracker
}

// What is in force and could not be read either when a process started is read again as well: its newest commit may have a
// mistake of its own.
func TestInForceReadAgainWithOtherOptions(t *testing.T) {
	p, cache := newPods(t), t.TempDir()
	good := revision.Options{Language: reading.Language, Given: []config.Given{{Name: "text", Text: "x", Origin: "--var text"}}}
	first := p.commit(one + "variable \"text\" {}\nproject \"three\" {\n  description = var.text\n}\n")
	tracker := p.rereading(cache, &good)
	p.keep(tracker, poll(t, tracker, "project.one", "project.three").ID)
	p.commit(broken)

	options := reading
	again := p.rereading(cache, &options)
	if got, err := again.Poll(t.Context()); got != nil || err != nil || again.State().Lost == nil {
		t.Errorf("started without a value: %v, %v, %v", got, err, again.State().Lost)
	}
	poll(t, again)
	options = good
	if got, err := again.Poll(t.Context()); err != nil || got == nil || got.ID != first {
		t.Errorf("with it: %v, %v, %+v", got, err, again.State())
	}
	poll(t, again)
}

// What is in the cache and could not be read when a process started without the repository is read with other options, too,
// though the repository is still away.
func TestCachedReadAgainWithOtherOptions(t *testing.T) {
	p, cache := newPods(t), t.TempDir()
	good := revision.Options{Language: reading.Language, Given: []config.Given{{Name: "text", Text: "x", Origin: "--var text"}}}
	first := p.commit(one + "variable \"text\" {}\nproject \"three\" {\n  description = var.text\n}\n")
	tracker := p.rereading(cache, &good)
	p.keep(tracker, poll(t, tracker, "project.one", "project.three").ID)
	p.server.Stop(t)

	options := reading
	again := p.rereading(cache, &options)
	for range 2 {
		if got, err := again.Poll(t.Context()); got != nil || gitrepo.KindOf(err) != gitrepo.Unreachable || again.State().Bad == nil {
			t.Errorf("started without a value: %v, %v, %+v", got, err, again.State())
		}
	}
	options = good
	if got, err := again.Poll(t.Context()); gitrepo.KindOf(err) != gitrepo.Unreachable || got == nil || got.ID != first {
		t.Errorf("with it: %v, %v, %+v", got, err, again.State())
	}
	if got, err := again.Poll(t.Context()); got != nil || gitrepo.KindOf(err) != gitrepo.Unreachable {
		t.Errorf("it is taken once more: %v, %v", got, err)
	}
}
