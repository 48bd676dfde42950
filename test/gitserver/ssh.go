package gitserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/gliderlabs/ssh"
	gossh "golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// The names of Git's two services, as clients ask for them.
const (
	uploadPack  = "git-upload-pack"
	receivePack = "git-receive-pack"
)

// flushPacket is what a client sends that has seen the refs and wants nothing more.
const flushPacket = "0000"

// SSHServer serves a store over SSH, to clients that have one of the keys allowed. Any
// user name will do. It is safe for concurrent use.
type SSHServer struct {
	*endpoint

	mu      sync.Mutex
	hostKey *Key
	running *ssh.Server
	keys    map[string]Access // by the key in wire format
}

// StartSSH serves the store until the test ends. Nobody has access until AllowKey.
func StartSSH(t testing.TB, store *Store) *SSHServer {
	t.Helper()
	s := &SSHServer{hostKey: NewKey(t), keys: map[string]Access{}}
	s.endpoint = newEndpoint(t, store, func(p *period) backend { return s.backend(p) })
	s.Start(t)
	return s
}

// URL returns the URL of the repository, for the user git.
func (s *SSHServer) URL(repository *Repository) string {
	return "ssh://git@" + s.Addr() + "/" + repository.Name + ".git"
}

// KnownHosts returns the line of a known_hosts file that names the server and its
// present host key, without a line break.
func (s *SSHServer) KnownHosts() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return knownhosts.Line([]string{s.Addr()}, s.hostKey.Signer.PublicKey())
}

// ReplaceHostKey makes the server show a new host key on later connections.
func (s *SSHServer) ReplaceHostKey(t testing.TB) {
	t.Helper()
	key := NewKey(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hostKey = key
	s.running.AddHostKey(key.Signer)
}

// AllowKey lets clients in that have the key, or changes what they may do.
func (s *SSHServer) AllowKey(key gossh.PublicKey, access Access) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys[string(key.Marshal())] = access
}

// RemoveKey makes the key unknown to later connections.
func (s *SSHServer) RemoveKey(key gossh.PublicKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.keys, string(key.Marshal()))
}

func (s *SSHServer) access(key gossh.PublicKey) Access {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[string(key.Marshal())]
}

func (s *SSHServer) backend(p *period) *ssh.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = &ssh.Server{
		HostSigners:      []ssh.Signer{s.hostKey.Signer},
		PublicKeyHandler: func(_ ssh.Context, key ssh.PublicKey) bool { return s.access(key) > NoAccess },
		PtyCallback:      func(ssh.Context, ssh.Pty) bool { return false },
		Handler: func(session ssh.Session) {
			if !p.enter() {
				return
			}
			defer p.leave()
			_ = session.Exit(s.serve(p, session)) // fails when the client has gone
		},
	}
	return s.running
}

// serve answers one session and returns the exit status for the client.
func (s *SSHServer) serve(p *period, session ssh.Session) int {
	name, operation, err := parseCommand(session.Command())
	if err == nil && s.access(session.PublicKey()) < operation.needs() {
		err = errors.New("this key is not allowed to push")
	}
	repository := s.store.lookup(name)
	if err == nil && repository == nil {
		err = fmt.Errorf("repository %s not found", name)
	}
	if err != nil {
		s.counts.add(name, 0)
		return fail(session, err)
	}
	s.counts.add(name, operation)

	ctx, cancel := context.WithCancel(session.Context())
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	g := &sshRequest{
		server: s, repository: repository, operation: operation, session: session, ctx: ctx,
		answer: &answer{ctx: ctx, to: session, onCut: func() { hangUp(session) }},
	}
	return g.run(p.ctx)
}

// parseCommand accepts the two commands that Git clients send and no other.
func parseCommand(command []string) (name string, operation Operation, err error) {
	if len(command) != 2 {
		return "", 0, errors.New("only git-upload-pack and git-receive-pack are served here")
	}
	name = strings.TrimSuffix(strings.TrimPrefix(command[1], "/"), ".git")
	switch command[0] {
	case uploadPack:
		return name, ListRefs, nil
	case receivePack:
		return name, ListRefsToPush, nil
	}
	return "", 0, fmt.Errorf("no command %s here", command[0])
}

