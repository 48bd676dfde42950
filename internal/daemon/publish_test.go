package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const configuration = `cloud "lab" {
  openstack {
    cloud = "lab"
  }
}
project "one" {}
`

// branch is where reports go.
type branch struct {
	mutex sync.Mutex
	files map[string][]byte
	calls int
	reads int
	last  string // the message
	fail  error

	plans  []report.OpenPlan
	merged []string // what the last report was told of
	blind  error    // nobody knows which plans there are

	foreign *gitrepo.Commit // of somebody else, found by the next report
	moved   bool            // somebody else wrote since the last report
}

func (b *branch) Moved() bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.moved
}

func (b *branch) Read(context.Context) (map[string][]byte, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.reads++
	return maps.Clone(b.files), b.fail
}

func (b *branch) Publish(_ context.Context, files map[string][]byte, message string, merged []string) (*gitrepo.Commit, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.calls++
	if b.fail != nil {
		return nil, b.fail
	}
	foreign := b.foreign
	b.merged = merged
	b.files, b.last, b.foreign, b.moved = maps.Clone(files), message, nil, false
	return foreign, nil
}

func (b *branch) Plans(context.Context, []string) ([]report.OpenPlan, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.plans, b.blind
}

// desk is a publisher with what it needs.
type desk struct {
	t         *testing.T
	dir       string
	target    *branch
	tracker   *revision.Tracker
	publisher *daemon.Publisher
	did       []unit.Action
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), target: &branch{}}
	d.tracker = follow(t, d.dir)
	d.publisher = &daemon.Publisher{Target: d.target, Tracker: d.tracker, Log: zerolog.Nop(), Base: report.Input{Version: "1.2.3"}}
	d.commit(configuration)
	return d
}

// follow returns a tracker of a directory.
func follow(t *testing.T, dir string) *revision.Tracker {
	t.Helper()
	source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: dir})
	if err != nil {
		t.Fatal(err)
	}
	return revision.NewTracker(source, ".", noFacts, revision.Options{Language: schema.New()})
}

func noFacts(context.Context) (compose.Facts, error) { return compose.Facts{}, nil }

func (d *desk) commit(hcl string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, "main.hcl"), []byte(hcl), 0o600); err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.tracker.Poll(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

// publish publishes, and fails the test unless the target was called that often in all, and the
// wait is that long.
func (d *desk) publish(phase engine.Phase, reason string, now bool, calls int, wait time.Duration) {
	d.t.Helper()
	got, err := d.publisher.Publish(d.t.Context(), d.snapshot(phase, reason), nil, now)
	if err != nil {
		d.t.Fatal(err)
	}
	if got != wait || d.target.calls != calls {
		d.t.Fatalf("%s %q: %d calls and a wait of %v, want %d and %v", phase, reason, d.target.calls, got, calls, wait)
	}
}

func (d *desk) snapshot(phase engine.Phase, reason string) engine.Snapshot {
	return engine.Snapshot{
		Revision: d.tracker.State().Applied.Hash, Settled: phase != engine.PhaseProgressing,
		Units: []engine.UnitStatus{{Address: addr.MustParseObject("project.one"), Class: "resource", Kind: "project", Phase: phase, Reason: reason, Did: d.did}},
	}
}

// inBubble runs a test with a clock of its own.
func inBubble(t *testing.T, test func(t *testing.T, d *desk)) {
	synctest.Test(t, func(t *testing.T) { test(t, newDesk(t)) })
}

func TestPublishAtOnceWhatMatters(t *testing.T) {
	inBubble(t, func(_ *testing.T, d *desk) {
		d.publish(engine.PhaseFailed, "refused", false, 1, 0)
		if !strings.Contains(d.target.last, "degraded") || !strings.Contains(d.target.last, "1 failed") || !strings.Contains(d.target.last, d.tracker.State().Applied.Hash) {
			d.t.Errorf("message %q", d.target.last)
		}
		d.publish(engine.PhaseProgressing, "", false, 2, 0) // another verdict
		d.commit(configuration + "project \"two\" {}\n")
		d.publish(engine.PhaseProgressing, "", false, 3, 0) // another commit in force
		d.commit("nonsense {")
		d.publish(engine.PhaseProgressing, "", false, 4, 0) // a bad one
		if got := d.publisher.Verdict(); got != report.VerdictInvalid {
			d.t.Errorf("the verdict is %s", got)
		}
	})
}

// What the engine is about to take is not reported as nothing, unless something keeps it from that.
func TestPublishAfterTheEngine(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		wait, err := d.publisher.Publish(t.Context(), engine.Snapshot{}, nil, false)
		if err != nil || wait != time.Second || d.target.calls != 0 {
			t.Errorf("%d calls, a wait of %v, error %v", d.target.calls, wait, err)
		}
		if _, err := d.publisher.Publish(t.Context(), engine.Snapshot{}, []string{"facts: unknown"}, false); err != nil {
			t.Error(err)
		}
		text := string(d.target.files["README.md"])
		if !strings.Contains(text, ": unknown") || strings.Contains(text, "No commit is in force") {
			t.Errorf("the report says\n%s", text)
		}
	})
}

