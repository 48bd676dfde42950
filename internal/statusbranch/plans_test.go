package statusbranch_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/statusbranch"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

var noon = time.Date(2031, 5, 17, 12, 0, 0, 0, time.UTC)

// planOf is a plan that says what it is told.
func planOf(ref, commit, says string, at time.Time) statusbranch.Plan {
	return statusbranch.Plan{
		Ref: ref, Commit: commit, At: at, Message: "Plan of " + ref,
		Render: func(at time.Time) (page, document []byte) {
			when := at.Format(time.RFC3339)
			return []byte(says + " at " + when), fmt.Appendf(nil, `{"planned": {"ref": %q, "commit": %q, "at": %q, "summary": %q}}`, ref, commit, when, says)
		},
	}
}

// plan publishes the plan of a ref at its present commit.
func (b *bed) plan(t *testing.T, by *statusbranch.Branch, ref, says string, at time.Time) statusbranch.PlanResult {
	t.Helper()
	result, err := by.PublishPlan(t.Context(), planOf(ref, b.repo.Hash(t, ref), says, at))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// branchAt makes a branch with a commit of its own.
func (b *bed) branchAt(t *testing.T, name string) string {
	t.Helper()
	return b.repo.Commit(t, map[string]string{"of": name}, "Work", gitserver.OnBranch(name))
}

// files are those of the branch by their names, which say enough.
func (b *bed) files(t *testing.T, want ...string) {
	t.Helper()
	if got := slices.Sorted(maps.Keys(b.tree(t))); !slices.Equal(got, want) {
		t.Errorf("the branch has %q, want %q", got, want)
	}
}

// open are the refs of the plans that are open, with what they say.
func open(t *testing.T, by *statusbranch.Branch, merged ...string) map[string]string {
	t.Helper()
	plans, err := by.Plans(t.Context(), merged)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, p := range plans {
		if p.File != statusbranch.PlanFile(p.Ref) {
			t.Errorf("the plan of %s is said to be in %s", p.Ref, p.File)
		}
		found[p.Ref] = p.Head.Summary
	}
	return found
}

func TestPlansAndReportsKeepEachOther(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		const side = "refs/heads/side"
		b.branchAt(t, "side")
		daemon, review := b.open(t), b.open(t)
		if first := b.plan(t, review, side, "one", noon); !first.Changed || first.Commit != b.repo.Hash(t, ref) {
			t.Errorf("the first plan: %+v", first)
		}
		if result := publish(t, daemon, report("README.md", "one", "nodes/a.md", "a")); !result.Changed || result.Foreign != nil {
			t.Errorf("the report on a plan: %+v", result)
		}
		if result := b.plan(t, review, side, "two", noon); !result.Changed {
			t.Errorf("another plan: %+v", result)
		}
		if result := publish(t, daemon, report("README.md", "two")); !result.Changed || result.Foreign != nil {
			t.Errorf("the report on another plan: %+v", result)
		}
		b.files(t, "README.md", "plans/heads~side.json", "plans/heads~side.md")
		if text := b.tree(t)["plans/heads~side.md"]; !strings.HasPrefix(text, "two") {
			t.Errorf("the plan is %q", text)
		}
		log := b.repo.Log(t, ref)
		if len(log) != 4 {
			t.Errorf("the history is %+v", log)
		}
		for _, entry := range log[:len(log)-1] {
			if len(entry.Parents) != 1 {
				t.Errorf("%s is not on top of another one", entry.Hash)
			}
		}
		if files, _, err := daemon.Read(t.Context()); err != nil || len(files) != 1 {
			t.Errorf("the last report is %q, %v", files, err)
		}
	})
}

// A plan that says the same later makes no commit, and no push.
func TestSamePlanLater(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		const side = "refs/heads/side"
		b.branchAt(t, "side")
		first := b.plan(t, b.open(t), side, "one", noon)
		before := b.counts()
		if again := b.plan(t, b.open(t), side, "one", noon.Add(time.Hour)); again.Changed || again.Commit != first.Commit {
			t.Errorf("the same plan again: %+v", again)
		}
		if got := b.counts(); got.Push != before.Push {
			t.Error("it pushed")
		}
		// A page that somebody spoilt is no such plan.
		b.repo.Commit(t, map[string]string{"plans/heads~side.md": "spoilt"}, "Spoil", gitserver.OnBranch("kupenstack-status"))
		if again := b.plan(t, b.open(t), side, "one", noon.Add(time.Hour)); !again.Changed {
			t.Errorf("a spoilt plan: %+v", again)
		}
		if text := b.tree(t)["plans/heads~side.md"]; text != "one at 2031-05-17T13:00:00Z" {
			t.Errorf("the plan is %q", text)
		}
	})
}

