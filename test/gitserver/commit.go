package gitserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"
)

const (
	committer = "Test Author <author@kupenstack.invalid>"
	// firstCommit is the date of a repository's first commit, in seconds since 1970. Each
	// later one is a second younger, so equal calls in equal order give equal hashes.
	firstCommit = 1767225600
	// stagingRef is where a commit is built. It is gone before the command ends, so no
	// client ever sees it.
	stagingRef = "refs/staging/commit"
)

type commitSpec struct {
	branch   string
	parent   string
	merged   string
	orphan   bool
	removed  []string
	symlinks map[string]string
	date     time.Time
	key      *Key
}

// CommitOption changes what Commit writes.
type CommitOption func(*commitSpec)

// OnBranch commits to a branch other than main. A branch that does not exist begins
// without history.
func OnBranch(branch string) CommitOption {
	return func(c *commitSpec) { c.branch = branch }
}

// Onto commits on top of the given commit instead of the branch's newest one. Unless
// that is the same, the branch's history is rewritten, as by a forced push.
func Onto(hash string) CommitOption {
	return func(c *commitSpec) { c.parent = hash }
}

// Orphan commits without a parent, beginning with an empty tree: all history of the
// branch is rewritten.
func Orphan() CommitOption {
	return func(c *commitSpec) { c.parent, c.orphan = "", true }
}

// Without removes files or whole directories of the parent's tree.
func Without(paths ...string) CommitOption {
	return func(c *commitSpec) { c.removed = append(c.removed, paths...) }
}

// Symlink adds a symbolic link.
func Symlink(path, target string) CommitOption {
	return func(c *commitSpec) {
		if c.symlinks == nil {
			c.symlinks = map[string]string{}
		}
		c.symlinks[path] = target
	}
}

// At sets the commit's dates; they are kept to the second.
func At(date time.Time) CommitOption {
	return func(c *commitSpec) { c.date = date }
}

// Merging makes the commit a merge of another one, whose files are not taken.
func Merging(hash string) CommitOption {
	return func(c *commitSpec) { c.merged = hash }
}

// SignedBy signs the commit with an SSH key, which needs ssh-keygen.
func SignedBy(key *Key) CommitOption {
	return func(c *commitSpec) { c.key = key }
}

// Commit writes one commit to the branch main and returns its hash. The files, content
// by path, are laid over the tree of the branch's newest commit. The test fails when
// the branch moves at the same time.
func (r *Repository) Commit(t testing.TB, files map[string]string, message string, options ...CommitOption) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), gitTimeout)
	defer cancel()
	hash, err := r.commit(ctx, files, message, options)
	if err != nil {
		t.Fatalf("%s: commit %q: %v", r.Name, message, err)
	}
	return hash
}

func (r *Repository) commit(ctx context.Context, files map[string]string, message string, options []CommitOption) (string, error) {
	spec := commitSpec{branch: "main"}
	for _, option := range options {
		option(&spec)
	}
	if spec.date.IsZero() {
		spec.date = r.nextDate()
	}
	ref := "refs/heads/" + spec.branch
	old, err := r.hash(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("resolve %s: %w", ref, err)
	}
	if spec.parent == "" && !spec.orphan {
		spec.parent = old
	}
	stream, err := importStream(spec, files, message)
	if err != nil {
		return "", err
	}
	output, err := r.git(ctx, stream, "fast-import", "--quiet")
	if err != nil {
		return "", err
	}
	hash := strings.TrimSpace(string(output))
	if spec.key != nil {
		if hash, err = r.sign(ctx, spec, hash, message); err != nil {
			return "", err
		}
	}
	if old == "" {
		old = strings.Repeat("0", len(hash)) // the ref must not exist
	}
	if _, err := r.git(ctx, nil, "update-ref", ref, hash, old); err != nil {
		return "", err
	}
	return hash, nil
}

func (r *Repository) nextDate() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commits++
	return time.Unix(firstCommit+int64(r.commits-1), 0)
}

// importStream describes the commit in the language of git fast-import, which writes
// any number of files in one process and prints the commit's hash.
func importStream(spec commitSpec, files map[string]string, message string) ([]byte, error) {
	var stream bytes.Buffer
	fmt.Fprintf(&stream, "feature done\ncommit %s\nmark :1\ncommitter %s %d +0000\n", stagingRef, committer, spec.date.Unix())
	writeData(&stream, message+"\n")
	if spec.parent != "" {
		fmt.Fprintf(&stream, "from %s\n", spec.parent)
	}
	if spec.merged != "" {
		fmt.Fprintf(&stream, "merge %s\n", spec.merged)
	}
	for _, path := range spec.removed {
		quoted, err := quotePath(path)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&stream, "D %s\n", quoted)
	}
	for mode, contents := range map[string]map[string]string{"100644": files, "120000": spec.symlinks} {
		for _, path := range sortedKeys(contents) {
			quoted, err := quotePath(path)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&stream, "M %s inline %s\n", mode, quoted)
			writeData(&stream, contents[path])
		}
	}
	fmt.Fprintf(&stream, "get-mark :1\nreset %s\nfrom %s\n\ndone\n", stagingRef, strings.Repeat("0", 40))
	return stream.Bytes(), nil
}

func writeData(stream *bytes.Buffer, data string) {
	fmt.Fprintf(stream, "data %d\n%s\n", len(data), data)
}

func quotePath(path string) (string, error) {
	if path == "" {
		return "", errors.New("a file has no path")
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`, nil
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// sign writes the given commit once more, with a signature.
func (r *Repository) sign(ctx context.Context, spec commitSpec, unsigned, message string) (string, error) {
	name, email, _ := strings.Cut(strings.TrimSuffix(committer, ">"), " <")
	date := fmt.Sprintf("%d +0000", spec.date.Unix())
	env := []string{
		"GIT_DIR=" + r.Dir,
		"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + email, "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=" + name, "GIT_COMMITTER_EMAIL=" + email, "GIT_COMMITTER_DATE=" + date,
	}
	args := []string{"-c", "gpg.format=ssh", "commit-tree", "-S" + spec.key.Path}
	if spec.parent != "" {
		args = append(args, "-p", spec.parent)
	}
	if spec.merged != "" {
		args = append(args, "-p", spec.merged)
	}
	output, err := r.store.runEnv(ctx, env, []byte(message+"\n"), append(args, "-F", "-", unsigned+"^{tree}")...)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return strings.TrimSpace(string(output)), nil
}