// While the engine goes back from a revision that was refused to the one that stays in force, it has nothing to
// tell of that one.
func TestPublishOfWhatStaysInForce(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		if err := d.tracker.Keep(t.Context(), d.tracker.State().Applied.Hash); err != nil {
			t.Fatal(err)
		}
		d.publish(engine.PhaseReady, "", true, 1, 0)
		s := d.snapshot(engine.PhaseWaiting, "for the plan")
		s.Admitted, s.Settled = false, false
		s.Refused, s.RefusedRevision = diag.Diagnostics{{Summary: "it is refused", Code: "plan.brake"}}, "2222"
		if wait, err := d.publisher.Publish(t.Context(), s, nil, false); err != nil || wait != time.Second || d.target.calls != 1 {
			t.Errorf("%d reports, a wait of %v, error %v", d.target.calls, wait, err)
		}
		s.RefusedRevision = s.Revision // there is none to go back to
		if wait, err := d.publisher.Publish(t.Context(), s, nil, false); err != nil || wait != 0 || d.target.calls != 2 {
			t.Errorf("%d reports, a wait of %v, error %v", d.target.calls, wait, err)
		}
	})
}

func TestPublishDetailsLater(t *testing.T) {
	inBubble(t, func(_ *testing.T, d *desk) {
		d.publish(engine.PhaseFailed, "first", false, 1, 0)
		time.Sleep(10 * time.Second)
		d.publish(engine.PhaseFailed, "second", false, 1, 20*time.Second)
		time.Sleep(20 * time.Second)
		d.publish(engine.PhaseFailed, "second", false, 2, 0)
		d.publish(engine.PhaseFailed, "third", true, 3, 0) // now
	})
}

func TestPublishNothingTwice(t *testing.T) {
	inBubble(t, func(_ *testing.T, d *desk) {
		d.did = []unit.Action{unit.ActionCreate}
		d.publish(engine.PhaseReady, "", false, 1, 0)
		for range 3 {
			time.Sleep(time.Minute)
			d.publish(engine.PhaseReady, "", false, 1, 0)
		}
		d.publish(engine.PhaseReady, "", true, 1, 0)
		// Another process, with the same to tell, though it was not the one that did it.
		other := *d
		other.did = nil
		other.publisher = &daemon.Publisher{Target: d.target, Tracker: d.tracker, Log: zerolog.Nop(), Base: report.Input{Version: "1.2.3"}}
		other.publish(engine.PhaseReady, "", false, 1, 0)
	})
}

