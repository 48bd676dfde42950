package daemon_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

func TestShowNodes(t *testing.T) {
	const hash = "1111"
	node := func(name string, disabled bool) model.Node {
		return model.Node{Name: name, Address: addr.MustParseObject("node." + name), Disabled: disabled}
	}
	m := &model.Model{Nodes: []model.Node{
		node("ready", false), node("off", true), node("leaving", true), node("moving", false), node("failed", false), node("stuck", false),
		node("unseen", false), node("gone", false), node("unshown", false),
	}}
	status := func(name string, phase engine.Phase) engine.UnitStatus {
		return engine.UnitStatus{Address: addr.MustParseObject("node." + name), Phase: phase, Decided: true}
	}
	unseen := status("unseen", engine.PhaseReady)
	unseen.Decided = false
	s := engine.Snapshot{Revision: hash, Admitted: true, Units: []engine.UnitStatus{
		status("ready", engine.PhaseReady), status("off", engine.PhaseReady), status("leaving", engine.PhaseBlocked), status("moving", engine.PhaseWaiting),
		status("failed", engine.PhaseFailed), status("stuck", engine.PhaseBlocked), unseen, status("gone", engine.PhaseBlocked), status("unshown", engine.PhaseReady),
	}}
	applied := revision.State{Applied: gitrepo.Commit{Hash: hash}, Model: m}
	newBoard := func() *board {
		return newBoard(unit.KindShownNode, []string{"ready", "off", "leaving", "moving", "failed", "stuck", "unseen", "unshown", "foreign"}, map[string]string{
			"ready": "", "off": "Ready", "leaving": "Ready", "moving": "Ready", "failed": "Ready", "stuck": "Ready", "unseen": "Ready", "gone": "Ready", "foreign": "Unmanaged",
		})
	}
	want := map[string]string{
		"ready": "Ready", "off": "Disabled", "leaving": "Blocked", "moving": "Waiting", "failed": "Failed", "stuck": "Blocked",
		"unseen": "Ready", "gone": "Missing", "foreign": "Unmanaged",
	}

	b := newBoard()
	if wrote, err := daemon.Show(t.Context(), b, applied, s); err != nil || wrote != 8 || !maps.Equal(b.statuses(unit.KindShownNode), want) {
		t.Fatalf("wrote %d, error %v: %v", wrote, err, b.shown)
	}
	for range 3 { // an unchanged world
		if wrote, err := daemon.Show(t.Context(), b, applied, s); err != nil || wrote != 0 || b.writes != 8 {
			t.Errorf("wrote %d again, error %v", wrote, err)
		}
	}
	for name, ready := range map[string]string{
		"ready": "True Ready", "off": "False Disabled", "moving": "False Waiting", "gone": "False Missing", "foreign": "False Unmanaged", "unseen": "",
	} {
		if got := b.condition(unit.ShownRef(unit.KindShownNode, name), "Ready"); got != ready {
			t.Errorf("the condition of %s says %q, want %q", name, got, ready)
		}
	}
	off := unit.ShownRef(unit.KindShownNode, "off")
	b.shown[off] = unit.Shown{Status: "edited", Conditions: b.shown[off].Conditions}
	if wrote, _ := daemon.Show(t.Context(), b, applied, s); wrote != 1 || b.shown[off].Status != "Disabled" {
		t.Errorf("what somebody edited is %q", b.shown[off])
	}

	// While the newest revision is refused the one before it counts.
	b = newBoard()
	refused := revision.State{Applied: gitrepo.Commit{Hash: "2222"}, Model: &model.Model{}, InForce: gitrepo.Commit{Hash: hash}, InForceModel: m}
	if wrote, err := daemon.Show(t.Context(), b, refused, s); err != nil || wrote != 8 {
		t.Errorf("wrote %d, error %v", wrote, err)
	}
	// Between two revisions, or before the first, nothing can be said.
	for _, state := range []revision.State{{}, {Applied: gitrepo.Commit{Hash: "2222"}, Model: m}} {
		b = newBoard()
		if wrote, err := daemon.Show(t.Context(), b, state, s); err != nil || wrote != 0 {
			t.Errorf("wrote %d, error %v", wrote, err)
		}
	}
	if wrote, err := daemon.Show(t.Context(), b, revision.State{Model: m}, engine.Snapshot{}); err != nil || wrote != 0 {
		t.Errorf("wrote %d, error %v", wrote, err)
	}

	// An error is not absence, and one node does not hold up the others.
	for _, what := range []string{"list", "read"} {
		b = newBoard()
		b.fail[what] = errors.New("no answer")
		if wrote, err := daemon.Show(t.Context(), b, applied, s); !errors.Is(err, b.fail[what]) || wrote != 0 || b.writes != 0 {
			t.Errorf("%s: wrote %d, error %v", what, wrote, err)
		}
	}
	b = newBoard()
	b.fail["moving"] = errors.New("conflict")
	if wrote, err := daemon.Show(t.Context(), b, applied, s); !errors.Is(err, b.fail["moving"]) || !strings.Contains(err.Error(), "OpenstackNode moving") || wrote != 7 {
		t.Errorf("wrote %d, error %v", wrote, err)
	}
}
