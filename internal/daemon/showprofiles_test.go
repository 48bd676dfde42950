package daemon_test

import (
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// A profile is ready with the nodes that have it, by whatever way, and says nothing while nothing is known of one.
func TestShowProfiles(t *testing.T) {
	const hash = "1111"
	node := func(name, profile string, disabled bool) model.Node {
		return model.Node{Name: name, Address: addr.MustParseObject("node." + name), Profile: profile, Disabled: disabled}
	}
	profile := func(layers ...string) model.Profile {
		name := layers[len(layers)-1]
		return model.Profile{Name: name, Address: addr.MustParseObject("profile." + name), Layers: layers}
	}
	m := &model.Model{
		Cloud:    model.Cloud{Profile: "all"},
		Profiles: []model.Profile{profile("all"), profile("base"), profile("base", "gpu"), profile("base", "fast"), profile("spare"), profile("left")},
		Nodes:    []model.Node{node("g1", "gpu", false), node("g2", "gpu", false), node("f1", "fast", false), node("off", "left", true), node("plain", "", false)},
	}
	status := func(name string, phase engine.Phase) engine.UnitStatus {
		return engine.UnitStatus{Address: addr.MustParseObject("node." + name), Phase: phase, Decided: true}
	}
	s := engine.Snapshot{Revision: hash, Admitted: true, Units: []engine.UnitStatus{
		status("g1", engine.PhaseReady), status("g2", engine.PhaseBlocked), status("f1", engine.PhaseReady), status("off", engine.PhaseReady), status("plain", engine.PhaseReady),
	}}
	state := revision.State{Applied: gitrepo.Commit{Hash: hash}, Model: m}
	names := map[string]string{"all": "", "base": "", "gpu": "", "fast": "", "spare": "", "left": ""}
	there := []string{"g1", "g2", "f1", "off", "plain"}
	shows := func(t *testing.T, b *board, want map[string][2]string) {
		t.Helper()
		if _, err := daemon.Show(t.Context(), b, state, s); err != nil {
			t.Fatal(err)
		}
		for name, want := range want {
			ref := unit.ShownRef(unit.KindShownProfile, name)
			if ready, message := b.condition(ref, "Ready"), b.shown[ref].Message; ready != want[0] || message != want[1] {
				t.Errorf("%s: %q and %q, want %q", name, ready, message, want)
			}
		}
		if wrote, err := daemon.Show(t.Context(), b, state, s); err != nil || wrote != 0 {
			t.Errorf("wrote %d again, error %v", wrote, err)
		}
	}

	b := newBoard(unit.KindShownProfile, there, names)
	shows(t, b, map[string][2]string{
		"gpu": {"False NotReady", "1 of 2 nodes are ready"}, "fast": {"True Ready", "1 of 1 nodes are ready"}, "base": {"False NotReady", "2 of 3 nodes are ready"},
		"all": {"False NotReady", "3 of 4 nodes are ready"}, "spare": {"True NoNodes", "no node has it"}, "left": {"True NoNodes", "no node has it"},
	})
	if got := b.shown[unit.ShownRef(unit.KindShownProfile, "gpu")].Conditions[0].Message; got != "g2 is blocked" {
		t.Errorf("it says %q", got)
	}

	s.Units[1].Phase = engine.PhaseReady
	shows(t, b, map[string][2]string{"gpu": {"True Ready", "2 of 2 nodes are ready"}, "base": {"True Ready", "3 of 3 nodes are ready"}})

	s.Units[2].Decided, s.Units[2].Phase = false, engine.PhaseFailed
	shows(t, b, map[string][2]string{"fast": {"Unknown NotKnown", "0 of 1 nodes are ready"}, "gpu": {"True Ready", "2 of 2 nodes are ready"}})

	s.Units = s.Units[:1] // nothing is known of the others: what was shown stays
	shows(t, b, map[string][2]string{"fast": {"Unknown NotKnown", "0 of 1 nodes are ready"}, "gpu": {"True Ready", "2 of 2 nodes are ready"}})
}