func TestPublishAgainAfterAFailure(t *testing.T) {
	inBubble(t, func(_ *testing.T, d *desk) {
		d.publish(engine.PhaseReady, "", false, 1, 0)
		d.target.fail = errors.New("refused")
		if _, err := d.publisher.Publish(d.t.Context(), d.snapshot(engine.PhaseFailed, "x"), nil, false); !errors.Is(err, d.target.fail) {
			d.t.Fatalf("error %v", err)
		}
		if got := d.publisher.Verdict(); got != report.VerdictDegraded {
			d.t.Errorf("the verdict is %s, though the report that could not be published says another one", got)
		}
		d.target.fail = nil
		d.publish(engine.PhaseFailed, "x", false, 3, 0)
	})
}

func TestPublishReadsBeforeItWrites(t *testing.T) {
	inBubble(t, func(_ *testing.T, d *desk) {
		d.target.fail = errors.New("refused")
		if _, err := d.publisher.Publish(d.t.Context(), d.snapshot(engine.PhaseReady, ""), nil, true); !errors.Is(err, d.target.fail) || d.target.calls != 0 {
			d.t.Fatalf("without the last report: error %v, %d calls", err, d.target.calls)
		}
		if got := d.publisher.Verdict(); got != report.VerdictConverged {
			d.t.Errorf("without the last report the verdict is %q", got)
		}
		d.target.fail = nil
		d.publish(engine.PhaseReady, "", false, 1, 0)
		d.publish(engine.PhaseFailed, "", false, 2, 0)
		if d.target.reads != 2 {
			d.t.Errorf("%d reads, want one that failed and one", d.target.reads)
		}
		// Somebody else was in charge meanwhile.
		d.publisher.Forget()
		d.target.files = nil
		d.publish(engine.PhaseFailed, "", true, 3, 0)
	})
}

// What somebody else wrote in the place of a report, or left of it, does not stay because there is no news: it is put right as
// soon as that is seen, and no more often than other reports.
func TestPublishInPlaceOfOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		d.publish(engine.PhaseReady, "", false, 1, 0)
		ours := d.target.files
		d.target.files, d.target.moved = map[string][]byte{"README.md": []byte("all is lost")}, true
		d.publish(engine.PhaseReady, "", false, 1, 30*time.Second)
		time.Sleep(30 * time.Second)
		d.publish(engine.PhaseReady, "", false, 2, 0)
		if string(d.target.files["README.md"]) != string(ours["README.md"]) {
			t.Errorf("the report is %q", d.target.files["README.md"])
		}
		d.publish(engine.PhaseReady, "", false, 2, 30*time.Second)
		d.target.foreign, d.target.moved = &gitrepo.Commit{Hash: "facade0", Author: "Mallory", Subject: "wash the dishes"}, true
		time.Sleep(time.Minute)
		d.publish(engine.PhaseReady, "", false, 4, 0) // and names them
	})
}

