//go:build beds

package gitserver_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"

	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

func TestGoGit(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		second := b.repo.Commit(t, map[string]string{"cloud.hcl": "cloud { name = \"b\" }\n"}, "Second")
		b.wantCounts(t, gitserver.Counts{}) // writing history needs no server

		refs, err := b.list(timeout(t))
		if err != nil || refs["refs/heads/main"] != second || len(refs) != 1 {
			t.Fatalf("ls-remote: %v, %v; want refs/heads/main at %s", refs, err, second)
		}
		b.wantCounts(t, gitserver.Counts{ListRefs: 1})

		clone := b.mustClone(t)
		if head(t, clone) != second {
			t.Errorf("the clone is at %s, want %s", head(t, clone), second)
		}
		b.wantCounts(t, gitserver.Counts{ListRefs: 2, Fetch: 1})

		shallow, err := b.clone(timeout(t), 1)
		if err != nil {
			t.Fatalf("shallow clone: %v", err)
		}
		if commits, err := shallow.Storer.Shallow(); err != nil || len(commits) != 1 || commits[0].String() != second {
			t.Errorf("the shallow clone ends at %v, %v; want %s", commits, err, second)
		}
		b.wantCounts(t, gitserver.Counts{ListRefs: 3, Fetch: 2})

		third := b.repo.Commit(t, map[string]string{"c.hcl": "c\n"}, "Third")
		if err := clone.FetchContext(timeout(t), &git.FetchOptions{Auth: b.auth}); err != nil {
			t.Fatalf("fetch: %v", err)
		}
		if ref, err := clone.Reference("refs/remotes/origin/main", false); err != nil || ref.Hash().String() != third {
			t.Errorf("after the fetch origin/main is %v, %v; want %s", ref, err, third)
		}
		b.wantCounts(t, gitserver.Counts{ListRefs: 4, Fetch: 3})
		err = clone.FetchContext(timeout(t), &git.FetchOptions{Auth: b.auth})
		if !errors.Is(err, git.NoErrAlreadyUpToDate) {
			t.Errorf("fetch of nothing new: %v, want %v", err, git.NoErrAlreadyUpToDate)
		}
		b.wantCounts(t, gitserver.Counts{ListRefs: 5, Fetch: 3})

		pushed := commit(t, clone, "status.txt", "ok\n")
		err = clone.PushContext(timeout(t), &git.PushOptions{Auth: b.auth, RefSpecs: []config.RefSpec{"refs/heads/main:refs/heads/status"}})
		if err != nil {
			t.Fatalf("push: %v", err)
		}
		if got := b.repo.Hash(t, "refs/heads/status"); got != pushed {
			t.Errorf("the pushed branch is at %s, want %s", got, pushed)
		}
		b.wantCounts(t, gitserver.Counts{ListRefs: 5, Fetch: 3, ListRefsToPush: 1, Push: 1})
		err = clone.PushContext(timeout(t), &git.PushOptions{Auth: b.auth, RefSpecs: []config.RefSpec{"refs/heads/main:refs/heads/status"}})
		if !errors.Is(err, git.NoErrAlreadyUpToDate) {
			t.Errorf("push of nothing new: %v, want %v", err, git.NoErrAlreadyUpToDate)
		}
		b.wantCounts(t, gitserver.Counts{ListRefs: 5, Fetch: 3, ListRefsToPush: 2, Push: 1})
	})
}

