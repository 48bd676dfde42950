package statusbranch_test

import (
	"errors"
	"testing"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/statusbranch"
)

// TestWhoIsNotInChargeSendsNothing: a process that was paused finds out when all is ready to be sent, and does not
// try again.
func TestWhoIsNotInChargeSendsNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, b *bed) {
		publish(t, b.open(t), report("README.md", "one"))
		before, lost, asked := b.repo.Hash(t, ref), errors.New("the lease was lost"), 0
		b.options.Guard = func() error { asked++; return lost }
		_, err := b.open(t).Publish(t.Context(), report("README.md", "two"), "Report", nil)
		if !errors.Is(err, lost) || gitrepo.KindOf(err) != gitrepo.Withheld || asked != 1 {
			t.Errorf("a report: asked %d times, error %v", asked, err)
		}
		if err := b.open(t).Beat(t.Context(), time.Unix(1_700_000_000, 0)); !errors.Is(err, lost) || asked != 2 {
			t.Errorf("a heartbeat: asked %d times, error %v", asked, err)
		}
		if now, beats := b.repo.Hash(t, ref), b.repo.Hash(t, statusbranch.HeartbeatRef(statusbranch.DefaultBranch)); now != before || beats != "" {
			t.Errorf("the branch moved from %s to %s, and heartbeats are at %q", before, now, beats)
		}
		// What says nothing new needs nobody's leave; whoever is in charge again sends what was withheld.
		publish(t, b.open(t), report("README.md", "one"))
		if asked != 2 {
			t.Error("the guard was asked though there was nothing to send")
		}
		b.options.Guard = func() error { return nil }
		publish(t, b.open(t), report("README.md", "two"))
		same(t, b.tree(t), map[string]string{"README.md": "two"})
	})
}
