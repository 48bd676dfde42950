package revision_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// ledger is what all processes share.
type ledger struct {
	id     string
	fail   error
	writes int
}

func (l *ledger) Admitted(context.Context) (string, error) { return l.id, l.fail }

func (l *ledger) Admit(_ context.Context, id string) error {
	if l.fail == nil && l.id != id {
		l.id = id
		l.writes++
	}
	return l.fail
}

// pods are processes that follow one repository, each with a cache of its own, and share a ledger.
type pods struct {
	*ledger
	t          *testing.T
	repository *gitserver.Repository
	server     *gitserver.HTTPServer
}

func newPods(t *testing.T) *pods {
	t.Helper()
	store := gitserver.NewStore(t)
	p := &pods{ledger: &ledger{}, t: t, repository: store.Create(t, "cloud"), server: gitserver.StartHTTP(t, store)}
	p.server.SetAnonymous(gitserver.ReadOnly)
	return p
}

func (p *pods) commit(hcl string, options ...gitserver.CommitOption) string {
	p.t.Helper()
	return p.repository.Commit(p.t, map[string]string{"main.hcl": hcl}, "Change", options...)
}

// start is a process with a cache.
func (p *pods) start(cache string) *revision.Tracker {
	p.t.Helper()
	return p.over(gitrepo.Options{CacheDir: cache})
}

// over is a process with these options of its source.
func (p *pods) over(options gitrepo.Options) *revision.Tracker {
	p.t.Helper()
	options.URL = p.server.URL(p.repository)
	source, err := gitrepo.Open(p.t.Context(), options)
	if err != nil {
		p.t.Fatal(err)
	}
	tracker := revision.NewTracker(source, ".", func(context.Context) (compose.Facts, error) { return compose.Facts{}, nil }, revision.Options{Language: schema.New()})
	tracker.Ledger = p.ledger
	return tracker
}

func (p *pods) keep(tracker *revision.Tracker, id string) {
	p.t.Helper()
	if err := tracker.Keep(p.t.Context(), id); err != nil {
		p.t.Fatal(err)
	}
}

// A process on another machine, with nothing in its cache, begins with what was in force.
func TestStartElsewhereWhileTheNewestIsBroken(t *testing.T) {
	p := newPods(t)
	good := p.commit(one)
	first := p.start(t.TempDir())
	poll(t, first, "project.one")
	p.keep(first, good)
	p.keep(first, good)
	if p.writes != 1 {
		t.Errorf("%d writes to the ledger", p.writes)
	}
	p.commit(broken)
	bad := p.commit(broken + "\n")

	cache := t.TempDir()
	tracker := p.start(cache)
	if got := poll(t, tracker, "project.one"); got.ID != good {
		t.Errorf("it begins with %s, want %s", got.ID, good)
	}
	state := tracker.State()
	if state.Bad == nil || state.Head.Hash != bad || state.Applied.Hash != good || state.Applied.Subject != "Change" || state.InForce.Hash != good || state.Problem() != "" {
		t.Errorf("state %+v", state)
	}
	// The next poll is one look, and a later process finds it all in the cache.
	before := p.server.Requests()["cloud"]
	poll(t, tracker)
	poll(t, p.start(cache), "project.one")
	if now := p.server.Requests()["cloud"]; now.Fetch != before.Fetch || now.ListRefs != before.ListRefs+2 {
		t.Errorf("%+v after %+v", now, before)
	}
	mended := p.commit(two)
	if got := poll(t, tracker, "project.one", "project.two"); got.ID != mended || got.Fallback == nil || got.Fallback.ID != good {
		t.Errorf("after the mistake is mended: %+v", got)
	}
}

// What was in force is fallen back on when the newest revision is refused, also elsewhere.
func TestStartElsewhereWhileTheNewestMayBeRefused(t *testing.T) {
	p := newPods(t)
	p.id = p.commit(one)
	newest := p.commit(two)
	tracker := p.start(t.TempDir())
	got := poll(t, tracker, "project.one", "project.two")
	if got.ID != newest || got.Fallback == nil || got.Fallback.ID != p.id || tracker.State().InForce.Hash != p.id {
		t.Errorf("%s with the fallback %v", got.ID, got.Fallback)
	}
	p.id = strings.Repeat("0", 40) // what cannot be had does not keep a good one back
	if got := poll(t, p.start(t.TempDir()), "project.one", "project.two"); got.Fallback != nil {
		t.Errorf("it falls back on %s", got.Fallback.ID)
	}
}