func TestPlanRacesAReport(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		const side = "refs/heads/side"
		b.branchAt(t, "side")
		daemon, review := b.open(t), b.open(t)
		b.repo.OnNextPush(func(ctx context.Context) error {
			_, err := daemon.Publish(ctx, report("README.md", "faster"), "Report", nil)
			return err
		})
		if result := b.plan(t, review, side, "one", noon); !result.Changed {
			t.Errorf("the plan: %+v", result)
		}
		b.repo.OnNextPush(func(ctx context.Context) error {
			_, err := review.PublishPlan(ctx, planOf(side, b.repo.Hash(t, side), "faster", noon))
			return err
		})
		if result := publish(t, daemon, report("README.md", "slower")); !result.Changed || result.Foreign != nil {
			t.Errorf("the report: %+v", result)
		}
		if got := b.tree(t); got["README.md"] != "slower" || !strings.HasPrefix(got["plans/heads~side.md"], "faster") {
			t.Errorf("the branch has %q", got)
		}
		if got := open(t, daemon); got[side] != "faster" {
			t.Errorf("open are %v", got)
		}
		if log := b.repo.Log(t, ref); len(log) != 4 {
			t.Errorf("the history is %+v", log)
		}
	})
}

// Many reviews and a daemon at the same time: nothing of anybody is lost.
func TestManyPlansAtOnce(t *testing.T) {
	t.Parallel()
	over(t, []string{"http"}, func(t *testing.T, b *bed) {
		b.options.Attempts, b.options.Backoff = 100, 5*time.Millisecond
		const reviews, reports = 4, 6
		commits := map[int]string{}
		for i := range reviews {
			commits[i] = b.branchAt(t, fmt.Sprint("side", i))
		}
		var group sync.WaitGroup
		for i := range reviews {
			review := b.openApart(t)
			group.Go(func() {
				for round := range 2 {
					if _, err := review.PublishPlan(t.Context(), planOf(fmt.Sprint("refs/heads/side", i), commits[i], fmt.Sprint(round), noon)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		daemon := b.openApart(t)
		for i := range reports {
			if _, err := daemon.Publish(t.Context(), report("README.md", fmt.Sprint(i)), "Report", nil); err != nil {
				t.Error(err)
			}
		}
		group.Wait()
		got := b.tree(t)
		if len(got) != 1+2*reviews || got["README.md"] != fmt.Sprint(reports-1) {
			t.Errorf("the branch has %q", got)
		}
		for i := range reviews {
			if text := got[fmt.Sprintf("plans/heads~side%d.md", i)]; !strings.HasPrefix(text, "1 at") {
				t.Errorf("the plan of side%d is %q", i, text)
			}
		}
		if log := b.repo.Log(t, ref); len(log) != 2*reviews+reports {
			t.Errorf("there are %d commits, want %d", len(log), 2*reviews+reports)
		}
	})
}

// openApart is another process's branch: with a cache of its own.
func (b *bed) openApart(t *testing.T) *statusbranch.Branch {
	t.Helper()
	apart := *b
	apart.watched.CacheDir = t.TempDir()
	return apart.open(t)
}

func TestPlansGoWithTheirRefs(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		odd := []string{"refs/heads/Feature/Login", "refs/heads/feature/Login", "refs/heads/ü", "refs/heads/" + strings.Repeat("x", 180), "refs/tags/v1", "refs/pull/7/head"}
		for i, name := range odd {
			b.repo.ForcePush(t, name, b.branchAt(t, fmt.Sprint("work", i)))
		}
		for _, name := range []string{"gone", "merged", "ahead", "further", "stays"} {
			b.branchAt(t, name)
		}
		review, daemon := b.openApart(t), b.openApart(t)
		for _, name := range append(slices.Clone(odd), "refs/heads/gone", "refs/heads/merged", "refs/heads/ahead", "refs/heads/further", "refs/heads/stays") {
			b.plan(t, review, name, name, noon)
		}
		planned := b.repo.Hash(t, "refs/heads/ahead")
		b.branchAt(t, "ahead")
		later := b.branchAt(t, "further") // was not planned, and is merged
		theirs := map[string]string{
			"plans/notes.md": "n", "plans/README.md": "r", "plans/heads~Gone.md": "g", "plans/heads~gone.txt": "t", "plans/heads~gone.md.orig": "o",
			"plans/heads~gone/x.md": "x", "notes.md": "n", "other/heads~gone.md": "g",
		}
		b.repo.Commit(t, theirs, "Theirs", gitserver.OnBranch("kupenstack-status"))
		publish(t, daemon, report("README.md", "one"))
		if got := len(b.tree(t)); got != 1+len(theirs)+2*(len(odd)+5) {
			t.Fatalf("the branch has %d files: %q", got, slices.Sorted(maps.Keys(b.tree(t))))
		}

		b.repo.DeleteRef(t, "refs/heads/gone")
		b.repo.DeleteRef(t, odd[0])
		b.repo.DeleteRef(t, odd[3])
		in := []string{b.repo.Hash(t, "refs/heads/merged"), planned, later}
		if _, err := daemon.Publish(t.Context(), report("README.md", "two"), "Report", in); err != nil {
			t.Fatal(err)
		}
		want := []string{"README.md"}
		want = slices.AppendSeq(want, maps.Keys(theirs))
		for _, name := range []string{odd[1], odd[2], odd[4], odd[5], "refs/heads/stays"} {
			file := statusbranch.PlanFile(name)
			want = append(want, file, strings.TrimSuffix(file, ".md")+".json")
		}
		slices.Sort(want)
		b.files(t, want...)
		if got := open(t, daemon, in...); len(got) != 5 || got[odd[1]] != odd[1] || got["refs/heads/stays"] == "" {
			t.Errorf("open are %v", got)
		}
	})
}

// Which plans are open follows from the refs that were listed anyway; only a commit of somebody else on the
// branch is fetched.
func TestPlansTakeNoRequest(t *testing.T) {
	t.Parallel()
	over(t, []string{"http"}, func(t *testing.T, b *bed) {
		b.branchAt(t, "side")
		b.branchAt(t, "other")
		watched, err := gitrepo.Open(t.Context(), b.watched)
		if err != nil {
			t.Fatal(err)
		}
		daemon, err := statusbranch.New(watched, b.options)
		if err != nil {
			t.Fatal(err)
		}
		poll := func() {
			t.Helper()
			if _, err := watched.Head(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		took := func(what string, want gitserver.Counts, do func()) {
			t.Helper()
			before := b.counts()
			do()
			got := b.counts()
			got.ListRefs, got.Fetch, got.Push, got.ListRefsToPush = got.ListRefs-before.ListRefs, got.Fetch-before.Fetch, got.Push-before.Push, got.ListRefsToPush-before.ListRefsToPush
			if got.ListRefs != want.ListRefs || got.Fetch != want.Fetch || got.Push != want.Push {
				t.Errorf("%s took %+v, want %+v", what, got, want)
			}
		}
		has := func(want ...string) func() {
			return func() {
				t.Helper()
				if got := slices.Sorted(maps.Keys(open(t, daemon))); !slices.Equal(got, want) {
					t.Errorf("open are %q, want %q", got, want)
				}
			}
		}
		poll()
		took("a branch that is not there", gitserver.Counts{}, has())
		publish(t, daemon, report("README.md", "one"))
		took("what was just pushed", gitserver.Counts{}, has())

		review := b.openApart(t)
		b.plan(t, review, "refs/heads/side", "side", noon)
		took("what nobody has looked at yet", gitserver.Counts{}, has())
		poll()
		took("a new plan", gitserver.Counts{ListRefs: 1, Fetch: 1}, has("refs/heads/side"))
		took("the same plan", gitserver.Counts{}, has("refs/heads/side"))
		poll()
		took("the same plan after a poll", gitserver.Counts{}, has("refs/heads/side"))

		// What another one put there while the report was pushed is known with that.
		b.repo.OnNextPush(func(ctx context.Context) error {
			_, err := review.PublishPlan(ctx, planOf("refs/heads/other", b.repo.Hash(t, "refs/heads/other"), "other", noon))
			return err
		})
		publish(t, daemon, report("README.md", "two"))
		took("after a race", gitserver.Counts{}, has("refs/heads/other", "refs/heads/side"))

		// A list that fails hides no ref.
		b.repo.DeleteRef(t, "refs/heads/side")
		b.server.SetFaults(gitserver.Faults{On: gitserver.ListRefs, Times: 2, CutAfter: 1})
		if _, err := watched.Head(t.Context()); err == nil {
			t.Error("the list was not cut")
		}
		took("after a list that failed", gitserver.Counts{}, has("refs/heads/other", "refs/heads/side"))
		if _, err := daemon.Publish(t.Context(), report("README.md", "three"), "Report", nil); err == nil {
			t.Error("it published without a list")
		}
		b.files(t, "README.md", "plans/heads~other.json", "plans/heads~other.md", "plans/heads~side.json", "plans/heads~side.md")
		poll()
		took("after the list", gitserver.Counts{}, has("refs/heads/other"))
		publish(t, daemon, report("README.md", "three"))
		b.files(t, "README.md", "plans/heads~other.json", "plans/heads~other.md")
	})
}

// A review that took long does not cover the plan of a newer commit, nor bring one back whose ref is gone.
func TestLatePlan(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		const side = "refs/heads/side"
		old := b.branchAt(t, "side")
		b.plan(t, b.open(t), side, "old", noon)
		b.branchAt(t, "side")
		late := func() statusbranch.PlanResult {
			t.Helper()
			result, err := b.open(t).PublishPlan(t.Context(), planOf(side, old, "late", noon))
			if err != nil {
				t.Fatal(err)
			}
			return result
		}
		if result := late(); !result.Changed { // there is nothing better yet
			t.Errorf("before the new plan: %+v", result)
		}
		b.plan(t, b.open(t), side, "new", noon)
		before := b.repo.Hash(t, ref)
		if result := late(); !result.Passed || result.Changed {
			t.Errorf("after the new plan: %+v", result)
		}
		b.repo.DeleteRef(t, side)
		if result := late(); !result.Passed || result.Changed {
			t.Errorf("without the ref: %+v", result)
		}
		if hash := b.repo.Hash(t, ref); hash != before {
			t.Error("there is another commit")
		}
	})
}

// What cannot be read of a plan hides neither it nor others.
func TestSpoiltPlans(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		for _, name := range []string{"page", "broken", "whole"} {
			b.branchAt(t, name)
		}
		b.plan(t, b.open(t), "refs/heads/whole", "whole", noon)
		b.repo.Commit(t, map[string]string{"plans/heads~page.md": "only a page", "plans/heads~broken.json": "{"}, "Spoil", gitserver.OnBranch("kupenstack-status"))
		daemon := b.open(t)
		got := open(t, daemon)
		if want := map[string]string{"refs/heads/page": "", "refs/heads/broken": "", "refs/heads/whole": "whole"}; !maps.Equal(got, want) {
			t.Errorf("open are %v, want %v", got, want)
		}
		b.repo.DeleteRef(t, "refs/heads/page")
		publish(t, daemon, report("README.md", "one"))
		b.files(t, "README.md", "plans/heads~broken.json", "plans/heads~whole.json", "plans/heads~whole.md")
	})
}

// A report cannot have files among the plans, and no list of files makes one remove them.
func TestReportsLeavePlansAlone(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		b.branchAt(t, "side")
		b.plan(t, b.open(t), "refs/heads/side", "one", noon)
		if _, err := b.open(t).Publish(t.Context(), report("plans/heads~side.md", "x"), "Report", nil); err == nil {
			t.Error("it took a file among the plans")
		}
		list := `{"version": 1, "files": ["plans/heads~side.md", "old.md"]}`
		b.repo.Commit(t, map[string]string{statusbranch.Manifest: list, "old.md": "x"}, "List", gitserver.OnBranch("kupenstack-status"))
		publish(t, b.open(t), report("README.md", "one"))
		b.files(t, "README.md", "plans/heads~side.json", "plans/heads~side.md")
	})
}
