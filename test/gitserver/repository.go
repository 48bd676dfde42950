package gitserver

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// rejectFile holds the reason for which the pre-receive hook refuses pushes.
const rejectFile = "reject-pushes"

// Repository is one bare repository of a Store. Its methods work on the files, not
// through a server, and are not counted as requests. Refs are given in full, like
// refs/heads/main, or as Git resolves them, like main or a commit hash, where a method
// only reads. It is safe for concurrent use.
type Repository struct {
	Name string // as given to Create
	Dir  string // path of the bare repository

	store *Store

	mu       sync.Mutex
	commits  int // how many were written: gives each its date
	nextPush func(context.Context) error
}

// LogEntry is one commit.
type LogEntry struct {
	Hash    string
	Parents []string
	Message string // without the trailing line break
}

// Hash returns the hash of the object that ref names, or an empty string when there is
// no such ref.
func (r *Repository) Hash(t testing.TB, ref string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), gitTimeout)
	defer cancel()
	hash, err := r.hash(ctx, ref)
	if err != nil {
		t.Fatalf("%s: resolve %s: %v", r.Name, ref, err)
	}
	return hash
}

// Raw returns a commit as Git keeps it.
func (r *Repository) Raw(t testing.TB, ref string) string {
	t.Helper()
	return string(r.mustGit(t, nil, "cat-file", "commit", ref))
}

// Refs returns every ref and the hash it points to.
func (r *Repository) Refs(t testing.TB) map[string]string {
	t.Helper()
	refs := map[string]string{}
	for line := range strings.Lines(string(r.mustGit(t, nil, "for-each-ref", "--format=%(refname) %(objectname)"))) {
		name, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[name] = hash
	}
	return refs
}

// Log returns the history of ref, newest commit first.
func (r *Repository) Log(t testing.TB, ref string) []LogEntry {
	t.Helper()
	var entries []LogEntry
	output := string(r.mustGit(t, nil, "log", "-z", "--format=%H%n%P%n%B", ref, "--"))
	for record := range strings.SplitSeq(strings.TrimSuffix(output, "\x00"), "\x00") {
		fields := strings.SplitN(record, "\n", 3)
		if len(fields) != 3 {
			t.Fatalf("%s: log of %s: unexpected record %q", r.Name, ref, record)
		}
		entries = append(entries, LogEntry{
			Hash:    fields[0],
			Parents: strings.Fields(fields[1]),
			Message: strings.TrimRight(fields[2], "\n"),
		})
	}
	return entries
}

// Tree returns the content of every file of the commit that ref names, by path. A
// symbolic link counts as a file that contains its target.
func (r *Repository) Tree(t testing.TB, ref string) map[string]string {
	t.Helper()
	var paths []string
	var hashes bytes.Buffer
	listing := string(r.mustGit(t, nil, "ls-tree", "-r", "-z", ref))
	for entry := range strings.SplitSeq(strings.TrimSuffix(listing, "\x00"), "\x00") {
		kind, path, found := strings.Cut(entry, "\t")
		fields := strings.Fields(kind) // mode, type, hash
		if !found || len(fields) != 3 || fields[1] != "blob" {
			continue
		}
		paths = append(paths, path)
		hashes.WriteString(fields[2] + "\n")
	}
	output := r.mustGit(t, hashes.Bytes(), "cat-file", "--batch")
	files := map[string]string{}
	for _, path := range paths {
		header, rest, _ := bytes.Cut(output, []byte("\n"))
		fields := strings.Fields(string(header)) // hash, type, size
		if len(fields) != 3 {
			t.Fatalf("%s: read %s of %s: unexpected answer %q", r.Name, path, ref, header)
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil || size+1 > len(rest) {
			t.Fatalf("%s: read %s of %s: unexpected answer %q", r.Name, path, ref, header)
		}
		files[path] = string(rest[:size])
		output = rest[size+1:]
	}
	return files
}

// File returns the content of one file of the commit that ref names; false when there is no such ref or
// file. The path has no line break. It is a single process, for those who look again and again.
func (r *Repository) File(t testing.TB, ref, path string) (string, bool) {
	t.Helper()
	output := r.mustGit(t, []byte(ref+":"+path+"\n"), "cat-file", "--batch")
	header, rest, _ := bytes.Cut(output, []byte("\n"))
	fields := strings.Fields(string(header)) // hash, type, size
	if bytes.HasSuffix(header, []byte(" missing")) || len(fields) != 3 || fields[1] != "blob" {
		return "", false
	}
	return string(bytes.TrimSuffix(rest, []byte("\n"))), true // the one that ends every answer
}

// ForcePush points ref, given in full, at any object of the repository, as a forced
// push does. Commit with Onto or Orphan writes the history to point at.
func (r *Repository) ForcePush(t testing.TB, ref, hash string) {
	t.Helper()
	r.mustGit(t, nil, "update-ref", ref, hash)
}

// DeleteRef removes ref, given in full.
func (r *Repository) DeleteRef(t testing.TB, ref string) {
	t.Helper()
	r.mustGit(t, nil, "update-ref", "-d", ref)
}

// RejectPushes makes the repository refuse every push, as a protected branch does.
// Clients are told the reason.
func (r *Repository) RejectPushes(t testing.TB, reason string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.Dir, rejectFile), []byte(reason+"\n"), 0o600); err != nil {
		t.Fatalf("%s: reject pushes: %v", r.Name, err)
	}
}

// AcceptPushes ends RejectPushes.
func (r *Repository) AcceptPushes(t testing.TB) {
	t.Helper()
	if err := os.Remove(filepath.Join(r.Dir, rejectFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%s: accept pushes: %v", r.Name, err)
	}
}

// OnNextPush runs hook once, when the next push has reached a server and before Git
// handles it: the client has chosen what to replace, and nothing is written yet. The
// push fails when hook returns an error. The hook must heed its context, which ends
// when the server stops.
func (r *Repository) OnNextPush(hook func(context.Context) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nextPush = hook
}

// RaceNextPush makes somebody else win the next push: just before Git handles it, the
// commit described by the arguments, which are those of Commit, is written.
func (r *Repository) RaceNextPush(files map[string]string, message string, options ...CommitOption) {
	r.OnNextPush(func(ctx context.Context) error {
		_, err := r.commit(ctx, files, message, options)
		return err
	})
}

// beforePush is called by the servers.
func (r *Repository) beforePush(ctx context.Context) error {
	r.mu.Lock()
	hook := r.nextPush
	r.nextPush = nil
	r.mu.Unlock()
	if hook == nil {
		return nil
	}
	return hook(ctx)
}

func (r *Repository) hash(ctx context.Context, ref string) (string, error) {
	// Not rev-parse: it cannot tell a ref that is absent from a failure.
	output, err := r.git(ctx, []byte(ref+"\n"), "cat-file", "--batch-check=%(objectname)")
	if err != nil {
		return "", err
	}
	hash := strings.TrimSpace(string(output))
	if strings.HasSuffix(hash, " missing") {
		return "", nil
	}
	return hash, nil
}

func (r *Repository) git(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	return r.store.runEnv(ctx, []string{"GIT_DIR=" + r.Dir}, stdin, args...)
}

func (r *Repository) mustGit(t testing.TB, stdin []byte, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), gitTimeout)
	defer cancel()
	output, err := r.git(ctx, stdin, args...)
	if err != nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
	return output
}