// What a forced push took out of the history is not gone back to: nothing is in force, and that is said.
func TestLastGoodRevisionIsLost(t *testing.T) {
	slow.Test(t)
	for name, tc := range map[string]struct {
		prepare func(p *pods)
		says    string
	}{
		"a forced push": {func(p *pods) {
			first := p.commit(broken)
			p.id = p.commit(one)
			p.commit(broken+"\n", gitserver.Onto(first))
		}, "does not have the commit"},
		"another repository": {func(p *pods) {
			p.id = strings.Repeat("0", 40)
			p.commit(broken)
		}, "does not have the commit"},
		"no commit": {func(p *pods) {
			p.id = "sha256:" + strings.Repeat("0", 64)
			p.commit(broken)
		}, "no commit"},
		"the newest itself": {func(p *pods) { p.id = p.commit(broken) }, "it was in force before"},
		"one that was never good": {func(p *pods) {
			p.id = p.commit(broken)
			p.commit(broken + "\n")
		}, "has mistakes, too"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPods(t)
			tc.prepare(p)
			tracker := p.start(t.TempDir())
			poll(t, tracker)
			poll(t, tracker)
			state := tracker.State()
			if state.Bad == nil || state.Applied.Hash != "" || state.InForce.Hash != "" || state.Lost == nil || !strings.Contains(state.Problem(), tc.says) || !strings.Contains(state.Problem(), "nothing is changed") {
				t.Errorf("state %+v: %s", state, state.Problem())
			}
			if got, err := tracker.Recompose(t.Context()); got != nil || err != nil {
				t.Errorf("in force is %v, %v", got, err)
			}
			p.commit(two)
			poll(t, tracker, "project.one", "project.two")
			if state := tracker.State(); state.Lost != nil || state.Problem() != "" {
				t.Errorf("after it is mended: %+v", state)
			}
		})
	}
}

// A ledger that cannot be read says nothing: not that nothing was in force.
func TestLedgerFails(t *testing.T) {
	p := newPods(t)
	p.id = p.commit(one)
	bad := p.commit(broken)
	tracker := p.start(t.TempDir())
	p.fail = errDown
	for range 2 {
		if got, err := tracker.Poll(t.Context()); !errors.Is(err, errDown) || got != nil {
			t.Fatalf("got %v, %v", got, err)
		}
	}
	if state := tracker.State(); state.Bad == nil || state.Head.Hash != bad {
		t.Errorf("what is known already is not told: %+v", state)
	}
	if err := tracker.Resume(t.Context()); !errors.Is(err, errDown) {
		t.Errorf("it goes on with %v", err)
	}
	if err := tracker.Keep(t.Context(), bad); !errors.Is(err, errDown) {
		t.Errorf("nobody learns that it was not recorded: %v", err)
	}
	p.fail = nil
	if got := poll(t, tracker, "project.one"); got.ID != p.id {
		t.Errorf("it begins with %s, want %s", got.ID, p.id)
	}
}

// What a machine kept long ago is not gone back to when another process has been in charge since.
func TestAnotherProcessWasInCharge(t *testing.T) {
	p := newPods(t)
	old := p.commit(one)
	cache := t.TempDir()
	tracker := p.start(cache)
	poll(t, tracker, "project.one")
	p.keep(tracker, old)
	if err := tracker.Resume(t.Context()); err != nil || tracker.State().Applied.Hash != old {
		t.Fatalf("%v, state %+v", err, tracker.State())
	}
	p.id = p.commit(two)
	p.commit(broken)

	if err := tracker.Resume(t.Context()); err != nil || !reflect.ValueOf(tracker.State()).IsZero() {
		t.Errorf("%v, state %+v", err, tracker.State())
	}
	for name, tracker := range map[string]*revision.Tracker{"the same process": tracker, "a new one": p.start(cache)} {
		if got := poll(t, tracker, "project.one", "project.two"); got.ID != p.id {
			t.Errorf("%s goes on with %s, want %s", name, got.ID, p.id)
		}
	}
}

