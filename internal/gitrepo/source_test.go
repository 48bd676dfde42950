package gitrepo_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/test/await"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// TestALongSubjectSaysThatItIsCut: by that, whoever masks it knows the beginning of a credential.
func TestALongSubjectSaysThatItIsCut(t *testing.T) {
	t.Parallel()
	b := overHTTP(t)
	b.repo.Commit(t, map[string]string{"n": "1"}, strings.Repeat("ä", 90)+" https://user:canary-word@git.example.org")
	if got, want := pull(t, b.open(t)).Commit.Subject, strings.Repeat("ä", 90)+" https://user:can…"; got != want {
		t.Errorf("the subject is %q, want %q", got, want)
	}
}

func TestPollsAndFetches(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		source := b.open(t)
		tree := pull(t, source)
		if tree.Revision != (gitrepo.Revision{Ref: "refs/heads/main", Hash: b.first}) {
			t.Errorf("the revision is %+v", tree.Revision)
		}
		if c := tree.Commit; c.Hash != b.first || c.Subject != "First" || c.Author == "" || c.When.IsZero() {
			t.Errorf("the commit is %+v", c)
		}
		has(t, files(t, tree, "."), "sites/a.hcl", "site a\n")
		has(t, files(t, tree, "sites"), "a.hcl", "site a\n")
		if got := b.counts(); got.Fetch != 1 {
			t.Errorf("the first fetch took %+v", got)
		}

		before := b.counts()
		pull(t, source)
		if got := b.counts(); got.ListRefs != before.ListRefs+1 || got.Fetch != before.Fetch {
			t.Errorf("a poll without a new commit took %+v after %+v: want one list of refs", got, before)
		}

		second := b.repo.Commit(t, map[string]string{"cloud.hcl": "cloud { two }\n"}, "Second")
		newer := pull(t, source)
		if newer.Commit.Hash != second {
			t.Errorf("the newer commit is %+v", newer.Commit)
		}
		has(t, files(t, newer, "."), "cloud.hcl", "cloud { two }\n")
		has(t, files(t, newer, "."), "sites/a.hcl", "site a\n")
		has(t, files(t, tree, "."), "cloud.hcl", "cloud {}\n")
	})
}

func TestSurvivesRewrittenHistory(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		source := b.open(t)
		pull(t, source)
		for i := range 3 {
			b.repo.Commit(t, map[string]string{"n": fmt.Sprint(i)}, "More")
		}
		pull(t, source)
		b.repo.ForcePush(t, "refs/heads/main", b.first)
		if tree := pull(t, source); tree.Commit.Hash != b.first {
			t.Errorf("after going back the commit is %+v", tree.Commit)
		}
		orphan := b.repo.Commit(t, map[string]string{"only.hcl": "1"}, "Orphan", gitserver.Orphan())
		tree := pull(t, source)
		if tree.Commit.Hash != orphan {
			t.Errorf("after the orphan the commit is %+v", tree.Commit)
		}
		has(t, files(t, tree, "."), "only.hcl", "1")
	})
}

func TestFetchesWhatMovedSinceHead(t *testing.T) {
	t.Parallel()
	b := overHTTP(t)
	source := b.open(t)
	rev, err := source.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second := b.repo.Commit(t, map[string]string{"x": "2"}, "Second")
	tree, err := source.Fetch(t.Context(), rev)
	if err != nil || tree.Revision.Hash != second {
		t.Fatalf("got %+v, %v", tree, err)
	}
}

func TestChoosesRef(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	b := overHTTP(t)
	staging := b.repo.Commit(t, map[string]string{"s": "1"}, "Staging", gitserver.OnBranch("staging"))
	git(t, b, "tag", "-a", "-m", "release", "v1", b.first)
	git(t, b, "tag", "light", staging)
	git(t, b, "tag", "staging2", staging)
	git(t, b, "branch", "staging2", b.first)
	for ref, want := range map[string]string{"": b.first, "main": b.first, "staging": staging, "v1": b.first, "light": staging, "refs/heads/staging": staging, "refs/tags/staging2": staging} {
		b.options.Ref = ref
		if tree := pull(t, b.open(t)); tree.Commit.Hash != want {
			t.Errorf("%q is %+v, want %s", ref, tree.Revision, want)
		}
	}
	for ref, words := range map[string][]string{"stagin": {`"stagin"`, `"staging"`}, "staging2": {"refs/tags/staging2"}} {
		b.options.Ref = ref
		_, err := b.open(t).Head(t.Context())
		fails(t, err, gitrepo.NoRef, words...)
	}
}

func git(t *testing.T, b *bed, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", append([]string{"-C", b.repo.Dir, "-c", "user.name=T", "-c", "user.email=t@example.org"}, args...)...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestReadsFromTheCacheWithoutTheServer(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		_, err := b.open(t).Cached(t.Context())
		fails(t, err, gitrepo.Other, "nothing was fetched")
		pull(t, b.open(t))
		b.server.Stop(t)
		source := b.open(t) // as after a restart
		_, err = source.Head(t.Context())
		fails(t, err, gitrepo.Unreachable, "127.0.0.1")
		tree, err := source.Cached(t.Context())
		if err != nil || tree.Commit.Hash != b.first || tree.Revision.Ref != "refs/heads/main" {
			t.Fatalf("the cache has %+v, %v", tree, err)
		}
		has(t, files(t, tree, ""), "cloud.hcl", "cloud {}\n")
		b.server.Start(t)
		pull(t, source)
	})
}

