package gitrepo_test

import (
	"errors"
	"fmt"
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
