package statusbranch_test

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/statusbranch"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

const mib = 1 << 20

// foreign puts files on the status branch that we did not write.
func (b *bed) foreign(t *testing.T, files map[string]string) {
	t.Helper()
	var names []string
	for name := range files {
		names = append(names, fmt.Sprintf("%q", name))
	}
	all := map[string]string{statusbranch.Manifest: `{"version":1,"of":{"path":"."},"files":[` + strings.Join(names, ",") + `]}`}
	maps.Copy(all, files)
	b.repo.Commit(t, all, "Not ours", gitserver.OnBranch(statusbranch.DefaultBranch))
}

// TestReadsNoMoreThanWeWrite: Git packs content a thousand times smaller than it is in memory, so what is read back is
// bounded, file by file and in all. What is left out is written over by the next report.
func TestReadsNoMoreThanWeWrite(t *testing.T) {
	t.Parallel()
	over(t, []string{"ssh"}, func(t *testing.T, b *bed) {
		files := map[string]string{"README.md": "one", "status.json": "{}", "services/huge.md": strings.Repeat("x", 9*mib), "services/nova.md": strings.Repeat("n", 7*mib)}
		for month := range 12 {
			files[fmt.Sprintf("history/2031-%02d.jsonl", month+1)] = strings.Repeat(" ", 7*mib)
		}
		b.foreign(t, files)
		branch := b.open(t)
		read, _, err := branch.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Sorted(maps.Keys(read))
		want := []string{"README.md", "history/2031-04.jsonl", "history/2031-05.jsonl", "history/2031-06.jsonl", "history/2031-07.jsonl", "history/2031-08.jsonl", "history/2031-09.jsonl", "history/2031-10.jsonl", "history/2031-11.jsonl", "history/2031-12.jsonl", "status.json"}
		if !slices.Equal(got, want) {
			t.Errorf("read are %q", got)
		}
		publish(t, branch, read)
		b.files(t, want...)
	})
}

// TestListTooLargeToBeOurs: whose report it is cannot be read then, so that it stays, and somebody has to look.
func TestListTooLargeToBeOurs(t *testing.T) {
	t.Parallel()
	over(t, []string{"ssh"}, func(t *testing.T, b *bed) {
		b.repo.Commit(t, map[string]string{statusbranch.Manifest: strings.Repeat(" ", 9*mib) + `{"version":1,"files":[]}`}, "Not ours", gitserver.OnBranch(statusbranch.DefaultBranch))
		branch := b.open(t)
		_, _, read := branch.Read(t.Context())
		_, published := branch.Publish(t.Context(), report("README.md", "one"), "Report", nil)
		for _, err := range []error{read, published} {
			if err == nil || !strings.Contains(err.Error(), "delete the status branch") {
				t.Errorf("got %v", err)
			}
		}
	})
}

// TestReadsPlansOfReviews: of plans whose refs are gone nothing is read, and of others no more is kept than we write. It
// runs alone: what a process allocates is counted for all of its tests together.
func TestReadsPlansOfReviews(t *testing.T) {
	b := newBed(t, "ssh")
	files := map[string]string{}
	document := func(n int) string { // each of another letter: of what is alike Git packs the changes, and one is read for another
		return fmt.Sprintf(`{"planned":{"summary":"%d%s"}}`, n, strings.Repeat(string(rune('a'+n)), 3*mib))
	}
	for n := range 8 {
		files[fmt.Sprintf("plans/heads~gone%d.json", n+1)] = document(n + 1)
	}
	files["plans/heads~there.json"] = document(0)
	b.branchAt(t, "there")
	b.foreign(t, files)
	branch := b.open(t)
	if _, _, err := branch.Read(t.Context()); err != nil { // so that the commit is here
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	said := open(t, branch)
	runtime.ReadMemStats(&after)
	if len(said) != 1 || len(said["refs/heads/there"]) > 5000 || !strings.HasPrefix(said["refs/heads/there"], "0aaa") {
		t.Errorf("%d plans are open; the first says %d bytes", len(said), len(said["refs/heads/there"]))
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 40*mib {
		t.Errorf("looking took %d bytes of memory", n)
	}
}