func TestGitClient(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		dir := filepath.Join(t.TempDir(), "clone")
		// Over HTTP the client asks without credentials first and is refused.
		refused := func(n int) int {
			if strings.HasPrefix(b.url, "ssh:") {
				return 0
			}
			return n
		}
		if out := b.mustRun(t, "", "ls-remote", b.gitURL, "refs/heads/main"); !strings.HasPrefix(out, b.first+"\t") {
			t.Errorf("ls-remote prints %q, want %s", out, b.first)
		}
		b.wantCounts(t, gitserver.Counts{ListRefs: 1, Refused: refused(1)})

		b.mustRun(t, "", "clone", "--quiet", b.gitURL, dir)
		if content, err := os.ReadFile(filepath.Join(dir, "sites", "a.hcl")); err != nil || string(content) != "site a\n" {
			t.Errorf("the clone has %q, %v", content, err)
		}
		b.wantCounts(t, gitserver.Counts{ListRefs: 2, Fetch: 1, Refused: refused(2)})

		// More than http.postBuffer below, so the client sends chunks after an empty push.
		big := strings.Repeat("0123456789abcdef", 16<<10)
		writeFile(t, filepath.Join(dir, "big.txt"), big)
		b.mustRun(t, dir, "add", "big.txt")
		b.mustRun(t, dir, "-c", "user.name=c", "-c", "user.email=c@kupenstack.invalid", "commit", "--quiet", "-m", "Big")
		b.mustRun(t, dir, "-c", "core.compression=0", "-c", "http.postBuffer=65536", "push", "--quiet", "origin", "HEAD:main")
		if tree := b.repo.Tree(t, "main"); tree["big.txt"] != big || tree["cloud.hcl"] != "cloud {}\n" {
			t.Error("the push did not arrive whole")
		}
		b.wantCounts(t, gitserver.Counts{ListRefs: 2, Fetch: 1, ListRefsToPush: 1, Push: 1, Refused: refused(3)})

		shallow := filepath.Join(t.TempDir(), "shallow")
		b.mustRun(t, "", "clone", "--quiet", "--depth=1", b.gitURL, shallow)
		if out := b.mustRun(t, shallow, "log", "--format=%s"); out != "Big\n" {
			t.Errorf("the history of a shallow clone is %q, want its newest commit only", out)
		}
	})
}

func TestHTTPS(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := gitserver.StartHTTPS(t, b.store)
	s.SetAnonymous(gitserver.ReadOnly)
	b.server, b.url = s, s.URL(b.repo)
	if _, err := b.list(timeout(t)); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without the authority: %v, want an error about the certificate", err)
	}
	remote := git.NewRemote(nil, &config.RemoteConfig{Name: "origin", URLs: []string{b.url}})
	refs, err := remote.ListContext(timeout(t), &git.ListOptions{CABundle: s.CA()})
	if err != nil || len(refs) == 0 {
		t.Errorf("with the authority: %v, %v", refs, err)
	}
	b.wantCounts(t, gitserver.Counts{ListRefs: 1})
}

func TestForcePushIsSeenByAFetch(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		b.repo.Commit(t, map[string]string{"cloud.hcl": "old\n"}, "To be rewritten")
		clone := b.mustClone(t)
		fetch := func() (string, error) {
			err := clone.FetchContext(timeout(t), &git.FetchOptions{Auth: b.auth, RefSpecs: []config.RefSpec{"+refs/heads/main:refs/remotes/origin/main"}})
			ref, refErr := clone.Reference("refs/remotes/origin/main", false)
			if refErr != nil {
				t.Fatal(refErr)
			}
			return ref.Hash().String(), err
		}
		rewritten := b.repo.Commit(t, map[string]string{"cloud.hcl": "new\n"}, "Rewritten", gitserver.Onto(b.first))
		if got, err := fetch(); err != nil || got != rewritten {
			t.Errorf("after the history was rewritten: %s, %v; want %s", got, err, rewritten)
		}
		b.repo.ForcePush(t, "refs/heads/main", b.first)
		if got, err := fetch(); err != nil || got != b.first {
			t.Errorf("after the branch was set back: %s, %v; want %s", got, err, b.first)
		}
		b.repo.Commit(t, nil, "Keep one branch", gitserver.OnBranch("other"))
		b.repo.DeleteRef(t, "refs/heads/main")
		refs, err := b.list(timeout(t))
		if _, there := refs["refs/heads/main"]; err != nil || there || len(refs) != 1 {
			t.Errorf("after the branch was deleted: %v, %v", refs, err)
		}
	})
}
