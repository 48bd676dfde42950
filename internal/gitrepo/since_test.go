package gitrepo_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// since returns the subjects of the commits that have come.
func since(t *testing.T, source *gitrepo.Source, after, hash string) []string {
	t.Helper()
	var subjects []string
	if err := source.Since(t.Context(), after, hash, func(_ string, raw []byte) error {
		_, message, _ := strings.Cut(string(raw), "\n\n")
		subjects = append(subjects, strings.TrimSpace(message))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(subjects)
	return subjects
}

// What has come since a commit is told whether it is near, far, beside a merge, or not in the history.
func TestSince(t *testing.T) {
	t.Parallel()
	b := overHTTP(t)
	content := map[string]string{"cloud.hcl": "1"}
	commit := func(subject string, options ...gitserver.CommitOption) string {
		content["cloud.hcl"] += "1"
		return b.repo.Commit(t, content, subject, options...)
	}
	var line []string
	for i := range 80 {
		line = append(line, commit(fmt.Sprintf("c%02d", i)))
	}
	last := line[len(line)-1]
	source := b.open(t)
	if got := since(t, source, line[77], last); !slices.Equal(got, []string{"c78", "c79"}) {
		t.Errorf("near: %v", got)
	}
	if got := since(t, source, line[5], last); len(got) != 74 || got[0] != "c06" {
		t.Errorf("far: %v", got)
	}
	if got := since(t, source, last, last); len(got) != 0 {
		t.Errorf("nothing: %v", got)
	}
	stop := errors.New("stop")
	if err := source.Since(t.Context(), line[5], last, func(string, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("an error of the caller: %v", err)
	}
	for _, elsewhere := range []string{nowhere, b.repo.Commit(t, content, "beside", gitserver.OnBranch("beside"), gitserver.Onto(line[3]))} {
		err := source.Since(t.Context(), elsewhere, last, nil)
		fails(t, err, gitrepo.Rewound, last+" does not have the commit "+elsewhere)
	}
	err := source.Since(t.Context(), last, line[77], nil)
	fails(t, err, gitrepo.Rewound, line[77]+" does not have the commit "+last)
	err = source.Since(t.Context(), line[5], nowhere, nil)
	fails(t, err, gitrepo.Lost, "does not have the commit "+nowhere)

	// A branch that left before the other commit, and was merged after it: its own commits are new, what is
	// behind both is not.
	side := commit("side", gitserver.OnBranch("side"), gitserver.Onto(line[70]))
	merged := commit("merge", gitserver.Merging(side))
	if got := since(t, source, last, merged); !slices.Equal(got, []string{"merge", "side"}) {
		t.Errorf("a merge: %v", got)
	}
	if tree := pull(t, source); tree.Commit.Hash != merged {
		t.Errorf("at %s", tree.Commit.Hash)
	} else if raw, err := tree.Raw(); err != nil || !strings.HasSuffix(string(raw), "\n\nmerge\n") {
		t.Errorf("got %q, %v", raw, err)
	}
}

// A commit that is larger than is read is told as that, wherever it is.
func TestLargeCommit(t *testing.T) {
	t.Parallel()
	b := overHTTP(t)
	first := b.repo.Commit(t, map[string]string{"cloud.hcl": "1"}, "first")
	whole := b.repo.Commit(t, map[string]string{"cloud.hcl": "2"}, strings.Repeat("x", 1_000_000))
	source := b.open(t)
	if got := since(t, source, first, whole); len(got) != 1 || len(got[0]) != 1_000_000 {
		t.Errorf("it tells %d commits", len(got))
	}
	large := b.repo.Commit(t, map[string]string{"cloud.hcl": "3"}, strings.Repeat("x", 1_100_000))
	_, err := pull(t, source).Raw()
	if is := new(gitrepo.LargeCommit); !errors.As(err, &is) || is.Hash != large {
		t.Errorf("the newest: %v", err)
	}
	last := b.repo.Commit(t, map[string]string{"cloud.hcl": "4"}, "last")
	err = source.Since(t.Context(), first, last, func(string, []byte) error { return nil })
	if is := new(gitrepo.LargeCommit); !errors.As(err, &is) || is.Hash != large {
		t.Errorf("before it: %v", err)
	}
}

// What a merge brings of a branch that was not rebased is told without all of the history, as long as the branch left
// what the other commit reaches: here the history has more than is received at once.
func TestSinceAMergeInALongHistory(t *testing.T) {
	t.Parallel()
	b := overHTTP(t)
	noise := rand.NewChaCha8([32]byte{7})
	commit := func(subject string, options ...gitserver.CommitOption) string {
		content := make([]byte, 32<<10) // that cannot be packed smaller
		_, _ = noise.Read(content)      // never fails
		return b.repo.Commit(t, map[string]string{"cloud.hcl": subject, "blob": string(content)}, subject, options...)
	}
	var line []string
	for i := range 160 {
		line = append(line, commit(fmt.Sprintf("c%03d", i)))
	}
	last := line[len(line)-1]
	b.options.MaxBytes = 4 << 20
	source := b.open(t)
	merge := func(forked string) string {
		side := commit("side", gitserver.OnBranch("side-"+forked[:8]), gitserver.Onto(forked))
		return commit("merge", gitserver.Onto(last), gitserver.Merging(side))
	}
	for _, forked := range []int{158, 157, 120} {
		merged := merge(line[forked])
		if got := since(t, source, last, merged); !slices.Equal(got, []string{"merge", "side"}) {
			t.Errorf("a branch that left %d commits before: %v", 159-forked, got)
		}
		last = merged
	}

	// One that left before all that the other commit is known to reach: what is behind it may be new, so that more has to
	// be asked for. Where the server sends all that there is to it, that is too much.
	merged := merge(line[20])
	err := source.Since(t.Context(), last, merged, func(string, []byte) error { return nil })
	fails(t, err, gitrepo.TooLarge, "")
	// Where it can send commits alone, all of them are little.
	if out, err := exec.CommandContext(t.Context(), "git", "-C", b.repo.Dir, "config", "uploadpack.allowFilter", "true").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := since(t, source, last, merged); !slices.Equal(got, []string{"merge", "side"}) {
		t.Errorf("a branch that left long before: %v", got)
	}
	// A commit that is not behind the other one is told however old it is.
	older := commit("old side", gitserver.OnBranch("old"), gitserver.Onto(line[10]))
	for range 70 {
		older = commit("older side", gitserver.OnBranch("old"))
	}
	last = merged
	merged = commit("merge", gitserver.Onto(last), gitserver.Merging(older))
	if got := since(t, source, last, merged); len(got) != 72 || got[0] != "merge" || got[1] != "old side" {
		t.Errorf("a long branch: %d, %v", len(got), got)
	}
}
