package gitrepo_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// few is far less than the files of the repository in these tests.
const few = 64 << 10

// A commit that changes a line of a large repository transfers that line, however it came about.
func TestTransfersWhatChanged(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		large := noise(4 << 20)
		one := b.repo.Commit(t, map[string]string{"large.bin": large, "site.yaml": noise(1 << 20)}, "Large")
		pull(t, b.open(t))
		b.server.SetFaults(gitserver.Faults{On: gitserver.Fetch, CutAfter: few})
		// As each process opens it anew.
		next := func(commit string, want map[string]string) {
			t.Helper()
			tree := pull(t, b.open(t))
			if tree.Revision.Hash != commit {
				t.Fatalf("it is at %s, and not at %s", tree.Revision.Hash, commit)
			}
			for name, content := range want {
				has(t, files(t, tree, "."), name, content)
			}
			isWhole(t, b)
		}
		next(b.repo.Commit(t, map[string]string{"cloud.hcl": "two"}, "A line"), map[string]string{"cloud.hcl": "two", "large.bin": large})
		next(b.repo.Commit(t, map[string]string{"large.bin": large + "!"}, "A byte of much"), map[string]string{"large.bin": large + "!"})
		next(b.repo.Commit(t, map[string]string{"large.bin": large + "!?"}, "And one of that"), map[string]string{"large.bin": large + "!?"})
		// History is rewritten, and a branch from before what is here is merged.
		next(b.repo.Commit(t, map[string]string{"cloud.hcl": "three"}, "Another second", gitserver.Onto(one)), map[string]string{"cloud.hcl": "three", "large.bin": large})
		side := b.repo.Commit(t, map[string]string{"side.hcl": "side"}, "Aside", gitserver.OnBranch("side"), gitserver.Onto(b.first))
		next(b.repo.Commit(t, map[string]string{"side.hcl": "side"}, "Merge", gitserver.Merging(side)), map[string]string{"side.hcl": "side", "large.bin": large})
		next(b.repo.Commit(t, map[string]string{"large.bin": "small"}, "Without a past", gitserver.Orphan(), gitserver.Without("site.yaml")), map[string]string{"large.bin": "small"})
	})
}

// isWhole has Git look at the packs of the cache, which must need no other pack.
func isWhole(t *testing.T, b *bed) {
	t.Helper()
	indexes, err := filepath.Glob(filepath.Join(b.options.CacheDir, "*", "repository-*", "objects", "pack", "*.idx"))
	if err != nil || len(indexes) == 0 {
		t.Fatalf("there are no packs: %v", err)
	}
	if said, err := exec.CommandContext(t.Context(), "git", append([]string{"verify-pack"}, indexes...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
}

// Whatever a history brings, what is added to the cache for it comes to the same files as a fresh clone.
func TestManyCommitsInARow(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	b, _ := newBed(t)
	b.options.URL = "file://" + b.repo.Dir
	source := b.open(t)
	chance := rand.New(rand.NewPCG(faultproxy.Seed(t), 0))
	now := map[string]string{"cloud.hcl": "cloud {}\n", "sites/a.hcl": "site a\n"}
	was := []map[string]string{maps.Clone(now)}
	commits := []string{b.first}
	for n := range 25 { // fewer than the packs after which a cache begins anew
		var options []gitserver.CommitOption
		if at := chance.IntN(len(commits)); chance.IntN(4) == 0 {
			options, now = append(options, gitserver.Onto(commits[at])), maps.Clone(was[at])
		} else if at < len(commits)-1 && chance.IntN(3) == 0 {
			options = append(options, gitserver.Merging(commits[at]))
		}
		change := map[string]string{}
		for range 1 + chance.IntN(4) {
			name := fmt.Sprintf("dir%d/%d.yaml", chance.IntN(3), chance.IntN(5))
			part := strings.Repeat(fmt.Sprintf("%x\n", chance.Uint64()), 1+chance.IntN(300))
			if old := now[name]; chance.IntN(2) == 0 {
				part = old + part
			} else if old != "" {
				part += old[chance.IntN(len(old)):]
			}
			change[name] = part
		}
		maps.Copy(now, change)
		commits = append(commits, b.repo.Commit(t, change, fmt.Sprint("Commit ", n), options...))
		was = append(was, maps.Clone(now))
		tree := pull(t, source)
		if got := content(t, tree); !maps.Equal(got, now) {
			t.Fatalf("after %d commits there are other files than were written", n+1)
		}
	}
	isWhole(t, b)
}

func content(t *testing.T, tree *gitrepo.Tree) map[string]string {
	t.Helper()
	fsys, all := files(t, tree, "."), map[string]string{}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		all[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
