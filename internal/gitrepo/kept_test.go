package gitrepo_test

import (
	"fmt"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// A commit that was kept stays readable for a later process, whatever is fetched on top of it.
func TestKeptCommitStays(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	b := overHTTP(t)
	source := b.open(t)
	if _, err := source.Kept(t.Context()); err == nil {
		t.Error("something is kept before anything was fetched")
	}
	pull(t, source)
	if err := source.Keep("0000000000000000000000000000000000000000"); err != nil {
		t.Fatal(err)
	}
	if _, err := source.Kept(t.Context()); err == nil {
		t.Error("another commit than the one that was asked for is kept")
	}
	if err := source.Keep(b.first); err != nil {
		t.Fatal(err)
	}
	for i := range 34 { // more than a cache takes before it begins anew
		b.repo.Commit(t, map[string]string{"n": fmt.Sprint(i)}, "More")
		pull(t, source)
	}
	later := b.open(t)
	tree, err := later.Kept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if tree.Commit.Hash != b.first {
		t.Errorf("kept is %s, want %s", tree.Commit.Hash, b.first)
	}
	has(t, files(t, tree, "."), "sites/a.hcl", "site a\n")
}

// What is in force is kept, too, when another commit was fetched before that was decided.
func TestKeepWhatWasFetchedBefore(t *testing.T) {
	t.Parallel()
	b := overHTTP(t)
	source := b.open(t)
	pull(t, source)
	b.repo.Commit(t, map[string]string{"sites/a.hcl": "another\n"}, "More")
	pull(t, source)
	if err := source.Keep(b.first); err != nil {
		t.Fatal(err)
	}
	later := b.open(t)
	tree, err := later.Kept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if tree.Commit.Hash != b.first {
		t.Errorf("kept is %s, want %s", tree.Commit.Hash, b.first)
	}
	has(t, files(t, tree, "."), "sites/a.hcl", "site a\n")
}
