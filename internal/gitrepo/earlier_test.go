package gitrepo_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// A process without a cache gets at a commit that the branch has had, and keeps it.
func TestEarlierCommit(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) { testEarlier(t, b, 3, 1) })
}

func TestEarlierCommitOfLongAgo(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	testEarlier(t, overHTTP(t), 70, 2)
}

func testEarlier(t *testing.T, b *bed, more, fetches int) {
	t.Helper()
	for i := range more {
		b.repo.Commit(t, map[string]string{"cloud.hcl": fmt.Sprint(i), "sites/a.hcl": "another\n"}, "More")
	}
	source := b.open(t)
	head := pull(t, source)
	before := b.counts().Fetch
	tree, err := source.Earlier(t.Context(), b.first)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Commit.Hash != b.first || tree.Commit.Subject != "First" || tree.Revision.Ref != "refs/heads/main" {
		t.Errorf("got %+v of %s", tree.Commit, tree.Revision.Ref)
	}
	has(t, files(t, tree, "."), "sites/a.hcl", "site a\n")
	if n := b.counts().Fetch - before; n != fetches {
		t.Errorf("it took %d fetches, want %d", n, fetches)
	}
	// What is newest stays so, and a later process has both.
	later := b.open(t)
	newest, err := later.Cached(t.Context())
	if err != nil || newest.Commit.Hash != head.Commit.Hash {
		t.Errorf("the newest is %+v, %v", newest, err)
	}
	b.repo.Commit(t, map[string]string{"n": "1"}, "One more")
	pull(t, later)
	kept, err := later.Kept(t.Context())
	if err != nil || kept.Commit.Hash != b.first {
		t.Fatalf("kept is %+v, %v", kept, err)
	}
	has(t, files(t, kept, "."), "cloud.hcl", "cloud {}\n")
}

// What is newer than all that was fetched becomes the newest, as a process that begins without the server would go back
// otherwise; what is older does not, also in a process that has fetched nothing yet.
func TestEarlierCommitIsNewer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		pull(t, b.open(t))
		second := b.repo.Commit(t, map[string]string{"sites/a.hcl": "another\n"}, "Second")
		b.repo.Commit(t, map[string]string{"n": "3"}, "Third")
		for _, hash := range []string{second, b.first} {
			source := b.open(t)
			if tree, err := source.Earlier(t.Context(), hash); err != nil || tree.Commit.Hash != hash {
				t.Fatalf("got %+v, %v", tree, err)
			}
			for name, source := range map[string]*gitrepo.Source{"this process": source, "a later one": b.open(t)} {
				newest, err := source.Cached(t.Context())
				if err != nil || newest.Commit.Hash != second {
					t.Fatalf("after %s the newest is %+v, %v for %s; want %s", hash, newest, err, name, second)
				}
				has(t, files(t, newest, "."), "sites/a.hcl", "another\n")
				if kept, err := source.Kept(t.Context()); err != nil || kept.Commit.Hash != hash {
					t.Errorf("kept is %+v, %v for %s; want %s", kept, err, name, hash)
				}
			}
		}
		has(t, files(t, pull(t, b.open(t)), "."), "n", "3")
	})
}

// A process that ends between two writes leaves no cache by which the next one would go back: what is kept is never newer
// than the tip.
func TestEarlierCommitIsCutOff(t *testing.T) {
	t.Parallel()
	for _, cut := range []string{"tip", "kept"} { // what cannot be written any more
		b := overHTTP(t)
		source := b.open(t)
		pull(t, source)
		second := b.repo.Commit(t, map[string]string{"n": "2"}, "Second")
		b.repo.Commit(t, map[string]string{"n": "3"}, "Third")
		found, err := filepath.Glob(filepath.Join(b.options.CacheDir, "*", "tip"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%v, %v", found, err)
		}
		file := filepath.Join(filepath.Dir(found[0]), cut)
		before, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		_ = os.Remove(file)
		if err := os.MkdirAll(filepath.Join(file, "in the way"), 0o700); err != nil {
			t.Fatal(err)
		}
		if tree, err := source.Earlier(t.Context(), second); err == nil {
			t.Fatalf("without the %s it got %+v", cut, tree.Commit)
		}
		if err := os.RemoveAll(file); err != nil {
			t.Fatal(err)
		}
		if len(before) > 0 {
			if err := os.WriteFile(file, before, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b.server.Stop(t)
		later := b.open(t)
		newest, err := later.Cached(t.Context())
		if err != nil {
			t.Fatalf("without the %s: %v", cut, err)
		}
		if kept, err := later.Kept(t.Context()); err == nil && kept.Commit.Hash == second && newest.Commit.Hash != second {
			t.Errorf("without the %s it keeps %s, and the newest is %s", cut, second, newest.Commit.Hash)
		}
		if want := map[string]string{"tip": b.first, "kept": second}[cut]; newest.Commit.Hash != want {
			t.Errorf("without the %s the newest is %s, want %s", cut, newest.Commit.Hash, want)
		}
	}
}

func TestEarlierCommitByAMerge(t *testing.T) {
	t.Parallel()
	b := overHTTP(t)
	side := b.repo.Commit(t, map[string]string{"side": "1"}, "Side", gitserver.OnBranch("side"))
	source := b.open(t)
	pull(t, source)
	_, err := source.Earlier(t.Context(), side)
	fails(t, err, gitrepo.Lost, "refs/heads/main", side)
	merge(t, b, b.first, side)
	if tree, err := source.Earlier(t.Context(), side); err != nil || tree.Commit.Hash != side {
		t.Errorf("got %+v, %v", tree, err)
	}
}

// A commit that history does not have any more is not given out, though the server may still have it.
func TestEarlierCommitIsLost(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		second := b.repo.Commit(t, map[string]string{"n": "2"}, "Second")
		b.repo.Commit(t, map[string]string{"n": "3"}, "Other", gitserver.Onto(b.first))
		source := b.open(t)
		pull(t, source)
		for _, hash := range []string{second, "0123456789012345678901234567890123456789"} {
			_, err := source.Earlier(t.Context(), hash)
			fails(t, err, gitrepo.Lost, "refs/heads/main", hash)
		}
		_, err := source.Earlier(t.Context(), "--upload-pack=evil")
		fails(t, err, gitrepo.Lost, "no commit")
		if dirs, _ := filepath.Glob(filepath.Join(b.options.CacheDir, "*", "repository-*")); len(dirs) != 1 {
			t.Errorf("the cache has the repositories %v", dirs)
		}
		b.server.Stop(t)
		_, err = source.Earlier(t.Context(), b.first)
		fails(t, err, gitrepo.Unreachable)
	})
}

func TestDirectoryHasNothingEarlier(t *testing.T) {
	t.Parallel()
	source, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = source.Earlier(t.Context(), "0123456789012345678901234567890123456789")
	fails(t, err, gitrepo.Lost, "plain directory")
}

// merge has main be a commit with several parents and the files of the first.
func merge(t *testing.T, b *bed, parents ...string) {
	t.Helper()
	args := []string{"-C", b.repo.Dir, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit-tree", "-m", "Merge", parents[0] + "^{tree}"}
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	commit, err := exec.CommandContext(t.Context(), "git", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	b.repo.ForcePush(t, "refs/heads/main", strings.TrimSpace(string(commit)))
}
