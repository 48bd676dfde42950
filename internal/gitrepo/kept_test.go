package gitrepo_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/kupenstack/kupenstack-sync/test/slow"
)

// A commit that was kept stays readable for a later process, whatever is fetched on top of it.
func TestKeptCommitStays(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	b := overHTTP(t)
	source := b.open(t)
	if _, err := source.Kept(t.Context()); err == nil {
		t.Error("something is kept before anything was fetched")
	}
	pull(t, source)
	if err := source.Keep("0000000000000000000000000000000000000000"); err != nil {
		t.Fatal(err)
	}
	if _, err := source.Kept(t.Context()); err == nil {
		t.Error("another commit than the one that was asked for is kept")
	}
	if err := source.Keep(b.first); err != nil {
		t.Fatal(err)
	}
	for i := range 34 { // more than a cache takes before it begins anew
		b.repo.Commit(t, map[string]string{"n": fmt.Sprint(i)}, "More")
		pull(t, source)
	}
	later := b.open(t)
	tree, err := later.Kept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if tree.Commit.Hash != b.first {
		t.Errorf("kept is %s, want %s", tree.Commit.Hash, b.first)
	}
	has(t, files(t, tree, "."), "sites/a.hcl", "site a\n")
}

// What is in force is kept, too, when another commit was fetched before that was decided.
func TestKeepWhatWasFetchedBefore(t *testing.T) {
	t.Parallel()
	b := overHTTP(t)
	source := b.open(t)
	pull(t, source)
	b.repo.Commit(t, map[string]string{"sites/a.hcl": "another\n"}, "More")
	pull(t, source)
	if err := source.Keep(b.first); err != nil {
		t.Fatal(err)
	}
	later := b.open(t)
	tree, err := later.Kept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if tree.Commit.Hash != b.first {
		t.Errorf("kept is %s, want %s", tree.Commit.Hash, b.first)
	}
	has(t, files(t, tree, "."), "sites/a.hcl", "site a\n")
}

// TestALargeRepositoryFillsNoDisk: a cache begins anew long before it has as many packs as it may have where these are large, and
// goes on from what it has.
func TestALargeRepositoryFillsNoDisk(t *testing.T) {
	t.Parallel()
	b := overHTTP(t)
	b.repo.Commit(t, map[string]string{"large": noise(1 << 20)}, "Large")
	b.options.MaxBytes = 2 << 20
	source := b.open(t)
	pull(t, source)
	most := int64(0)
	began := map[string]bool{repositoryInUse(t, b.options.CacheDir): true}
	for i := range 9 {
		other := make([]byte, 1<<20)
		_, _ = rand.NewChaCha8([32]byte{byte(i)}).Read(other) // never fails
		hash := b.repo.Commit(t, map[string]string{"large": string(other)}, "Other content")
		if tree := pull(t, source); tree.Commit.Hash != hash {
			t.Fatalf("got %s, want %s", tree.Commit.Hash, hash)
		}
		// Those of former trees go once nobody has them any more.
		files, err := filepath.Glob(filepath.Join(b.options.CacheDir, "*", repositoryInUse(t, b.options.CacheDir), "objects", "pack", "*.pack"))
		if err != nil || len(files) == 0 {
			t.Fatalf("packs: %q, %v", files, err)
		}
		taken := int64(0)
		for _, file := range files {
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			taken += info.Size()
		}
		most = max(most, taken)
		began[repositoryInUse(t, b.options.CacheDir)] = true
	}
	if len(began) < 2 {
		t.Error("it never begins anew")
	}
	// Twice as much as one call may receive, and the pack that comes beyond that.
	if limit := 3 * b.options.MaxBytes; most > limit {
		t.Errorf("it takes up to %d bytes, want no more than %d", most, limit)
	}
}

// repositoryInUse is the directory that the file of a cache names.
func repositoryInUse(t *testing.T, cache string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(cache, "*", "tip"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%q, %v", names, err)
	}
	content, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	var tip struct{ Directory string }
	if err := json.Unmarshal(content, &tip); err != nil {
		t.Fatal(err)
	}
	return tip.Directory
}
