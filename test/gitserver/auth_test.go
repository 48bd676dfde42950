//go:build beds

package gitserver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/kupenstack/kupenstack-sync/test/gitserver"
)

func TestPasswords(t *testing.T) {
	t.Parallel()
	b, s := newHTTPBed(t)
	s.SetUser("reader", "look", gitserver.ReadOnly)
	as := func(name, password string) error {
		b.auth = &githttp.BasicAuth{Username: name, Password: password}
		_, err := b.list(timeout(t))
		return err
	}
	check := func(what string, got, want error) {
		t.Helper()
		if !errors.Is(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	check("right password", as("writer", "secret"), nil)
	check("wrong password", as("writer", "look"), transport.ErrAuthenticationRequired)
	check("unknown user", as("nobody", "secret"), transport.ErrAuthenticationRequired)
	s.SetUser("writer", "rotated", gitserver.ReadWrite)
	check("password before the rotation", as("writer", "secret"), transport.ErrAuthenticationRequired)
	check("password after the rotation", as("writer", "rotated"), nil)
	s.RemoveUser("writer")
	check("removed user", as("writer", "rotated"), transport.ErrAuthenticationRequired)
	b.wantCounts(t, gitserver.Counts{ListRefs: 2, Refused: 4})

	check("user who may read", as("reader", "look"), nil)
	clone := b.mustClone(t)
	commit(t, clone, "new.hcl", "new\n")
	check("push of a user who may read", b.push(timeout(t), clone), transport.ErrAuthorizationFailed)
	if got := b.repo.Hash(t, "main"); got != b.first {
		t.Errorf("the branch moved to %s", got)
	}

	b.auth = nil
	_, err := b.list(timeout(t))
	check("nobody", err, transport.ErrAuthenticationRequired)
	s.SetAnonymous(gitserver.ReadOnly)
	_, err = b.list(timeout(t))
	check("anonymous reader", err, nil)
	check("push of an anonymous reader", b.push(timeout(t), clone), transport.ErrAuthenticationRequired)
	s.SetAnonymous(gitserver.ReadWrite)
	check("push of an anonymous writer", b.push(timeout(t), clone), nil)

	b.url += "x"
	_, err = b.list(timeout(t))
	check("no such repository", err, transport.ErrRepositoryNotFound)
}

func TestDeployKeys(t *testing.T) {
	t.Parallel()
	b, s := newSSHBed(t)
	writer := b.auth
	key := gitserver.NewKey(t)
	b.auth = sshAuth(t, key, s.KnownHosts())
	unknown := func(what string) {
		t.Helper()
		if _, err := b.list(timeout(t)); err == nil || !strings.Contains(err.Error(), "unable to authenticate") {
			t.Errorf("%s: %v, want a failed authentication", what, err)
		}
	}
	unknown("unknown key")

	s.AllowKey(key.Signer.PublicKey(), gitserver.ReadOnly)
	clone := b.mustClone(t)
	commit(t, clone, "new.hcl", "new\n")
	err := b.push(timeout(t), clone)
	if err == nil || !strings.Contains(err.Error(), "not allowed to push") {
		t.Errorf("push with a key that may read: %v", err)
	}
	if got := b.repo.Hash(t, "main"); got != b.first {
		t.Errorf("the branch moved to %s", got)
	}
	b.wantCounts(t, gitserver.Counts{ListRefs: 1, Fetch: 1, Refused: 1})
	s.AllowKey(key.Signer.PublicKey(), gitserver.ReadWrite)
	if err := b.push(timeout(t), clone); err != nil {
		t.Errorf("push with a key that may write: %v", err)
	}
	s.RemoveKey(key.Signer.PublicKey())
	unknown("removed key")

	b.auth, b.url = writer, b.url+"x"
	if _, err := b.list(timeout(t)); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("no such repository: %v", err)
	}
}

func TestHostKeys(t *testing.T) {
	t.Parallel()
	b, s := newSSHBed(t)
	before := s.KnownHosts()
	s.ReplaceHostKey(t)
	if s.KnownHosts() == before {
		t.Fatal("the host key is the same as before")
	}
	_, err := b.list(timeout(t))
	var mismatch *knownhosts.KeyError
	if !errors.As(err, &mismatch) || len(mismatch.Want) != 1 {
		t.Errorf("go-git with the old host key: %v, want a mismatch", err)
	}
	if out, err := b.run(t, "", "ls-remote", b.gitURL); err == nil || !strings.Contains(out, "Host key verification failed") {
		t.Errorf("git with the old host key: %v: %s", err, out)
	}
	b.wantCounts(t, gitserver.Counts{})

	key := gitserver.NewKey(t)
	s.AllowKey(key.Signer.PublicKey(), gitserver.ReadOnly)
	s.Stop(t)
	s.Start(t)
	b.auth = sshAuth(t, key, s.KnownHosts())
	if _, err := b.list(timeout(t)); err != nil {
		t.Errorf("with the new host key: %v", err)
	}
}

func TestSSHServesNothingButGit(t *testing.T) {
	t.Parallel()
	b, s := newSSHBed(t)
	key := gitserver.NewKey(t)
	s.AllowKey(key.Signer.PublicKey(), gitserver.ReadWrite)
	client, err := ssh.Dial("tcp", s.Addr(), &ssh.ClientConfig{
		User: "git", Auth: []ssh.AuthMethod{ssh.PublicKeys(key.Signer)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	for _, command := range []string{
		"", "ls /", "git-upload-archive '/cloud.git'", "git-upload-pack", "git-upload-pack '/../repositories/cloud.git'",
		"git-upload-pack --timeout=1 '/cloud.git'", "git-upload-pack '" + b.repo.Dir + "'",
	} {
		session, err := client.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		if output, err := session.Output(command); err == nil || len(output) > 0 {
			t.Errorf("%q printed %q and ended with %v, want a failure", command, output, err)
		}
	}
	shell, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.RequestPty("xterm", 24, 80, nil); err == nil {
		t.Error("the server gives out terminals")
	}
	if err := shell.Shell(); err == nil && shell.Wait() == nil {
		t.Error("the server runs a shell")
	}
	if err := shell.RequestSubsystem("sftp"); err == nil {
		t.Error("the server runs subsystems")
	}
	if _, err := client.Dial("tcp", s.Addr()); err == nil {
		t.Error("the server forwards ports")
	}
}
