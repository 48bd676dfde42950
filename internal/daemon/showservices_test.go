package daemon_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// services is a cloud whose services stand somehow, on a board.
type services struct {
	*board
	t     *testing.T
	state revision.State
	now   engine.Snapshot
}

func newServices(t *testing.T, names ...string) *services {
	const hash = "1111"
	m := &model.Model{Cloud: model.Cloud{Name: "prod"}}
	for _, name := range names {
		m.Cloud.Services = append(m.Cloud.Services, model.Service{Name: name, Address: addr.MustParseObject("service." + name), Enabled: true})
	}
	s := &services{
		board: newBoard("", nil, nil), t: t, state: revision.State{Applied: gitrepo.Commit{Hash: hash}, Model: m},
		now: engine.Snapshot{Revision: hash, Admitted: true},
	}
	for _, name := range names {
		s.shown[unit.ShownRef(unit.KindShownService, name)] = unit.Shown{}
	}
	s.shown[unit.ShownRef(unit.KindShownCloud, "prod")] = unit.Shown{}
	return s
}

// set has a unit stand somehow from now on.
func (s *services) set(service string, phase engine.Phase, reason string) {
	address := addr.MustParseObject("service." + service)
	for i := range s.now.Units {
		if s.now.Units[i].Address == address {
			s.now.Units[i].Phase, s.now.Units[i].Reason = phase, reason
			return
		}
	}
	s.now.Units = append(s.now.Units, engine.UnitStatus{Address: address, Phase: phase, Reason: reason, Decided: true})
}

// shows has it shown, with so many writes.
func (s *services) shows(writes int) {
	s.t.Helper()
	if wrote, err := daemon.Show(s.t.Context(), s.board, s.state, s.now); err != nil || wrote != writes {
		s.t.Errorf("wrote %d, want %d, error %v", wrote, writes, err)
	}
}

// says compares what is shown of a service: its status and its condition.
func (s *services) says(service, status, ready, message string) {
	s.t.Helper()
	ref := unit.ShownRef(unit.KindShownService, service)
	if got := s.shown[ref]; got.Status != status || s.condition(ref, "Ready") != ready || got.Message != message {
		s.t.Errorf("%s is shown as %+v", service, got)
	}
}

func TestShowServices(t *testing.T) {
	s := newServices(t, "mariadb", "keystone", "nova", "heat")
	heat := &s.state.Model.Cloud.Services[3]
	heat.Enabled = false
	s.shows(1) // nothing is known but of what is not there
	s.says("heat", "Disabled", "False Disabled", "it has enabled = false")
	s.says("keystone", "", "", "")

	s.set("mariadb", engine.PhaseReady, "")
	s.set("keystone", engine.PhaseProgressing, "1 of 2 replicas")
	s.set("nova", engine.PhaseWaiting, "")
	s.now.Units[2].Waits = []addr.Object{addr.MustParseObject("service.keystone")}
	s.shows(4)
	s.says("mariadb", "Ready", "True Ready", "")
	s.says("keystone", "Progressing", "False Progressing", "1 of 2 replicas")
	s.says("nova", "Waiting", "False Waiting", "waits for service.keystone")
	for range 3 { // a world in which nothing changes
		s.shows(0)
	}

	s.set("keystone", engine.PhaseFailed, "helm: https://me:canary@charts.example.org: 500")
	s.set("nova", engine.PhaseBlocked, "somebody has to look")
	s.now.Units[2].Waits = nil
	s.set("heat", engine.PhaseDeleting, "")
	s.shows(4)
	s.says("keystone", "Failed", "False Failed", "helm: https://(sensitive)@charts.example.org: 500")
	s.says("nova", "Blocked", "False Blocked", "somebody has to look")
	s.says("heat", "Progressing", "False Progressing", "")

	// What cannot be observed is not known; what another revision has left says nothing of this one.
	s.now.Units[1].Decided = false
	s.shows(2)
	s.says("keystone", "Unknown", "Unknown Unknown", "helm: https://(sensitive)@charts.example.org: 500")
	s.set("mariadb", engine.PhaseWaiting, "for the plan")
	s.now.Units[0].Decided = false
	s.shows(0)
	s.says("mariadb", "Ready", "True Ready", "")
	s.now.Admitted = false
	s.shows(0)
}

