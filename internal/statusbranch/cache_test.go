package statusbranch_test

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// inCache finds files of the status branch's cache.
func (b *bed) inCache(t *testing.T, pattern ...string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(append([]string{b.watched.CacheDir, "*"}, pattern...)...))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// However many reports there are, the cache stays small, and it is fetched anew only now and then.
func TestBoundsTheCache(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	over(t, []string{"http"}, func(t *testing.T, b *bed) {
		const reports, packs = 66, 32
		branch := b.open(t)
		for i := range reports {
			publish(t, branch, report("README.md", fmt.Sprint("report ", i), "services/nova.md", "nova"))
			runtime.GC() // closes the files of a repository that nothing refers to any more
			if loose := b.inCache(t, "repository-*", "objects", "??", "*"); len(loose) > 0 {
				t.Fatalf("after %d reports the cache has the loose objects %v", i+1, loose)
			}
		}
		// The repository in use, and the one before it unless its files were closed when that began.
		dirs := b.inCache(t, "repository-*")
		if len(dirs) < 1 || len(dirs) > 2 {
			t.Errorf("the cache has the repositories %v", dirs)
		}
		for _, dir := range dirs {
			if files, _ := filepath.Glob(filepath.Join(dir, "objects", "pack", "*.pack")); len(files) == 0 || len(files) > packs {
				t.Errorf("the repository %s has %d packs", dir, len(files))
			}
		}
		if got := b.counts(); got.Push != reports || got.Fetch < 2 || got.Fetch > reports/packs+1 {
			t.Errorf("%d reports took %+v", reports, got)
		}
		if log := b.repo.Log(t, ref); len(log) != reports {
			t.Errorf("the branch has %d commits, want %d", len(log), reports)
		}
		same(t, b.tree(t), map[string]string{"README.md": fmt.Sprint("report ", reports-1), "services/nova.md": "nova"})
	})
}

// A process that is killed leaves things half done: what its successor finds does not hold that up,
// and is cleared away when the cache begins anew.
func TestKilledWhileTheCacheIsWritten(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	over(t, []string{"http"}, func(t *testing.T, b *bed) {
		for n := range 3 { // before the first report, with a young cache, and with a full one
			if n == 2 {
				branch := b.open(t)
				for i := range 34 {
					publish(t, branch, report("README.md", fmt.Sprint("more ", i)))
				}
			}
			b.open(t) // makes the directory
			var leftovers []string
			for _, cache := range b.inCache(t) {
				leftovers = append(leftovers, filepath.Join(cache, "repository-half", "objects", "pack", "tmp_pack_1"), filepath.Join(cache, ".new-1"))
			}
			for _, repository := range b.inCache(t, "repository-[0-9]*") {
				leftovers = append(leftovers, filepath.Join(repository, "objects", "pack", "tmp_pack_2"))
			}
			for _, name := range leftovers {
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte("PACK"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			text := fmt.Sprint("after ", n)
			if result := publish(t, b.open(t), report("README.md", text)); !result.Changed {
				t.Errorf("nothing was published after a kill: %+v", result)
			}
			same(t, b.tree(t), map[string]string{"README.md": text})
		}
		branch := b.open(t)
		for i := range 34 {
			publish(t, branch, report("README.md", fmt.Sprint("report ", i)))
		}
		tip := b.inCache(t, "tip") // the configuration has a cache, too, of which nothing was fetched
		if len(tip) != 1 {
			t.Fatalf("there are the caches %v", tip)
		}
		var left []string
		for _, name := range slices.Concat(b.inCache(t, "repository-half"), b.inCache(t, ".new-*"), b.inCache(t, "repository-*", "objects", "pack", "tmp_pack_*")) {
			if strings.HasPrefix(name, filepath.Dir(tip[0])) {
				left = append(left, name)
			}
		}
		// In repositories that the garbage collector has not seen as unused.
		left = slices.DeleteFunc(left, func(name string) bool { return filepath.Base(name) == "tmp_pack_2" })
		if len(left) > 0 {
			t.Errorf("left are %v", left)
		}
	})
}

// TestDamagedCacheIsFetchedAnew: a file of the last report that is damaged in the cache holds up one look at most.
func TestDamagedCacheIsFetchedAnew(t *testing.T) {
	t.Parallel()
	over(t, []string{"ssh"}, func(t *testing.T, b *bed) {
		noise := make([]byte, 64<<10)
		_, _ = rand.Read(noise) // never fails
		text := hex.EncodeToString(noise)
		publish(t, b.open(t), report("README.md", text))
		for _, pack := range b.inCache(t, "repository-*", "objects", "pack", "*.pack") {
			content, err := os.ReadFile(pack)
			if err != nil {
				t.Fatal(err)
			}
			if len(content) < len(noise) {
				continue // of the watched branch
			}
			copy(content[len(content)/2:], make([]byte, 20))
			if err := errors.Join(os.Chmod(pack, 0o600), os.WriteFile(pack, content, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		branch := b.open(t)
		if files, _, err := branch.Read(t.Context()); gitrepo.KindOf(err) != gitrepo.Broken {
			t.Fatalf("the damaged report has %d files: %v", len(files), err)
		}
		files, _, err := branch.Read(t.Context())
		if err != nil || string(files["README.md"]) != text {
			t.Errorf("after that it has %d files: %v", len(files), err)
		}
		publish(t, branch, report("README.md", "next"))
		same(t, b.tree(t), map[string]string{"README.md": "next"})
	})
}
