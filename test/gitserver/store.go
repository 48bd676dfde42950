package gitserver

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// gitTimeout bounds every git command that a test waits for, on a machine that is busy elsewhere.
const gitTimeout = 5 * time.Minute

// preReceive refuses a push for as long as the repository holds a file with a reason.
// It is installed once, because a program that is written while other goroutines fork
// may not be executable yet ("text file busy").
const preReceive = `#!/bin/sh
if [ -f ` + rejectFile + ` ]; then
	cat ` + rejectFile + ` >&2
	exit 1
fi
`

// Store is a set of bare repositories in a temporary directory that ends with the test.
// It is safe for concurrent use.
type Store struct {
	root string // the directory with the repositories
	git  string // path of the git binary
	env  []string

	mu           sync.Mutex
	repositories map[string]*Repository
}

// NewStore returns an empty store. The test fails when there is no git binary.
func NewStore(t testing.TB) *Store {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatalf("git servers need the git binary: %v", err)
	}
	dir := t.TempDir()
	store := &Store{
		root: filepath.Join(dir, "repositories"),
		git:  git,
		env: []string{
			"PATH=" + os.Getenv("PATH"),
			"HOME=" + filepath.Join(dir, "home"),
			"GIT_CONFIG_NOSYSTEM=1",
			"GIT_CONFIG_GLOBAL=" + os.DevNull,
			"GIT_TERMINAL_PROMPT=0",
			"LC_ALL=C",
			"TZ=UTC",
		},
		repositories: map[string]*Repository{},
	}
	for _, path := range []string{store.root, filepath.Join(dir, "home")} {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatalf("make a store of repositories: %v", err)
		}
	}
	return store
}

// Env returns the environment in which git knows nothing of the user's or the machine's
// configuration. Tests that run a git client use it too.
func (s *Store) Env() []string { return append([]string(nil), s.env...) }

// Create makes an empty bare repository whose default branch is main. The name becomes
// the path NAME.git of the URLs and may contain slashes.
func (s *Store) Create(t testing.TB, name string) *Repository {
	t.Helper()
	repo, err := s.create(name)
	if err != nil {
		t.Fatalf("create repository %s: %v", name, err)
	}
	return repo
}

func (s *Store) create(name string) (*Repository, error) {
	ctx, cancel := context.WithTimeout(context.Background(), gitTimeout)
	defer cancel()
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%q is no name for a repository", name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.repositories[name] != nil {
		return nil, fmt.Errorf("it exists")
	}
	repo := &Repository{Name: name, Dir: filepath.Join(s.root, name+".git"), store: s}
	if err := os.MkdirAll(filepath.Dir(repo.Dir), 0o700); err != nil {
		return nil, err
	}
	// Without a template Git installs no sample hooks.
	if _, err := s.run(ctx, nil, "init", "--quiet", "--bare", "--template=", "--initial-branch=main", repo.Dir); err != nil {
		return nil, err
	}
	config, err := os.OpenFile(filepath.Join(repo.Dir, "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	_, err = config.WriteString(repositoryConfig)
	if closeErr := config.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	hooks := filepath.Join(repo.Dir, "hooks")
	if err := os.MkdirAll(hooks, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(hooks, "pre-receive"), []byte(preReceive), 0o700); err != nil {
		return nil, err
	}
	s.repositories[name] = repo
	return repo, nil
}

// repositoryConfig lets http-backend take pushes and clients fetch a commit by its
// hash, as hosting services do. It keeps Git from packing in the background, which
// would outlive the test, from waiting for the disk, and from saying that it lives when it
// takes long: what is cut from an answer would be that.
const repositoryConfig = `[http]
	receivepack = true
[uploadpack]
	allowReachableSHA1InWant = true
	keepAlive = 0
[receive]
	autogc = false
	keepAlive = 0
[gc]
	auto = 0
[core]
	fsync = none
`

// lookup returns nil when there is no repository of that name.
func (s *Store) lookup(name string) *Repository {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.repositories[name]
}

// run executes git and returns what it printed.
func (s *Store) run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	return s.runEnv(ctx, nil, stdin, args...)
}

func (s *Store) runEnv(ctx context.Context, extraEnv []string, stdin []byte, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, s.git, args...)
	command.Env = append(s.Env(), extraEnv...)
	command.Dir = s.root
	command.WaitDelay = time.Minute // nothing goes on after git; but its last words may be read late
	command.Stdin = bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), nil
}
