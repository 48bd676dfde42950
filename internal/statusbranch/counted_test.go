package statusbranch_test

import (
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/statusbranch"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// TestAReportSaysHowOftenTheInventoryWasWritten: along with what is new, and never less than before, so that an inventory
// that is older is known by it.
func TestAReportSaysHowOftenTheInventoryWasWritten(t *testing.T) {
	t.Parallel()
	over(t, []string{"ssh"}, func(t *testing.T, b *bed) {
		var written int64
		b.options.Count = func() int64 { return written }
		branch := b.as(t, "", "one")
		counts := func(branch *statusbranch.Branch, want int64) {
			t.Helper()
			if got, err := branch.Counted(t.Context()); got != want || err != nil {
				t.Errorf("it was written %d times, %v, want %d", got, err, want)
			}
		}
		counts(branch, 0)
		for _, step := range []struct {
			written int64
			says    string
			changed bool
			want    int64
		}{
			{3, "first", true, 3},
			{5, "first", false, 3}, // a number alone is no report
			{5, "second", true, 5},
			{4, "third", true, 5}, // of a process with an older one
			{9, "third", false, 5},
		} {
			written = step.written
			if result := publish(t, branch, report("README.md", step.says)); result.Changed != step.changed {
				t.Errorf("%q with %d writes changed the branch: %v", step.says, written, result.Changed)
			}
			counts(branch, step.want)
			counts(b.as(t, "", "one"), step.want)
		}
		counts(b.as(t, "", "two"), 0)
		counts(b.as(t, "elsewhere", "one"), 0)
		same(t, b.tree(t), map[string]string{"README.md": "third"})

		// Anybody who can push may have written it.
		for text, want := range map[string]int64{"9000000000000000000": 1 << 50, "-7": 0, "99999999999999999999999": 0, `"many"`: 0} {
			b.repo.Commit(t, map[string]string{
				statusbranch.Manifest: `{"version": 1, "of": {"path": ".", "installation": "one", "inventory": ` + text + `}, "files": ["README.md"]}`,
			}, "Somebody's", gitserver.OnBranch("kupenstack-status"))
			counts(b.as(t, "", "one"), want)
		}
	})
}

// TestWhereNoReportCanBeNothingIsCounted: what stops reports until a person does something says nothing of the inventory, so
// that it does not keep back deletions for as long. Where there is no telling for now that is an error.
func TestWhereNoReportCanBeNothingIsCounted(t *testing.T) {
	t.Parallel()
	for name, stops := range map[string]func(*bed){
		"a list that is too large": func(b *bed) {
			b.repo.Commit(t, map[string]string{statusbranch.Manifest: strings.Repeat(" ", 9*mib) + `{"version":1,"files":[]}`}, "Not ours", gitserver.OnBranch(statusbranch.DefaultBranch))
		},
		"too many files": func(b *bed) {
			b.watched.MaxFiles = 2
			b.repo.Commit(t, map[string]string{"a": "a", "b": "b", "c": "c"}, "Not ours", gitserver.OnBranch(statusbranch.DefaultBranch))
		},
		"a branch below its name": func(b *bed) {
			b.repo.Commit(t, map[string]string{"a": "a"}, "Not ours", gitserver.OnBranch(statusbranch.DefaultBranch+"/below"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			over(t, []string{"ssh"}, func(t *testing.T, b *bed) {
				stops(b)
				branch := b.as(t, "", "one")
				if _, err := branch.Publish(t.Context(), report("README.md", "one"), "Report", nil); err == nil {
					t.Error("there is a report")
				}
				if got, err := branch.Counted(t.Context()); got != 0 || err != nil {
					t.Errorf("it was written %d times, %v", got, err)
				}
				b.server.SetFaults(gitserver.Faults{CutAfter: 1})
				if _, err := branch.Counted(t.Context()); err == nil {
					t.Error("of a server that is away it is known")
				}
			})
		})
	}
}

// TestRemembersWhatWasReported: while the server is away it is known what was reported last from here, by an earlier process as
// well, and nothing of what others report.
func TestRemembersWhatWasReported(t *testing.T) {
	t.Parallel()
	over(t, []string{"ssh"}, func(t *testing.T, b *bed) {
		var written int64
		b.options.Count = func() int64 { return written }
		remembers := func(branch *statusbranch.Branch, want int64, known bool) {
			t.Helper()
			if got, ok := branch.Remembered(t.Context()); got != want || ok != known {
				t.Errorf("it remembers %d, %v, want %d, %v", got, ok, want, known)
			}
		}
		branch := b.as(t, "", "one")
		remembers(branch, 0, false)
		for written = 3; written <= 5; written += 2 {
			publish(t, branch, report("README.md", strings.Repeat("more ", int(written))))
			remembers(branch, written, true)
		}
		b.server.SetFaults(gitserver.Faults{CutAfter: 1})
		remembers(b.as(t, "", "one"), 5, true)
		remembers(b.as(t, "", "two"), 0, false)
		remembers(b.as(t, "elsewhere", "one"), 0, false)
		b.watched.CacheDir = t.TempDir()
		remembers(b.as(t, "", "one"), 0, false)
	})
}
