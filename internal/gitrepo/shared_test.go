package gitrepo_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/test/await"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// sharedURL and sharedCache tell a process of TestSharesTheCache what to read and where to keep it.
const (
	sharedURL   = "KUPENSTACK_TEST_SHARED_URL"
	sharedCache = "KUPENSTACK_TEST_SHARED_CACHE"
)

// Processes that use one cache at the same time each get what is at the server, and none takes away what
// another one reads.
func TestSharesTheCache(t *testing.T) {
	if url := os.Getenv(sharedURL); url != "" {
		runOneShots(t, gitrepo.Options{URL: url, CacheDir: os.Getenv(sharedCache)})
		return
	}
	slow.Test(t)
	b, _ := newBed(t)
	b.options.URL = "file://" + b.repo.Dir
	b.repo.Commit(t, map[string]string{"n": "0", "again": "0"}, "Begin")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const processes = 3
	ended := make(chan error, processes)
	for range processes {
		go func() {
			command := exec.CommandContext(t.Context(), program, "-test.run=^TestSharesTheCache$")
			command.Env = append(os.Environ(), sharedURL+"="+b.options.URL, sharedCache+"="+b.options.CacheDir)
			output, err := command.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w:\n%s", err, output)
			}
			ended <- err
		}()
	}
	left := processes
	for i := 1; left > 0; i++ {
		n := fmt.Sprint(i)
		b.repo.Commit(t, map[string]string{"n": n, "again": n}, "More")
		select {
		case err := <-ended:
			if left--; err != nil {
				t.Error(err)
			}
		default:
		}
	}
	repositories, err := filepath.Glob(filepath.Join(b.options.CacheDir, "*", "repository-*"))
	if err != nil || len(repositories) == 0 || len(repositories) > 2*processes {
		t.Errorf("left are the repositories %v, %v", repositories, err)
	}
	if parts, _ := filepath.Glob(filepath.Join(b.options.CacheDir, "*", ".new-*")); len(parts) != 0 {
		t.Errorf("left are %v", parts)
	}
}

// runOneShots does what a process does that runs once, again and again.
func runOneShots(t *testing.T, options gitrepo.Options) {
	var former *gitrepo.Tree
	for range 45 { // so that the cache begins anew at least once
		source, err := gitrepo.Open(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		tree := pull(t, source)
		if err := source.Keep(tree.Revision.Hash); err != nil {
			t.Fatal(err)
		}
		for _, tree := range []*gitrepo.Tree{tree, former} {
			if tree == nil {
				continue
			}
			fsys := files(t, tree, ".")
			n, err := fs.ReadFile(fsys, "n")
			if err != nil {
				t.Fatal(err)
			}
			has(t, fsys, "again", string(n))
		}
		for _, read := range []func() (*gitrepo.Tree, error){
			func() (*gitrepo.Tree, error) { return source.Cached(t.Context()) },
			func() (*gitrepo.Tree, error) { return source.Kept(t.Context()) },
		} {
			if _, err := read(); err != nil {
				t.Fatal(err)
			}
		}
		former = tree
	}
}

// A cache that is deleted while it is used is made again.
func TestCacheMayBeDeleted(t *testing.T) {
	t.Parallel()
	b, _ := newBed(t)
	b.options.URL = "file://" + b.repo.Dir
	source := b.open(t)
	pull(t, source)
	if err := os.RemoveAll(b.options.CacheDir); err != nil {
		t.Fatal(err)
	}
	_, err := source.Cached(t.Context())
	fails(t, err, gitrepo.Other, "nothing was fetched yet")
	has(t, files(t, pull(t, source), "."), "cloud.hcl", "cloud {}\n")
	second := b.repo.Commit(t, map[string]string{"cloud.hcl": "2"}, "Second")
	if err := os.RemoveAll(b.options.CacheDir); err != nil {
		t.Fatal(err)
	}
	if tree := pull(t, source); tree.Commit.Hash != second {
		t.Errorf("got %+v", tree.Commit)
	}
}

// A process that was stopped with the lock of a cache holds nobody up for ever, and is named.
func TestCacheStaysLocked(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	b, _ := newBed(t)
	b.options.URL = "file://" + b.repo.Dir
	source := b.open(t)
	pull(t, source)
	locks, err := filepath.Glob(filepath.Join(b.options.CacheDir, "*", "lock"))
	if err != nil || len(locks) != 1 {
		t.Fatal(locks, err)
	}
	holder := exec.CommandContext(t.Context(), "flock", locks[0], "sh", "-c", "echo held; read end")
	input, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 8)
	if n, err := output.Read(said); err != nil || !strings.HasPrefix(string(said[:n]), "held") {
		t.Fatalf("%q, %v", said, err)
	}
	b.repo.Commit(t, map[string]string{"cloud.hcl": "2"}, "Second")
	rev, err := source.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = source.Fetch(t.Context(), rev)
	fails(t, err, gitrepo.Other, "another process has locked", locks[0])
	if err := input.Close(); err != nil {
		t.Fatal(err)
	}
	if err := holder.Wait(); err != nil && holder.ProcessState.ExitCode() < 0 {
		t.Fatal(err)
	}
	await.Until(t, "the lock to be free", func() bool { _, err := source.Fetch(t.Context(), rev); return err == nil })
}
