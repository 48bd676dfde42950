package revision_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
)

// Without the repository, and where what was fetched last cannot be read, a process goes on with what is in force and was kept.
func TestKeptBesideADamagedTip(t *testing.T) {
	p, cache := newPods(t), t.TempDir()
	first := p.commit(one)
	tracker := p.start(cache)
	p.keep(tracker, poll(t, tracker, "project.one").ID)
	p.server.Stop(t)
	tips, err := filepath.Glob(filepath.Join(cache, "*", "tip"))
	if err != nil || len(tips) != 1 {
		t.Fatalf("found %v, %v", tips, err)
	}
	if err := os.WriteFile(tips[0], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := p.start(cache).Poll(t.Context())
	if gitrepo.KindOf(err) != gitrepo.Unreachable {
		t.Errorf("error %v", err)
	}
	if expect(t, got, "project.one"); got != nil && got.ID != first {
		t.Errorf("it begins with %s, want %s", got.ID, first)
	}
	p.id = "0000000000000000000000000000000000000000"
	if got, _ := p.start(cache).Poll(t.Context()); got != nil {
		t.Errorf("it takes %v, though another one is in force", units(got))
	}
}