func TestMendsADamagedCache(t *testing.T) {
	t.Parallel()
	b := overHTTP(t)
	pull(t, b.open(t))
	packs, err := filepath.Glob(filepath.Join(b.options.CacheDir, "*", "repository-*", "objects", "pack", "*.pack"))
	if err != nil || len(packs) == 0 {
		t.Fatal(packs, err)
	}
	for _, pack := range packs {
		if err := os.Remove(pack); err != nil {
			t.Fatal(err)
		}
	}
	has(t, files(t, pull(t, b.open(t)), "."), "cloud.hcl", "cloud {}\n")
}

func TestBoundsTheCache(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	b, _ := newBed(t)
	b.options.URL = "file://" + b.repo.Dir
	source := b.open(t)
	first := pull(t, source)
	for i := range 70 {
		b.repo.Commit(t, map[string]string{"n": fmt.Sprint(i)}, "More")
		pull(t, source)
	}
	has(t, files(t, first, "."), "cloud.hcl", "cloud {}\n") // what is in use stays
	repositories := func() int {
		dirs, err := filepath.Glob(filepath.Join(b.options.CacheDir, "*", "repository-*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(dirs)
	}
	if got := repositories(); got < 2 {
		t.Errorf("the cache has %d repositories", got)
	}
	runtime.KeepAlive(first)
	// Only the newest one and the one that is kept are left in the end.
	await.Until(t, "the former repositories to be gone", func() bool {
		runtime.GC()
		if _, err := source.Earlier(t.Context(), b.first); err != nil {
			t.Fatal(err)
		}
		return repositories() == 2
	})
	packs, err := filepath.Glob(filepath.Join(b.options.CacheDir, "*", "repository-*", "objects", "pack", "*.pack"))
	if err != nil || len(packs) < 2 || len(packs) > 36 {
		t.Errorf("the cache has %d packs, %v", len(packs), err)
	}
}

func TestFileURL(t *testing.T) {
	t.Parallel()
	b, _ := newBed(t)
	b.options.URL = "file://" + b.repo.Dir
	source := b.open(t)
	has(t, files(t, pull(t, source), "."), "cloud.hcl", "cloud {}\n")
	second := b.repo.Commit(t, map[string]string{"cloud.hcl": "2"}, "Second")
	if tree := pull(t, source); tree.Commit.Hash != second {
		t.Errorf("got %+v", tree.Commit)
	}
	b.options.URL += "-not"
	_, err := b.open(t).Head(t.Context())
	fails(t, err, gitrepo.NoRepository)
}

// TestFileURLOfALingeringGit: what git started goes on after it with its output. That is no failure of the
// fetch, which is complete.
func TestFileURLOfALingeringGit(t *testing.T) {
	slow.Test(t)
	b, _ := newBed(t)
	b.options.URL = "file://" + b.repo.Dir
	source := b.open(t)
	program, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	script := "#!/bin/sh\nsleep 30 >/dev/null </dev/null &\nexec '" + program + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	has(t, files(t, pull(t, source), "."), "cloud.hcl", "cloud {}\n")
}

// commitIndex commits what git's index has, which can be more than files.
func commitIndex(t *testing.T, b *bed) {
	t.Helper()
	tree, err := exec.CommandContext(t.Context(), "git", "-C", b.repo.Dir, "write-tree").Output()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "git", "-C", b.repo.Dir, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit-tree", "-m", "Index", "-p", b.first, strings.TrimSpace(string(tree)))
	commit, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	b.repo.ForcePush(t, "refs/heads/main", strings.TrimSpace(string(commit)))
}

func TestHTTPSAndCredentialsFromFiles(t *testing.T) {
	t.Parallel()
	b, store := newBed(t)
	s := gitserver.StartHTTPS(t, store)
	s.SetUser("git", canary, gitserver.ReadOnly)
	b.server, b.options.URL = s, s.URL(b.repo)
	_, err := b.open(t).Head(t.Context())
	fails(t, err, gitrepo.Unreachable, "certificate")

	dir := t.TempDir()
	put := func(name, content string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	paths := gitrepo.CredentialFiles{Password: put("token", canary+"\n"), CABundle: put("ca", string(s.CA()))}
	b.options.Credentials = paths.Read
	source := b.open(t)
	pull(t, source)

	s.SetUser("git", canary+"2", gitserver.ReadOnly)
	_, err = source.Head(t.Context())
	fails(t, err, gitrepo.Refused)
	put("token", canary+"2")
	pull(t, source)

	if err := os.Remove(paths.Password); err != nil {
		t.Fatal(err)
	}
	_, err = source.Head(t.Context())
	fails(t, err, gitrepo.Other, "reading the password")
}

func TestReadsWhileFetching(t *testing.T) {
	t.Parallel()
	b, _ := newBed(t)
	b.options.URL = "file://" + b.repo.Dir
	source := b.open(t)
	old := files(t, pull(t, source), ".")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 200 {
			if content, err := fs.ReadFile(old, "sites/a.hcl"); err != nil || string(content) != "site a\n" {
				t.Errorf("got %q, %v", content, err)
				return
			}
		}
	}()
	for i := range 3 {
		b.repo.Commit(t, map[string]string{"n": fmt.Sprint(i)}, "More")
		pull(t, source)
	}
	<-done
}