// A commit of somebody else is named at once, once, and also by the process that is in charge next.
func TestPublishNamesOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		named := func() bool {
			files := d.target.files
			return strings.Contains(string(files["README.md"]), "`facade0` wash the dishes, by Mallory") && strings.Contains(string(files["status.json"]), `"foreign": {`)
		}
		d.publish(engine.PhaseReady, "", false, 1, 0)
		if named() {
			t.Error("nobody wrote, and somebody is named")
		}
		d.target.foreign = &gitrepo.Commit{Hash: "facade0", Author: "Mallory", Email: "m@example.org", Subject: "wash the dishes"}
		d.publish(engine.PhaseFailed, "", false, 3, 0)
		if !named() {
			t.Errorf("the report does not name the commit:\n%s", d.target.files["README.md"])
		}
		d.publish(engine.PhaseReady, "", false, 4, 0)
		d.publisher = &daemon.Publisher{Target: d.target, Tracker: d.tracker, Log: zerolog.Nop(), Base: report.Input{Version: "1.2.3"}}
		d.publish(engine.PhaseFailed, "", false, 5, 0)
		if !named() {
			t.Error("another process forgot the commit")
		}
	})
	inBubble(t, func(t *testing.T, d *desk) {
		d.publish(engine.PhaseReady, "", false, 1, 0)
		d.target.foreign = &gitrepo.Commit{Hash: "facade0", Author: "Mallory", Subject: "wash the dishes"}
		d.publish(engine.PhaseFailed, "", false, 3, 0)
		// Another one is in charge, and finds a newer commit, which the first names when it is in charge again.
		first := d.publisher
		d.publisher = &daemon.Publisher{Target: d.target, Tracker: d.tracker, Log: zerolog.Nop(), Base: report.Input{Version: "1.2.3"}}
		d.target.foreign = &gitrepo.Commit{Hash: "facade1", Author: "Trudy", Subject: "dry the dishes"}
		d.publish(engine.PhaseReady, "", false, 5, 0)
		d.publisher = first
		first.Forget()
		d.publish(engine.PhaseFailed, "", true, 6, 0)
		if text := string(d.target.files["README.md"]); !strings.Contains(text, "`facade1` dry the dishes") || strings.Contains(text, "facade0") {
			t.Errorf("the report does not name the newest commit:\n%s", text)
		}
	})
}

func TestHistoryStays(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		name := report.HistoryFile(time.Now())
		d.publish(engine.PhaseReady, "", false, 1, 0)
		lines := string(d.target.files[name])
		if strings.Count(lines, "\n") != 1 {
			t.Fatalf("%s: %q", name, lines)
		}
		time.Sleep(40 * 24 * time.Hour) // another month
		d.publish(engine.PhaseFailed, "", false, 2, 0)
		d.publish(engine.PhaseReady, "", false, 3, 0)
		if got := string(d.target.files[name]); got != lines {
			t.Errorf("the history of the month before is %q, was %q", got, lines)
		}
		if next := d.target.files[report.HistoryFile(time.Now())]; len(next) > 0 {
			t.Errorf("a revision that settled a month ago is recorded again: %s", next)
		}
		d.commit(configuration + "project \"two\" {}\n")
		d.publish(engine.PhaseReady, "", false, 4, 0)
		if next := string(d.target.files[report.HistoryFile(time.Now())]); !strings.Contains(next, d.tracker.State().Applied.Hash) {
			t.Errorf("the new month has %q", next)
		}
	})
}

// The history is of two years, however long there are reports.
func TestHistoryHasAnEnd(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		for i := range 30 {
			d.commit(configuration + fmt.Sprintf("project \"p%d\" {}\n", i))
			d.publish(engine.PhaseReady, "", false, i+1, 0)
			count := len(slices.DeleteFunc(slices.Collect(maps.Keys(d.target.files)), func(name string) bool { return !strings.HasPrefix(name, "history/") }))
			if want := min(i+1, 24); count != want {
				t.Fatalf("in month %d there are %d files, want %d", i+1, count, want)
			}
			time.Sleep(31 * 24 * time.Hour)
		}
	})
}

func TestPublishWithoutATarget(t *testing.T) {
	d := newDesk(t)
	d.publisher.Target = nil
	d.publish(engine.PhaseBlocked, "", false, 0, 0)
	if got := d.publisher.Verdict(); got != report.VerdictBlocked {
		t.Errorf("the verdict is %s", got)
	}
}

func TestCounts(t *testing.T) {
	for want, phases := range map[string][]engine.Phase{
		"nothing yet":           nil,
		"1 failed, 2 ready":     {engine.PhaseReady, engine.PhaseFailed, engine.PhaseReady},
		"1 gone, 1 reconciling": {engine.PhaseReconciling, engine.PhaseGone},
	} {
		var s engine.Snapshot
		for _, phase := range phases {
			s.Units = append(s.Units, engine.UnitStatus{Phase: phase})
		}
		if got := daemon.Counts(s); got != want {
			t.Errorf("%v: %q, want %q", phases, got, want)
		}
	}
}
