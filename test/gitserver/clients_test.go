//go:build beds

package gitserver_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/memfs"
	"github.com/go-git/go-billy/v5/util"
	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"github.com/go-git/go-git/v5/storage/memory"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

// server is what the tests need of both servers.
type server interface {
	Addr() string
	URL(*gitserver.Repository) string
	SetFaults(gitserver.Faults)
	Release()
	Requests() map[string]gitserver.Counts
	AwaitRequests(context.Context, string, func(gitserver.Counts) bool) error
	Stop(testing.TB)
	Start(testing.TB)
	Close() error
}

// bed is a repository with one commit, a server, and a client that may push to it.
type bed struct {
	store  *gitserver.Store
	repo   *gitserver.Repository
	server server
	first  string // hash of the commit
	url    string
	auth   transport.AuthMethod // for go-git
	gitURL string               // for the git client
	gitEnv []string
}

func newBed(t *testing.T) *bed {
	t.Helper()
	store := gitserver.NewStore(t)
	b := &bed{store: store, repo: store.Create(t, "cloud")}
	b.first = b.repo.Commit(t, map[string]string{"cloud.hcl": "cloud {}\n", "sites/a.hcl": "site a\n"}, "First")
	return b
}

func newHTTPBed(t *testing.T) (*bed, *gitserver.HTTPServer) {
	t.Helper()
	b := newBed(t)
	s := gitserver.StartHTTP(t, b.store)
	s.SetUser("writer", "secret", gitserver.ReadWrite)
	b.server, b.url = s, s.URL(b.repo)
	b.auth = &githttp.BasicAuth{Username: "writer", Password: "secret"}
	b.gitURL = strings.Replace(b.url, "http://", "http://writer:secret@", 1)
	b.gitEnv = b.store.Env()
	return b, s
}

func newSSHBed(t *testing.T) (*bed, *gitserver.SSHServer) {
	t.Helper()
	b := newBed(t)
	s := gitserver.StartSSH(t, b.store)
	key := gitserver.NewKey(t)
	s.AllowKey(key.Signer.PublicKey(), gitserver.ReadWrite)
	b.server, b.url, b.gitURL = s, s.URL(b.repo), s.URL(b.repo)
	b.auth = sshAuth(t, key, s.KnownHosts())
	known := filepath.Join(t.TempDir(), "known_hosts")
	writeFile(t, known, s.KnownHosts()+"\n")
	b.gitEnv = append(b.store.Env(), fmt.Sprintf(
		"GIT_SSH_COMMAND=ssh -F none -i %s -o IdentitiesOnly=yes -o IdentityAgent=none -o BatchMode=yes -o UserKnownHostsFile=%s -o GlobalKnownHostsFile=none",
		key.Path, known))
	return b, s
}

// onBoth runs a test over both transports.
func onBoth(t *testing.T, test func(*testing.T, *bed)) {
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		b, _ := newHTTPBed(t)
		test(t, b)
	})
	t.Run("ssh", func(t *testing.T) {
		t.Parallel()
		b, _ := newSSHBed(t)
		test(t, b)
	})
}

func sshAuth(t *testing.T, key *gitserver.Key, knownHosts string) transport.AuthMethod {
	t.Helper()
	path := filepath.Join(t.TempDir(), "known_hosts")
	writeFile(t, path, knownHosts+"\n")
	callback, err := knownhosts.New(path)
	if err != nil {
		t.Fatal(err)
	}
	return &gitssh.PublicKeys{
		User: "git", Signer: key.Signer,
		HostKeyCallbackHelper: gitssh.HostKeyCallbackHelper{HostKeyCallback: callback},
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// timeout returns a context that ends long after anything that works.
func timeout(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// interrupt runs an operation whose requests must not be answered. It gives the server
// a moment to answer all the same once the requests have arrived, then cancels. The
// error is what the client reports.
func (b *bed) interrupt(t *testing.T, arrived func(gitserver.Counts) bool, operation func(context.Context) error) error {
	t.Helper()
	ctx, cancel := context.WithCancel(timeout(t))
	defer cancel()
	result := make(chan error, 1)
	go func() { result <- operation(ctx) }()
	if err := b.server.AwaitRequests(ctx, b.repo.Name, arrived); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, cancel)
	err := <-result
	// go-git hides the cause of a failed push in a type that does not unwrap.
	var hidden *plumbing.UnexpectedError
	if errors.As(err, &hidden) {
		return hidden.Err
	}
	return err
}

// list is go-git's ls-remote.
func (b *bed) list(ctx context.Context) (map[string]string, error) {
	remote := git.NewRemote(memory.NewStorage(), &config.RemoteConfig{Name: "origin", URLs: []string{b.url}})
	refs, err := remote.ListContext(ctx, &git.ListOptions{Auth: b.auth})
	hashes := map[string]string{}
	for _, ref := range refs {
		if ref.Type() == plumbing.HashReference {
			hashes[ref.Name().String()] = ref.Hash().String()
		}
	}
	return hashes, err
}

// clone is go-git's clone into memory.
func (b *bed) clone(ctx context.Context, depth int) (*git.Repository, error) {
	return git.CloneContext(ctx, memory.NewStorage(), memfs.New(), &git.CloneOptions{URL: b.url, Auth: b.auth, Depth: depth})
}

// mustClone is a clone that must work.
func (b *bed) mustClone(t *testing.T) *git.Repository {
	t.Helper()
	clone, err := b.clone(timeout(t), 0)
	if err != nil {
		t.Fatalf("clone: %v", err)
	}
	return clone
}

func (b *bed) push(ctx context.Context, clone *git.Repository) error {
	return clone.PushContext(ctx, &git.PushOptions{Auth: b.auth})
}

// counts returns what the server counted for the repository.
func (b *bed) counts() gitserver.Counts { return b.server.Requests()[b.repo.Name] }

func (b *bed) wantCounts(t *testing.T, want gitserver.Counts) {
	t.Helper()
	if got := b.counts(); got != want {
		t.Errorf("requests are %+v, want %+v", got, want)
	}
}

// run executes the git client.
func (b *bed) run(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(timeout(t), "git", args...)
	command.Dir, command.Env = dir, b.gitEnv
	output, err := command.CombinedOutput()
	return string(output), err
}

func (b *bed) mustRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	output, err := b.run(t, dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v: %s", args[0], err, output)
	}
	return output
}

// commit adds one file to a clone of go-git's.
func commit(t *testing.T, clone *git.Repository, path, content string) string {
	t.Helper()
	tree, err := clone.Worktree()
	if err != nil {
		t.Fatal(err)
	}
	if err := util.WriteFile(tree.Filesystem, path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Add(path); err != nil {
		t.Fatal(err)
	}
	who := &object.Signature{Name: "Client", Email: "client@kupenstack.invalid", When: time.Unix(1767225600, 0)}
	hash, err := tree.Commit("Change "+path, &git.CommitOptions{Author: who})
	if err != nil {
		t.Fatal(err)
	}
	return hash.String()
}

func head(t *testing.T, clone *git.Repository) string {
	t.Helper()
	ref, err := clone.Head()
	if err != nil {
		t.Fatal(err)
	}
	return ref.Hash().String()
}