// sshRequest is one session that runs Git.
type sshRequest struct {
	server     *SSHServer
	repository *Repository
	operation  Operation // ListRefs or ListRefsToPush
	session    ssh.Session
	ctx        context.Context // ends when the client has gone or the server stops
	answer     *answer
}

// run lists the refs and, if the client goes on, fetches or pushes. Git runs until
// stopped ends, or until it has nothing to do any more because the client has gone.
func (g *sshRequest) run(stopped context.Context) int {
	f := g.server.faults.take(g.operation)
	if status, ok := g.admit(f); !ok {
		return status
	}
	g.answer.under(f)

	ctx, kill := context.WithCancel(stopped)
	defer kill()
	verb := strings.TrimPrefix(uploadPack, "git-")
	if g.operation == ListRefsToPush {
		verb = strings.TrimPrefix(receivePack, "git-")
	}
	git := exec.CommandContext(ctx, g.server.store.git, verb, g.repository.Dir)
	git.Env = g.server.store.Env()
	git.Stdout, git.Stderr = g.answer, deaf{g.session.Stderr()}
	stdin, err := git.StdinPipe()
	if err != nil {
		return fail(g.session, err)
	}
	if err := git.Start(); err != nil {
		return fail(g.session, err)
	}
	go func() {
		if !g.feed(stdin) {
			kill()
		}
		_ = stdin.Close()
	}()
	if git.Wait() != nil {
		return 1
	}
	return 0
}

// feed passes on what the client sends. It returns false when Git must not go on.
func (g *sshRequest) feed(stdin io.Writer) bool {
	client := bufio.NewReader(g.session)
	head, err := client.Peek(len(flushPacket))
	if err != nil || string(head) == flushPacket {
		_, _ = io.Copy(stdin, client) // Git tells from the end of its input
		return true
	}
	operation := Fetch
	if g.operation == ListRefsToPush {
		operation = Push
	}
	g.server.counts.add(g.repository.Name, operation)
	f := g.server.faults.take(operation)
	if _, ok := g.admit(f); !ok {
		return false
	}
	if operation == Push {
		if err := g.repository.beforePush(g.ctx); err != nil {
			fail(g.session, fmt.Errorf("hook before the push: %w", err))
			return false
		}
	}
	g.answer.under(f)
	buffer := make([]byte, f.slice(32<<10))
	for {
		n, err := client.Read(buffer)
		if f.transfer(g.ctx, n) != nil {
			return true // the client has gone, and Git finds its input incomplete
		}
		if _, writeErr := stdin.Write(buffer[:n]); err != nil || writeErr != nil {
			return true
		}
	}
}

// admit makes the client wait and says whether it is served at all, and if not, the
// exit status.
func (g *sshRequest) admit(f fault) (status int, ok bool) {
	if f.hold(g.ctx) != nil {
		hangUp(g.session)
		return 1, false
	}
	if f.Status != 0 {
		return fail(g.session, fmt.Errorf("%d %s", f.Status, http.StatusText(f.Status))), false
	}
	return 0, true
}

// fail tells the client why and returns the exit status.
func fail(session ssh.Session, err error) int {
	_, _ = fmt.Fprintf(session.Stderr(), "fatal: %v\n", err)
	return 1
}

// hangUp closes the connection of a session.
func hangUp(session ssh.Session) {
	if c, ok := session.Context().Value(ssh.ContextKeyConn).(*gossh.ServerConn); ok {
		_ = c.Close()
	}
}

// deaf never fails, so that Git is not disturbed by a client that has gone.
type deaf struct{ io.Writer }

func (d deaf) Write(p []byte) (int, error) {
	_, _ = d.Writer.Write(p)
	return len(p), nil
}
