package daemon_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// TestEvents: what people care about is told once, as it happens, and not again while nothing changes, also by the process
// after this one.
func TestEvents(t *testing.T) {
	s := newServices(t, "keystone", "glance")
	s.state.InForce, s.state.InForceModel, s.now.InForce = gitrepo.Commit{Hash: "1111", Subject: "Begin"}, s.state.Model, "1111"
	tell := daemon.ShowAndTell(s.board)
	wants := func(want ...string) {
		t.Helper()
		for range 3 { // and once each
			if err := tell(t.Context(), s.state, s.now); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, e := range s.told {
			kind := "Normal"
			if e.Warning {
				kind = "Warning"
			}
			got = append(got, fmt.Sprintf("%s %s/%s %s: %s", kind, e.Ref.Kind, e.Ref.Name, e.Reason, e.Message))
		}
		s.told = nil
		if !slices.Equal(got, want) {
			t.Errorf("told is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	s.set("keystone", engine.PhaseReconciling, "it is installed")
	s.set("glance", engine.PhaseWaiting, "")
	wants("Normal OpenStackControlPlane/prod RevisionInForce: commit 1111 (Begin) is in force")
	s.set("keystone", engine.PhaseReady, "")
	wants("Normal OpenStackService/keystone Ready: it is as its block says, and works")
	s.set("glance", engine.PhaseFailed, "its job failed")
	wants("Warning OpenStackService/glance Failed: its job failed")
	s.set("glance", engine.PhaseFailed, "its job failed once more") // is no other phase
	wants()
	tell = daemon.ShowAndTell(s.board) // the next process
	wants()
	s.set("glance", engine.PhaseReady, "")
	wants("Normal OpenStackService/glance Ready: it is as its block says, and works", "Normal OpenStackControlPlane/prod Ready: all of it is as it is written, and works")

	for i := range s.now.Units {
		if s.now.Units[i].Address.Name() == "keystone" {
			s.now.Units[i].Mended, s.now.Units[i].Healed = 1, []unit.Field{{Path: "Deployment keystone-api spec.replicas", Before: "0", After: "2"}}
		}
	}
	network := addr.MustParseObject("network.web")
	s.now.Units = append(s.now.Units, engine.UnitStatus{Address: network, Phase: engine.PhaseReady, Decided: true, Mended: 1})
	wants(
		"Normal OpenStackService/keystone DriftRepaired: drift of service.keystone was repaired: Deployment keystone-api spec.replicas",
		"Normal OpenStackControlPlane/prod DriftRepaired: drift of network.web was repaired",
	)
	s.now.Units[len(s.now.Units)-1].Mended = 2 // the same again
	wants("Normal OpenStackControlPlane/prod DriftRepaired: drift of network.web was repaired")

	s.state.Head = gitrepo.Commit{Hash: "2222222222222222", Subject: "Break it"}
	s.state.Bad = &revision.Findings{Diagnostics: diag.Diagnostics{{Severity: diag.Error, Code: "x.y", Summary: "there is no service of that name"}}}
	wants("Warning OpenStackControlPlane/prod RevisionRefused: commit 222222222222 (Break it) is not applied: " + s.state.Bad.Diagnostics[0].Error())
	s.state.Bad = nil
	wants()
}

// TestEventOfACloudWithoutServices: of such a cloud all is known before its revision has a plan, and that it is in force is told
// once it has one all the same.
func TestEventOfACloudWithoutServices(t *testing.T) {
	s := newServices(t, "heat")
	s.state.Model.Cloud.Services[0].Enabled, s.now.Admitted = false, false
	s.state.Model.Nodes = []model.Node{{Name: "node-9", Address: addr.MustParseObject("node.node-9"), Disabled: true}} // not in the cluster
	tell := daemon.ShowAndTell(s.board)
	reasons := func(want ...string) {
		t.Helper()
		for range 2 {
			if err := tell(t.Context(), s.state, s.now); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, e := range s.told {
			got = append(got, e.Reason)
		}
		if s.told = nil; !slices.Equal(got, want) {
			t.Errorf("told is %q, want %q", got, want)
		}
	}
	reasons()
	if got := s.shown[unit.ShownRef(unit.KindShownCloud, "prod")]; got.Phase != "" || got.Revision != "" {
		t.Errorf("before there is a plan, the cloud is shown as %+v", got)
	}
	s.now.Admitted, s.now.InForce = true, "1111"
	reasons("RevisionInForce", "Ready")
	s.state.Applied.Hash, s.now.Revision, s.now.Admitted = "2222", "2222", false // the next commit
	reasons()
	s.now.Admitted, s.now.InForce = true, "2222"
	reasons("RevisionInForce")
}
