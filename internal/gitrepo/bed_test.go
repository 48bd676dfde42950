package gitrepo_test

import (
	"context"
	"io/fs"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/test/gitserver"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// canary is the password of every test: it must be in no error.
const canary = "canary-Pa55word!"

// bed is a repository with one commit behind a server, and the options to read it.
type bed struct {
	repo    *gitserver.Repository
	first   string
	server  server
	options gitrepo.Options
	secret  gitrepo.Credentials
}

type server interface {
	SetFaults(gitserver.Faults)
	Requests() map[string]gitserver.Counts
	Stop(testing.TB)
	Start(testing.TB)
}

func newBed(t *testing.T) (*bed, *gitserver.Store) {
	t.Helper()
	store := gitserver.NewStore(t)
	b := &bed{repo: store.Create(t, "cloud")}
	b.first = b.repo.Commit(t, map[string]string{"cloud.hcl": "cloud {}\n", "sites/a.hcl": "site a\n"}, "First\n\nBody")
	b.options = gitrepo.Options{CacheDir: t.TempDir(), Timeout: 5 * time.Minute, Credentials: func(context.Context) (gitrepo.Credentials, error) { return b.secret, nil }}
	return b, store
}

func overHTTP(t *testing.T) *bed {
	t.Helper()
	b, store := newBed(t)
	s := gitserver.StartHTTP(t, store)
	s.SetUser("writer", canary, gitserver.ReadWrite)
	b.server, b.options.URL = s, s.URL(b.repo)
	b.secret = gitrepo.Credentials{Username: "writer", Password: redact.NewSecret(canary)}
	return b
}

func overSSH(t *testing.T) (*bed, *gitserver.SSHServer) {
	t.Helper()
	b, store := newBed(t)
	s := gitserver.StartSSH(t, store)
	key := gitserver.NewKey(t)
	s.AllowKey(key.Signer.PublicKey(), gitserver.ReadWrite)
	b.server, b.options.URL = s, s.URL(b.repo)
	b.secret = gitrepo.Credentials{SSHKey: redact.NewSecret(string(key.PEM)), KnownHosts: []byte(s.KnownHosts() + "\n")}
	return b, s
}

// onBoth runs a test over both servers.
func onBoth(t *testing.T, test func(*testing.T, *bed)) {
	t.Run("http", func(t *testing.T) { t.Parallel(); test(t, overHTTP(t)) })
	t.Run("ssh", func(t *testing.T) {
		t.Parallel()
		slow.Test(t)
		b, _ := overSSH(t)
		test(t, b)
	})
}

func (b *bed) open(t *testing.T) *gitrepo.Source {
	t.Helper()
	source, err := gitrepo.Open(t.Context(), b.options)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func (b *bed) counts() gitserver.Counts { return b.server.Requests()[b.repo.Name] }

// pull is what a poll does.
func pull(t *testing.T, source *gitrepo.Source) *gitrepo.Tree {
	t.Helper()
	rev, err := source.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := source.Fetch(t.Context(), rev)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func files(t *testing.T, tree *gitrepo.Tree, path string) fs.FS {
	t.Helper()
	fsys, err := tree.FS(path)
	if err != nil {
		t.Fatal(err)
	}
	return fsys
}

func has(t *testing.T, fsys fs.FS, name, want string) {
	t.Helper()
	got, err := fs.ReadFile(fsys, name)
	if err != nil || string(got) != want {
		t.Errorf("%s has %q, %v; want %q", name, got, err, want)
	}
}

// fails checks an error's kind and words, and that it names no credential.
func fails(t *testing.T, err error, kind gitrepo.Kind, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if got := gitrepo.KindOf(err); got != kind {
		t.Errorf("%v is of kind %d, want %d", err, got, kind)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %q", err, word)
		}
	}
	for _, form := range []string{canary, url.QueryEscape(canary), url.PathEscape(canary), "PRIVATE KEY"} {
		if strings.Contains(err.Error(), form) {
			t.Errorf("the error names a credential")
		}
	}
}
