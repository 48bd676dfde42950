//go:build beds

package faultproxy_test

import (
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/kupenstack/kupenstack-sync/test/faultproxy"
)

// startGit serves an empty repository at /repo.git by Git's own smart HTTP program.
func startGit(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if output, err := exec.CommandContext(t.Context(), "git", "init", "--bare", "-q", filepath.Join(dir, "repo.git")).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, output)
	}
	programs, err := exec.CommandContext(t.Context(), "git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(programs)), "git-http-backend"),
		Env: []string{
			"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.receivepack", "GIT_CONFIG_VALUE_0=true",
		},
	})
	t.Cleanup(server.Close)
	return server.URL
}

func clone(t *testing.T, url string) (*git.Repository, error) {
	t.Helper()
	return git.PlainCloneContext(t.Context(), t.TempDir(), false, &git.CloneOptions{URL: url})
}

func TestGitThroughTheProxy(t *testing.T) {
	proxy := faultproxy.Start(t, faultproxy.Options{Target: startGit(t)})
	url := proxy.URL() + "/repo.git"

	dir := t.TempDir()
	repository, err := git.PlainInit(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte(strings.Repeat("content\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := repository.Worktree()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Add("file"); err != nil {
		t.Fatal(err)
	}
	author := &object.Signature{Name: "Tester", Email: "tester@example.org", When: time.Unix(1e9, 0)}
	commit, err := tree.Commit("first", &git.CommitOptions{Author: author})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := repository.CreateRemote(&config.RemoteConfig{Name: "origin", URLs: []string{url}}); err != nil {
		t.Fatal(err)
	}
	if err := repository.PushContext(t.Context(), &git.PushOptions{}); err != nil {
		t.Fatal(err)
	}

	cut := proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Path: "/**/git-upload-pack"}, Action: faultproxy.Truncate(100)})
	if _, err := clone(t, url); err == nil || cut.Fired() == 0 {
		t.Errorf("a cut answer (%d) gave no error: %v", cut.Fired(), err)
	}
	cut.Remove()
	cloned, err := clone(t, url)
	if err != nil {
		t.Fatal(err)
	}
	if head, err := cloned.Head(); err != nil || head.Hash() != commit {
		t.Errorf("head is %v, %v, want %v", head, err, commit)
	}
	if counts := proxy.Counts(); counts.Of("POST", "/repo.git/git-receive-pack") != 1 || counts.Of("POST", "/repo.git/git-upload-pack") != 2 {
		t.Errorf("counts are\n%v", counts)
	}
}
