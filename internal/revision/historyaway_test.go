package revision_test

import (
	"context"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// goesOn checks that a process that begins takes up what is in force, and says that a newer one cannot be looked into.
func goesOn(t *testing.T, tracker *revision.Tracker, inForce string, kind gitrepo.Kind) {
	t.Helper()
	got, err := tracker.Poll(t.Context())
	if got == nil || gitrepo.KindOf(err) != kind {
		t.Fatalf("got %v, %v", got, err)
	}
	expect(t, got, "project.one")
	if state := tracker.State(); got.ID != inForce || got.Fallback != nil || state.InForce.Hash != inForce || state.Applied.Hash != inForce || state.Bad != nil {
		t.Errorf("it begins with %s and the fallback %v, want %s; state %+v", got.ID, got.Fallback, inForce, state)
	}
}

// A process that has to look into what led to the newest commit, and begins without Git, goes on with what is in force.
func TestHistoryOutOfReachAtTheStart(t *testing.T) {
	for name, newer := range map[string]string{"with mistakes": broken, "not admitted": two} {
		t.Run(name, func(t *testing.T) {
			p, who, cache := newPods(t), &people{}, t.TempDir()
			ada, bob := gitserver.NewKey(t), gitserver.NewKey(t)
			who.trust(t, ada)
			first := p.commit(one, gitserver.SignedBy(ada))
			tracker := p.trusting(who, true, cache)
			p.keep(tracker, poll(t, tracker, "project.one").ID)
			p.commit(newer, gitserver.SignedBy(ada))
			if _, err := tracker.Poll(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.server.Stop(t)

			again := p.trusting(who, true, cache)
			goesOn(t, again, first, gitrepo.Unreachable)
			if got, err := again.Poll(t.Context()); got != nil || gitrepo.KindOf(err) != gitrepo.Unreachable {
				t.Errorf("at the next poll: %v, %v", got, err)
			}
			who.trust(t, bob)
			if got, _ := p.trusting(who, true, cache).Poll(t.Context()); got != nil {
				t.Errorf("it takes %v, which nobody who is trusted has signed", units(got))
			}
			p.id = "0000000000000000000000000000000000000000"
			who.trust(t, ada)
			if got, _ := p.trusting(who, true, cache).Poll(t.Context()); got != nil {
				t.Errorf("it takes %v, though another one is in force", units(got))
			}
		})
	}
}

// vast is a source whose history cannot be looked into.
type vast struct {
	*gitrepo.Source
	reads int
}

func (v *vast) Since(ctx context.Context, after, id string, each func(string, []byte) error) error {
	if v.reads++; v.reads < 3 {
		return &gitrepo.Error{Kind: gitrepo.TooLarge, Text: "the answer is larger than the limit"}
	}
	return v.Source.Since(ctx, after, id, each)
}

// So does one that begins while that is larger than is read, and it takes the newest once it can be read.
func TestHistoryTooLargeAtTheStart(t *testing.T) {
	p, who, cache := newPods(t), &people{}, t.TempDir()
	ada := gitserver.NewKey(t)
	who.trust(t, ada)
	first := p.commit(one, gitserver.SignedBy(ada))
	tracker := p.trusting(who, true, cache)
	p.keep(tracker, poll(t, tracker, "project.one").ID)
	second := p.commit(two, gitserver.SignedBy(ada))

	source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: p.server.URL(p.repository), CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	again := revision.NewTracker(&vast{Source: source}, ".", func(context.Context) (compose.Facts, error) { return compose.Facts{}, nil }, revision.Options{Language: schema.New()})
	again.Ledger, again.Trust = p.ledger, &revision.Trust{Signers: who.signers, History: true}
	goesOn(t, again, first, gitrepo.TooLarge)
	if got, err := again.Poll(t.Context()); got != nil || gitrepo.KindOf(err) != gitrepo.TooLarge {
		t.Errorf("at the next poll: %v, %v", got, err)
	}
	if got := poll(t, again, "project.one", "project.two"); got.ID != second || got.Fallback == nil || got.Fallback.ID != first {
		t.Errorf("once it can be read: %+v", got)
	}
}

// What is admitted after another commit was fetched is what a process without Git begins with.
func TestAdmittedAfterAnotherWasFetched(t *testing.T) {
	p, cache := newPods(t), t.TempDir()
	tracker := p.start(cache)
	p.commit(two)
	p.keep(tracker, poll(t, tracker, "project.one", "project.two").ID)
	second := p.commit(one)
	poll(t, tracker, "project.one") // it is planned, which takes a while
	p.commit(broken)
	poll(t, tracker)
	p.keep(tracker, second)
	p.server.Stop(t)
	got, err := p.start(cache).Poll(t.Context())
	if got == nil || gitrepo.KindOf(err) != gitrepo.Unreachable || got.ID != second {
		t.Fatalf("got %v, %v; want %s", got, err, second)
	}
	expect(t, got, "project.one")
}

// What was admitted is in force by the tracker as well when a newer one was handed out before that was said.
func TestAdmittedAfterAnotherWasHandedOut(t *testing.T) {
	p := newPods(t)
	tracker := p.start(t.TempDir())
	p.commit(two)
	p.keep(tracker, poll(t, tracker, "project.one", "project.two").ID)
	second := p.commit(one)
	poll(t, tracker, "project.one")
	p.commit(two + "project \"three\" {}\n")
	poll(t, tracker, "project.one", "project.three", "project.two")
	p.keep(tracker, second)
	if state := tracker.State(); state.InForce.Hash != second || state.InForceModel == nil {
		t.Errorf("in force is %s, want %s", state.InForce.Hash, second)
	}
	if r, err := tracker.Recompose(t.Context()); err != nil || r.Fallback == nil || r.Fallback.ID != second {
		t.Errorf("it falls back on %+v, %v", r.Fallback, err)
	}
}