// The time of a condition is that of when it became what it is, whatever else changes; and what somebody else
// writes is put back.
func TestConditionsKeepTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServices(t, "keystone")
		ref := unit.ShownRef(unit.KindShownService, "keystone")
		since := func(want time.Time) {
			t.Helper()
			if got := s.shown[ref].Conditions[0].Since; got != want.UTC().Format(time.RFC3339) {
				t.Errorf("since %s, want %s", got, want)
			}
		}
		begun := time.Now()
		s.set("keystone", engine.PhaseProgressing, "1 of 3")
		s.shows(2)
		time.Sleep(time.Minute)
		s.set("keystone", engine.PhaseFailed, "too slow")
		s.shows(2)
		since(begun) // it was not ready before
		time.Sleep(time.Minute)
		ready := time.Now()
		s.set("keystone", engine.PhaseReady, "")
		s.shows(2)
		since(ready)
		time.Sleep(24 * time.Hour)
		s.shows(0)
		since(ready)

		edited := s.shown[ref]
		edited.Conditions = []unit.ShownCondition{{Type: "Ready", Status: "False", Reason: "Edited", Since: "2001-01-01T00:00:00Z"}, {Type: "Foreign", Status: "True"}}
		s.shown[ref] = edited
		s.shows(1)
		since(time.Now())
		s.shown[ref].Conditions[0].Since = time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		s.shows(1)
		since(time.Now())
	})
}

func TestShowCloud(t *testing.T) {
	s := newServices(t, "horizon", "keystone", "mariadb", "memcached", "neutron", "nova", "rabbitmq")
	ref := unit.ShownRef(unit.KindShownCloud, "prod")
	says := func(phase, ready, message string) {
		t.Helper()
		if got := s.shown[ref]; got.Phase != phase || s.condition(ref, "Ready") != ready || got.Message != message || got.Revision != "1111" {
			t.Errorf("the cloud is shown as %+v", got)
		}
	}
	s.set("mariadb", engine.PhaseReady, "")
	s.shows(1) // it is not known how far the cloud is
	for _, name := range []string{"rabbitmq", "memcached", "keystone", "nova", "neutron", "horizon"} {
		s.set(name, engine.PhaseWaiting, "")
	}
	s.set("rabbitmq", engine.PhaseProgressing, "")
	s.shows(7)
	says("Infrastructure", "False NotReady", "memcached is waiting, rabbitmq is progressing, keystone is waiting, neutron is waiting, nova is waiting, horizon is waiting")

	for _, step := range []struct{ service, phase string }{
		{"rabbitmq", "Infrastructure"},
		{"memcached", "Identity"},
		{"horizon", "Identity"},
		{"keystone", "CoreServices"},
		{"neutron", "ComputeStorage"},
		{"nova", "Ready"},
	} {
		s.set(step.service, engine.PhaseReady, "")
		s.shows(2)
		if got := s.shown[ref].Phase; got != step.phase {
			t.Errorf("with %s the phase is %s, want %s", step.service, got, step.phase)
		}
	}
	says("Ready", "True Ready", "")
	s.shows(0)
	s.set("keystone", engine.PhaseFailed, "no database")
	s.shows(2)
	says("Identity", "False NotReady", "keystone is failed")
	for name, want := range map[string]string{
		"InfrastructureReady": "True Ready", "IdentityReady": "False NotReady", "CoreServicesReady": "True Ready", "OptionalReady": "True Ready",
	} {
		if got := s.condition(ref, name); got != want {
			t.Errorf("%s is %s", name, got)
		}
	}
	s.now.Units[3].Decided = false
	s.shows(2)
	says("Identity", "Unknown NotKnown", "keystone is unknown")

	// Another revision under which all is as it was is one write.
	s.state.Applied.Hash, s.now.Revision = "2222", "2222"
	s.shows(1)
	if got := s.shown[ref].Revision; got != "2222" {
		t.Errorf("the revision is %s", got)
	}
}

