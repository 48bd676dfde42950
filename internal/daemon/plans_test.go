package daemon_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/schema"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// A plan that came or went is news, at the latest with the next report that may be made, and what cannot be
// found out about plans keeps no report back.
func TestReportListsPlans(t *testing.T) {
	inBubble(t, func(t *testing.T, d *desk) {
		lists := func(want bool) {
			t.Helper()
			if got := strings.Contains(string(d.target.files[report.FileReadme]), "(plans/heads~side.md)"); got != want {
				t.Errorf("the report lists the plan: %t", got)
			}
		}
		d.publish(engine.PhaseReady, "", true, 1, 0)
		lists(false)
		d.target.plans = []report.OpenPlan{{Ref: "refs/heads/side", File: "plans/heads~side.md"}}
		d.publish(engine.PhaseReady, "", true, 2, 0)
		lists(true)
		d.publish(engine.PhaseReady, "", true, 2, 0)
		d.target.plans, d.target.blind = nil, errors.New("the branch cannot be read")
		d.publish(engine.PhaseReady, "", true, 2, 0)
		d.publish(engine.PhaseFailed, "", true, 3, 0)
		lists(true)
		d.target.blind = nil
		d.publish(engine.PhaseFailed, "", true, 4, 0)
		lists(false)
	})
}

// What counts as merged is the commit in force, which is not always the newest, and what it follows.
func TestMergedIsWhatIsInForce(t *testing.T) {
	store := gitserver.NewStore(t)
	repository := store.Create(t, "cloud")
	first := repository.Commit(t, map[string]string{"main.hcl": configuration}, "First")
	second := repository.Commit(t, map[string]string{"more.hcl": "locals { a = 1 }\n"}, "Second")
	source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: "file://" + repository.Dir, CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	target := &branch{}
	tracker := revision.NewTracker(source, ".", noFacts, revision.Options{Language: schema.New()})
	publisher := &daemon.Publisher{Target: target, Tracker: tracker, Log: zerolog.Nop(), Base: report.Input{Version: "1.2.3"}}
	publish := func(phase engine.Phase) []string {
		t.Helper()
		if _, err := tracker.Poll(t.Context()); err != nil {
			t.Fatal(err)
		}
		snapshot := engine.Snapshot{
			Revision: tracker.State().Applied.Hash,
			Units:    []engine.UnitStatus{{Address: addr.MustParseObject("project.one"), Class: "resource", Kind: "project", Phase: phase}},
		}
		if _, err := publisher.Publish(t.Context(), snapshot, nil, true); err != nil {
			t.Fatal(err)
		}
		return target.merged
	}
	if got := publish(engine.PhaseProgressing); len(got) != 0 {
		t.Errorf("before anything is in force %q counts as merged", got)
	}
	if err := tracker.Keep(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if got := publish(engine.PhaseReady); !slices.Equal(got, []string{second, first}) {
		t.Errorf("%q counts as merged, want %q", got, []string{second, first})
	}
	repository.Commit(t, map[string]string{"more.hcl": "locals { a = 2 }\n"}, "Third, not admitted yet")
	if got := publish(engine.PhaseFailed); !slices.Equal(got, []string{second, first}) {
		t.Errorf("%q counts as merged, want %q", got, []string{second, first})
	}
}
