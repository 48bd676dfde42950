package helm

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/chartlock"
)

// TestDamagedCloneIsFetchedAnew: a clone of a repository with charts that is damaged on this disk keeps no chart from being
// found or locked, and is no mistake of the chart: it is fetched anew, once.
func TestDamagedCloneIsFetchedAnew(t *testing.T) {
	b := newGitBed(t)
	noise := make([]byte, 64<<10)
	_, _ = rand.Read(noise) // never fails
	commit := b.repo.Commit(t, map[string]string{"deploy/glance/templates/large.txt": hex.EncodeToString(noise)}, "Much")
	entry := b.lockOne(t, b.options, "glance", "", "")
	whole, err := find(t, b.options, entry)
	if err != nil {
		t.Fatal(err)
	}
	before := b.requests().Fetch
	damage := func() {
		t.Helper()
		if err := os.Remove(filepath.Join(b.options.CacheDir, strings.TrimPrefix(entry.Digest, digestPrefix)+".tgz")); err != nil {
			t.Fatal(err)
		}
		damageClones(t, b.options.CacheDir)
	}
	for what, have := range map[string]func() error{
		"found": func() error {
			found, err := find(t, b.options, entry)
			if err == nil && !maps.Equal(contentsOf(found), contentsOf(whole)) {
				t.Error("another chart is found")
			}
			return err
		},
		"locked": func() error {
			entries, err := Lock(t.Context(), b.options, []chartlock.Wanted{wantedOf(b.address(""), "nova", ""), entry.Wanted})
			if err == nil && (entries[1] != entry || entries[0].Commit != commit) {
				t.Errorf("locked is %v, want %v", entries, entry)
			}
			return err
		},
	} {
		damage()
		if err := have(); err != nil {
			t.Errorf("the chart is not %s: %v", what, err)
		}
		if fetched := b.requests().Fetch - before; fetched != 1 {
			t.Errorf("%s, it was fetched %d times", what, fetched)
		}
		before = b.requests().Fetch
	}

	damage()
	b.server.Stop(t)
	if _, err := find(t, b.options, entry); err == nil || !strings.Contains(err.Error(), "connection refused") || !strings.Contains(err.Error(), "download chart glance 1.3.0") {
		t.Errorf("while the server is down: %v", err)
	}
}

// damageClones zeroes a few bytes in the middle of all that was fetched of repositories.
func damageClones(t *testing.T, cache string) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(cache, "git", "*", "repository-*", "objects", "pack", "*.pack"))
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
