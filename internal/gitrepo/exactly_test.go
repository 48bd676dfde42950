package gitrepo_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// nowhere is a commit that no repository has.
const nowhere = "0123456789012345678901234567890123456789"

// A commit is fetched alone, though the branch has gone on, and is there without the network later.
func TestExactly(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		second := b.repo.Commit(t, map[string]string{"cloud.hcl": "2"}, "Second")
		b.repo.Commit(t, map[string]string{"cloud.hcl": "3"}, "Third")
		tree, err := b.open(t).Exactly(t.Context(), second)
		if err != nil || tree.Commit.Hash != second {
			t.Fatalf("got %+v, %v", tree, err)
		}
		has(t, files(t, tree, "."), "cloud.hcl", "2")
		if n := b.counts().Fetch; n != 1 {
			t.Errorf("it took %d fetches", n)
		}
		if _, err := tree.Blob(gitrepo.BlobHash([]byte("cloud {}\n")), 100); err == nil {
			t.Error("the history was fetched as well")
		}
		_, err = b.open(t).Exactly(t.Context(), nowhere)
		fails(t, err, gitrepo.Lost, nowhere, "the server does not have the commit")
		if dirs, _ := filepath.Glob(filepath.Join(b.options.CacheDir, "*", "repository-*")); len(dirs) != 1 {
			t.Errorf("the cache has the repositories %v", dirs)
		}

		b.server.Stop(t)
		later := b.open(t)
		if tree, err := later.Exactly(t.Context(), second); err != nil || tree.Commit.Hash != second {
			t.Errorf("what is kept: %+v, %v", tree, err)
		}
		_, err = later.Exactly(t.Context(), b.first)
		fails(t, err, gitrepo.Unreachable)
	})
}

// The newest commit that was fetched is not fetched again.
func TestExactlyTheNewest(t *testing.T) {
	t.Parallel()
	b := overHTTP(t)
	source := b.open(t)
	head := pull(t, source)
	before := b.counts()
	if tree, err := source.Exactly(t.Context(), head.Commit.Hash); err != nil || tree.Commit != head.Commit || b.counts() != before {
		t.Errorf("got %+v, %v, and %+v requests after %+v", tree, err, b.counts(), before)
	}
}

// A server that hands out only what refs are at gives the history of the ref, or an annotated tag.
func TestExactlyFromAServerWithoutSingleCommits(t *testing.T) {
	t.Parallel()
	b := overHTTP(t)
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", b.repo.Dir, "-c", "user.name=T", "-c", "user.email=t@example.org"}, args...)
		if said, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	git("config", "uploadpack.allowReachableSHA1InWant", "false")
	second := b.repo.Commit(t, map[string]string{"n": "2"}, "Second")
	b.repo.Commit(t, map[string]string{"n": "3"}, "Third")
	if tree, err := b.open(t).Exactly(t.Context(), second); err != nil || tree.Commit.Hash != second {
		t.Errorf("of the history: %+v, %v", tree, err)
	}
	other := b.repo.Commit(t, map[string]string{"n": "other"}, "Other", gitserver.Onto(b.first))
	git("tag", "-a", "-m", "Release", "v1", other)
	b.repo.Commit(t, map[string]string{"n": "4"}, "Fourth", gitserver.Onto(second))
	if tree, err := b.open(t).Exactly(t.Context(), other); err != nil || tree.Commit.Hash != other {
		t.Errorf("of a tag: %+v, %v", tree, err)
	}
	_, err := b.open(t).Exactly(t.Context(), nowhere)
	fails(t, err, gitrepo.Lost, "refs/heads/main", nowhere)
}