// A cloud is not ready, whatever its services are, while a node of the configuration is not as it is written, or something
// that is taken out of it is still there.
func TestShowCloudThatIsNotAsWritten(t *testing.T) {
	s := newServices(t, "keystone", "heat")
	s.there = []string{"node-1", "node-2", "off"}
	node := func(name string, disabled bool) model.Node {
		return model.Node{Name: name, Address: addr.MustParseObject("node." + name), Disabled: disabled}
	}
	s.state.Model.Nodes = []model.Node{node("node-1", false), node("node-2", false), node("node-9", false), node("off", true), node("away", true)}
	s.state.Model.Cloud.Services[1].Enabled = false
	ref := unit.ShownRef(unit.KindShownCloud, "prod")
	says := func(phase, ready, nodes, message string) {
		t.Helper()
		if _, err := daemon.Show(t.Context(), s.board, s.state, s.now); err != nil {
			t.Fatal(err)
		}
		got := s.shown[ref]
		if got.Phase != phase || s.condition(ref, "Ready") != ready || s.condition(ref, "NodesReady") != nodes || got.Message != message {
			t.Errorf("the cloud is shown as %+v", got)
		}
	}
	at := map[string]int{}
	set := func(address string, phase engine.Phase) {
		if _, ok := at[address]; !ok {
			at[address] = len(s.now.Units)
			s.now.Units = append(s.now.Units, engine.UnitStatus{Address: addr.MustParseObject(address), Decided: true})
		}
		s.now.Units[at[address]].Phase = phase
	}
	set("service.keystone", engine.PhaseReady)
	set("node.node-1", engine.PhaseReady)
	says("", "", "", "") // it is not known how a node stands
	set("node.node-2", engine.PhaseWaiting)
	set("node.node-9", engine.PhaseBlocked)
	set("node.off", engine.PhaseBlocked)
	set("node.away", engine.PhaseBlocked)
	says("Nodes", "False NotReady", "False NotReady", "node-2 is waiting, node-9 is missing, off is blocked")
	set("service.keystone", engine.PhaseFailed)
	says("Identity", "False NotReady", "False NotReady", "keystone is failed, node-2 is waiting, node-9 is missing, off is blocked")
	set("service.keystone", engine.PhaseReady)
	set("node.node-2", engine.PhaseReady)
	set("node.off", engine.PhaseReady)
	says("Nodes", "False NotReady", "False NotReady", "node-9 is missing")
	s.there = append(s.there, "node-9")
	set("node.node-9", engine.PhaseFailed)
	s.now.Units[at["node.node-9"]].Decided = false
	says("Nodes", "Unknown NotKnown", "Unknown NotKnown", "node-9 is unknown")
	s.now.Units[at["node.node-9"]].Decided = true
	set("node.node-9", engine.PhaseReady)
	set("service.heat", engine.PhaseBlocked)
	says("Optional", "False NotReady", "True Ready", "heat is blocked")
	set("service.heat", engine.PhaseGone)
	says("Ready", "True Ready", "True Ready", "")
	s.state.Model.Nodes = nil
	says("Ready", "True Ready", "True NoNodes", "")
	s.shows(0)
}

// A condition of its own says what is known of the API behind a service, if it has one that is asked.
func TestConditionsOfAPIs(t *testing.T) {
	s := newServices(t, "glance", "memcached")
	s.set("glance", engine.PhaseProgressing, "")
	s.set("memcached", engine.PhaseReady, "")
	ref := unit.ShownRef(unit.KindShownService, "glance")
	for _, test := range []struct {
		answer unit.Answer
		want   string
	}{
		{unit.Answer{Reach: unit.ReachUnasked}, "Unknown NotAsked"},
		{unit.Answer{Reach: unit.ReachUnknown, Message: "no such host"}, "Unknown NotReached"},
		{unit.Answer{Reach: unit.ReachRefuses, Message: "GET http://me:canary@glance-api/: 503", Request: "req-1"}, "False NotWorking"},
		{unit.Answer{Reach: unit.ReachAnswers}, "True Answers"},
	} {
		s.now.Units[0].API = test.answer
		if _, err := daemon.Show(t.Context(), s.board, s.state, s.now); err != nil {
			t.Fatal(err)
		}
		if got := s.condition(ref, "APIReachable"); got != test.want {
			t.Errorf("%+v is shown as %q", test.answer, got)
		}
		for _, c := range s.shown[ref].Conditions {
			if c.Type == "APIReachable" && test.answer.Reach == unit.ReachRefuses && c.Message != "GET http://(sensitive)@glance-api/: 503 (request id req-1)" {
				t.Errorf("the message is %q", c.Message)
			}
		}
	}
	s.shows(0)
	if got := s.shown[unit.ShownRef(unit.KindShownService, "memcached")]; len(got.Conditions) != 1 {
		t.Errorf("memcached has no API: %+v", got)
	}
}

// How the test of the cloud stands is a condition beside the others, and holds back none of them.
func TestShowSmokeTest(t *testing.T) {
	s := newServices(t, "nova")
	s.set("nova", engine.PhaseReady, "")
	s.shows(2)
	ref := unit.ShownRef(unit.KindShownCloud, "prod")
	if got := s.condition(ref, "SmokeTest"); got != "" {
		t.Errorf("without a test it is %q", got)
	}
	s.state.Model.Cloud.SmokeTest = &model.SmokeTest{}
	s.now.Units = append(s.now.Units, engine.UnitStatus{Address: addr.MustParseObject("system.smoke_test"), Decided: true})
	for _, test := range []struct {
		phase  engine.Phase
		reason string
		want   string
	}{
		{engine.PhaseProgressing, "an instance is being started", "Unknown Progressing"},
		{engine.PhaseFailed, "no valid host", "False Failed"},
		{engine.PhaseReady, "", "True Passed"},
	} {
		s.now.Units[1].Phase, s.now.Units[1].Reason = test.phase, test.reason
		s.shows(1)
		if got := s.condition(ref, "SmokeTest"); got != test.want || s.condition(ref, "Ready") != "True Ready" || s.shown[ref].Phase != "Ready" {
			t.Errorf("%s: %q, %+v", test.phase, got, s.shown[ref])
		}
	}
}
