package revision_test

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// TestDamagedCacheIsNoMistake: a process that finds the cache damaged says that, and its next look fetches it anew.
func TestDamagedCacheIsNoMistake(t *testing.T) {
	p := newPods(t)
	noise := make([]byte, 64<<10)
	_, _ = rand.Read(noise) // never fails
	p.id = p.commit(one + "\n# " + hex.EncodeToString(noise) + "\n")
	cache := t.TempDir()
	first := p.start(cache)
	poll(t, first, "project.one")
	p.keep(first, p.id)
	packs, err := filepath.Glob(filepath.Join(cache, "*", "repository-*", "objects", "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	content, err := os.ReadFile(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	copy(content[len(content)/2:], make([]byte, 20))
	if err := os.Chmod(packs[0], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(packs[0], content, 0o600); err != nil {
		t.Fatal(err)
	}

	tracker := p.start(cache)
	got, err := tracker.Poll(t.Context())
	if state := tracker.State(); got != nil || gitrepo.KindOf(err) != gitrepo.Broken || state.Bad != nil || state.Problem() != "" {
		t.Fatalf("it has %v of a damaged cache, with %+v: %v", got, state, err)
	}
	poll(t, tracker, "project.one")
	if state := tracker.State(); state.Bad != nil || state.Unreachable != nil || state.InForce.Hash != p.id {
		t.Errorf("after that: %+v", state)
	}
}