// TestInChargeAgain: a process that lost the lease and has it again goes on with what it has admitted itself, also where that
// could not be put on record, unless another one has admitted something since.
func TestInChargeAgain(t *testing.T) {
	for name, test := range map[string]struct {
		records, others bool
		offline         bool
		want            []string
	}{
		"it is on record":                 {records: true, want: []string{"project.one", "project.two"}},
		"it is not on record":             {want: []string{"project.one", "project.two"}},
		"it is not, and there is no Git":  {offline: true, want: []string{"project.one", "project.two"}},
		"another one was in charge since": {others: true, want: []string{"project.other"}},
		"also after it was on record":     {records: true, others: true, want: []string{"project.other"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPods(t)
			p.commit(one)
			tracker := p.start(t.TempDir())
			again := func() {
				t.Helper()
				if err := tracker.Resume(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			again()
			p.keep(tracker, poll(t, tracker, "project.one").ID)
			second := p.commit(two)
			poll(t, tracker, "project.one", "project.two")
			if test.records {
				p.keep(tracker, second)
			} else {
				p.fail = errDown
				if err := tracker.Record(t.Context(), second); !errors.Is(err, errDown) {
					t.Errorf("error %v", err)
				}
				p.fail = nil
			}
			if test.others {
				p.id = p.commit(external + "project \"other\" {}\n")
			}
			p.commit(broken)
			if !test.others {
				poll(t, tracker) // it has seen that before it lost the lease
			}
			if test.offline {
				p.server.Stop(t)
			}
			again()
			again() // twice, without a look in between
			got, err := tracker.Recompose(t.Context())
			if got == nil && err == nil {
				got, err = tracker.Poll(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			expect(t, got, test.want...)
			if now := tracker.State().InForce.Hash; now != got.ID {
				t.Errorf("in force is %s, want %s", now, got.ID)
			}
			// What is in force is put on record then.
			if err := tracker.Record(t.Context(), got.ID); err != nil || p.id != got.ID {
				t.Errorf("on record is %s, %v", p.id, err)
			}
		})
	}
}

// Without the repository, a cache that may be older than what is in force is of no use.
func TestOldCacheWithoutTheRepository(t *testing.T) {
	p := newPods(t)
	old := p.commit(one)
	cache := t.TempDir()
	tracker := p.start(cache)
	poll(t, tracker, "project.one")
	p.keep(tracker, old)
	p.server.Stop(t)
	for _, tc := range []struct {
		recorded string
		want     []string
	}{{"", []string{"project.one"}}, {old, []string{"project.one"}}, {strings.Repeat("0", 40), nil}} {
		p.id = tc.recorded
		got, err := p.start(cache).Poll(t.Context())
		if gitrepo.KindOf(err) != gitrepo.Unreachable {
			t.Errorf("recorded %q: error %v", tc.recorded, err)
		}
		expect(t, got, tc.want...)
	}
}

// Nor is what was fetched here last where another process has been in charge since, and what that one admitted was
// only dug out of the history, as the newest could not be fetched.
func TestOldCacheBesideWhatIsInForce(t *testing.T) {
	p, cache := newPods(t), t.TempDir()
	start := func(cache string) *revision.Tracker {
		return p.over(gitrepo.Options{CacheDir: cache, MaxFiles: 20})
	}
	p.commit(one)
	here := start(cache)
	p.keep(here, poll(t, here, "project.one").ID)
	inForce := p.commit(two)
	there := start(t.TempDir())
	poll(t, there, "project.one", "project.two")
	p.keep(there, inForce)
	many := map[string]string{}
	for i := range 30 {
		many[fmt.Sprint(i)] = ""
	}
	p.repository.Commit(t, many, "Many")
	got, err := start(cache).Poll(t.Context())
	if gitrepo.KindOf(err) != gitrepo.TooLarge {
		t.Fatalf("error %v", err)
	}
	expect(t, got, "project.one", "project.two")

	p.server.Stop(t)
	got, err = start(cache).Poll(t.Context())
	if gitrepo.KindOf(err) != gitrepo.Unreachable {
		t.Errorf("error %v", err)
	}
	if expect(t, got, "project.one", "project.two"); got.ID != inForce {
		t.Errorf("it begins with %s, want %s", got.ID, inForce)
	}
}

// What could not be put on record is not kept: a process that begins without Git goes on with what was fetched after the
// one on record, and knows that by what was kept.
func TestNotKeptUnlessOnRecord(t *testing.T) {
	p, cache := newPods(t), t.TempDir()
	p.commit(one)
	tracker := p.start(cache)
	p.keep(tracker, poll(t, tracker, "project.one").ID)
	p.commit(two)
	newest := poll(t, tracker, "project.one", "project.two").ID
	p.fail = errDown
	if err := tracker.Keep(t.Context(), newest); !errors.Is(err, errDown) {
		t.Errorf("error %v", err)
	}
	p.fail = nil
	p.server.Stop(t)
	got, err := p.start(cache).Poll(t.Context())
	if gitrepo.KindOf(err) != gitrepo.Unreachable {
		t.Errorf("error %v", err)
	}
	expect(t, got, "project.one", "project.two")
}

// What was admitted and noted is in force, however many newer ones are handed out before it is on record.
func TestNotedBeforeItIsOnRecord(t *testing.T) {
	p := newPods(t)
	p.commit(two)
	tracker := p.start(t.TempDir())
	p.keep(tracker, poll(t, tracker, "project.one", "project.two").ID)
	second := p.commit(one)
	poll(t, tracker, "project.one")
	p.commit(two + "project \"three\" {}\n")
	poll(t, tracker, "project.one", "project.three", "project.two")
	tracker.Note(second)
	p.commit(two + "project \"four\" {}\n")
	got := poll(t, tracker, "project.four", "project.one", "project.two")
	if got.Fallback == nil || got.Fallback.ID != second {
		t.Errorf("it falls back on %v, want %s", got.Fallback, second)
	}
	p.keep(tracker, second)
	if state := tracker.State(); state.InForce.Hash != second || p.id != second {
		t.Errorf("in force is %s and on record is %s, want %s", state.InForce.Hash, p.id, second)
	}
}
