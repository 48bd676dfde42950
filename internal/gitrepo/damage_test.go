package gitrepo_test

import (
	"crypto/rand"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// TestDamagedFileIsFetchedAnew: a file of the cache that is not what it was is told as that, and the next fetch makes a
// new cache, once, whichever process came upon it.
func TestDamagedFileIsFetchedAnew(t *testing.T) {
	t.Parallel()
	b := overHTTP(t)
	noise := make([]byte, 64<<10)
	_, _ = rand.Read(noise) // never fails
	text := hex.EncodeToString(noise)
	hash := b.repo.Commit(t, map[string]string{"large.hcl": text}, "Much")
	source := b.open(t)
	pull(t, source)
	if err := source.Keep(hash); err != nil {
		t.Fatal(err)
	}
	damagePacks(t, b.options.CacheDir)

	later := b.open(t)
	before := b.counts().Fetch
	tree := pull(t, later)
	has(t, files(t, tree, "."), "cloud.hcl", "cloud {}\n")
	if err := tree.Damage(); err != nil {
		t.Errorf("before anything was read it is damaged: %v", err)
	}
	if _, err := fs.ReadFile(files(t, tree, "."), "large.hcl"); gitrepo.KindOf(err) != gitrepo.Broken || gitrepo.KindOf(tree.Damage()) != gitrepo.Broken {
		t.Fatalf("what is damaged is read with %v, and known is %v", err, tree.Damage())
	}
	if tree, err := b.open(t).Cached(t.Context()); gitrepo.KindOf(err) != gitrepo.Broken {
		t.Errorf("another process has %v of what is damaged: %v", tree, err)
	}
	if _, err := b.open(t).Kept(t.Context()); gitrepo.KindOf(err) != gitrepo.Broken {
		t.Errorf("what was kept is read from what is damaged: %v", err)
	}
	for _, source := range []*gitrepo.Source{later, source, b.open(t)} {
		tree := pull(t, source)
		has(t, files(t, tree, "."), "large.hcl", text)
		if err := tree.Damage(); err != nil {
			t.Errorf("what was fetched anew is damaged: %v", err)
		}
	}
	// The one that came upon it, and the one that had the copy open.
	if fetched := b.counts().Fetch - before; fetched < 1 || fetched > 2 {
		t.Errorf("it was fetched %d times", fetched)
	}
	if err := later.Keep(hash); err != nil {
		t.Fatal(err)
	}
	if tree, err := b.open(t).Kept(t.Context()); err != nil || tree.Revision.Hash != hash {
		t.Errorf("kept is %v: %v", tree, err)
	}
}

// damagePacks zeroes a few bytes in the middle of all packs.
func damagePacks(t *testing.T, cache string) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(cache, "*", "repository-*", "objects", "pack", "*.pack"))
	if err != nil || len(packs) == 0 {
		t.Fatal(packs, err)
	}
	for _, pack := range packs {
		content, err := os.ReadFile(pack)
		if err != nil {
			t.Fatal(err)
		}
		copy(content[len(content)/2:], make([]byte, 20))
		if err := os.Chmod(pack, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(pack, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A copy that turns out to be damaged where a server leaves out what it has is made anew: nobody waits for the server then.
func TestDamagedBaseIsFetchedAnew(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(*testing.T, string){"other content": damagePacks, "cut": cutPacks} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := overHTTP(t)
			large := noise(256 << 10)
			b.repo.Commit(t, map[string]string{"sites/z.hcl": large}, "Much") // which Git has last in a pack
			pull(t, b.open(t))
			damage(t, b.options.CacheDir)
			hash := b.repo.Commit(t, map[string]string{"sites/z.hcl": large + "!"}, "A byte of much")
			tree := pull(t, b.open(t))
			if tree.Revision.Hash != hash {
				t.Errorf("it is at %s, and not at %s", tree.Revision.Hash, hash)
			}
			has(t, files(t, tree, "."), "sites/z.hcl", large+"!")
		})
	}
}

// cutPacks takes the end of all packs away.
func cutPacks(t *testing.T, cache string) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(cache, "*", "repository-*", "objects", "pack", "*.pack"))
	if err != nil || len(packs) == 0 {
		t.Fatal(packs, err)
	}
	for _, pack := range packs {
		info, err := os.Stat(pack)
		if err == nil {
			err = os.Chmod(pack, 0o600)
		}
		if err == nil {
			err = os.Truncate(pack, info.Size()*3/4)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
