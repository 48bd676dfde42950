package daemon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
)

// agents are those of a pretended cloud.
type agents struct {
	all   map[string][]report.Agent
	fail  map[string]error
	asked []string
	end   context.CancelFunc // of who asks
}

func (a *agents) Agents(ctx context.Context, service string) ([]report.Agent, error) {
	a.asked = append(a.asked, service)
	if _, bounded := ctx.Deadline(); !bounded {
		return nil, errors.New("there is no deadline")
	}
	if a.end != nil {
		a.end()
		return nil, ctx.Err()
	}
	return slices.Clone(a.all[service]), a.fail[service]
}

// agentDesk looks at agents of a cloud with one node.
type agentDesk struct {
	*agents
	kept  *daemon.Agents
	model *model.Model
	now   engine.Snapshot
}

func newAgentDesk() *agentDesk {
	a := &agents{fail: map[string]error{}, all: map[string][]report.Agent{
		"nova": {{Host: "one", Binary: "nova-compute", Up: true, Enabled: true}}, "neutron": {{Host: "one", Binary: "ovn-controller"}},
	}}
	return &agentDesk{
		agents: a, kept: &daemon.Agents{Source: a, Log: zerolog.Nop()},
		model: &model.Model{Nodes: []model.Node{{Name: "one", Address: addr.MustParseObject("node.one")}}},
		now:   engine.Snapshot{Revision: "1111", Admitted: true, Looks: 1},
	}
}

// look looks, and fails the test unless these services were asked, and there was news.
func (d *agentDesk) look(t *testing.T, news bool, services ...string) {
	t.Helper()
	d.asked = nil
	state := revision.State{Applied: gitrepo.Commit{Hash: "1111"}, Model: d.model}
	if got := d.kept.Look(t.Context(), state, d.now); got != news || !slices.Equal(d.asked, services) {
		t.Errorf("asked %q, news %v, want %q, %v", d.asked, got, services, news)
	}
}

// knows fails the test unless of these services the agents are known.
func (d *agentDesk) knows(t *testing.T, services ...string) {
	t.Helper()
	known := d.kept.Known()
	maps.DeleteFunc(known, func(_ string, a report.Agents) bool { return !a.Known })
	if got := slices.Sorted(maps.Keys(known)); !slices.Equal(got, services) {
		t.Errorf("known are those of %q, want %q", got, services)
	}
}

func TestAgentsAreAskedForOnceEachLook(t *testing.T) {
	d := newAgentDesk()
	d.knows(t)
	d.look(t, true, "nova", "neutron")
	for range 3 { // whatever else changes
		d.look(t, false)
	}
	d.now.Looks++
	d.look(t, false, "nova", "neutron")
	d.all["nova"][0].Up = false
	d.look(t, false)
	d.now.Looks++
	d.look(t, true, "nova", "neutron")
	if got := d.kept.Known(); got["nova"].List[0].Up {
		t.Errorf("known is %+v", got)
	}
	d.kept.Forget()
	d.knows(t)
	d.look(t, true, "nova", "neutron")
}

func TestAgentsThatCannotBeSeenAreUnknown(t *testing.T) {
	d := newAgentDesk()
	d.fail["nova"] = errors.New("403")
	d.look(t, true, "nova", "neutron")
	d.knows(t, "neutron")
	delete(d.fail, "nova")
	d.look(t, false) // not before the next look
	d.now.Looks++
	d.look(t, true, "nova", "neutron")
	d.knows(t, "neutron", "nova")
	d.fail["neutron"] = errors.New("no answer")
	d.now.Looks++
	d.look(t, true, "nova", "neutron")
	d.knows(t, "nova")

	// That the process ends says nothing of them.
	d = newAgentDesk()
	d.look(t, true, "nova", "neutron")
	var ctx context.Context
	ctx, d.end = context.WithCancel(t.Context())
	d.now.Looks++
	if d.kept.Look(ctx, revision.State{Applied: gitrepo.Commit{Hash: "1111"}, Model: d.model}, d.now) {
		t.Error("that was news")
	}
	d.knows(t, "neutron", "nova")
}

func TestAgentsThatCannotBeSeenAreToldOnce(t *testing.T) {
	const unknown, again = "how agents stand is not known", "how agents stand is known again"
	d := newAgentDesk()
	var log bytes.Buffer
	d.kept.Log = zerolog.New(&log)
	told := func(when string, want ...string) {
		t.Helper()
		d.now.Looks++
		state := revision.State{Applied: gitrepo.Commit{Hash: "1111"}, Model: d.model}
		d.kept.Look(t.Context(), state, d.now)
		var got []string
		for line := range strings.Lines(log.String()) {
			var e struct{ Message, Service, Error string }
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimSpace(e.Service+": "+e.Message+" "+e.Error))
		}
		log.Reset()
		if !slices.Equal(got, want) {
			t.Errorf("%s: the log has %q, want %q", when, got, want)
		}
	}
	told("all is well")
	d.fail["nova"] = errors.New("403")
	told("it begins", "nova: "+unknown+" 403")
	told("it lasts")
	told("it lasts")
	d.fail["nova"] = errors.New("no answer")
	told("another reason", "nova: "+unknown+" no answer")
	d.fail["neutron"] = errors.New("no answer")
	told("another service", "neutron: "+unknown+" no answer")
	told("both last")
	delete(d.fail, "nova")
	told("one is over", "nova: "+again)
	told("the other lasts")
	d.kept.Forget()
	told("in charge again", "neutron: "+unknown+" no answer")
	d.fail["nova"] = errors.New("no answer")
	delete(d.fail, "neutron")
	told("anew", "nova: "+unknown+" no answer", "neutron: "+again)
}

func TestAgentsOfServicesThatWeDeploy(t *testing.T) {
	d := newAgentDesk()
	nova := addr.MustParseObject("service.nova")
	d.model.Cloud.Services = []model.Service{{Name: "nova", Address: nova, Enabled: true}, {Name: "neutron", Address: addr.MustParseObject("service.neutron")}}
	d.look(t, true)
	d.knows(t)
	for _, phase := range []engine.Phase{engine.PhaseWaiting, engine.PhaseReconciling, engine.PhaseProgressing} {
		d.now.Units = []engine.UnitStatus{{Address: nova, Phase: phase}}
		d.look(t, false)
		if _, ok := d.kept.Known()["nova"]; ok {
			t.Errorf("%s: nobody has asked, so what was said before stays", phase)
		}
	}
	d.now.Units[0].Phase = engine.PhaseReady
	d.look(t, true, "nova")
	d.knows(t, "nova")
	d.now.Units[0].Phase = engine.PhaseProgressing
	d.now.Looks++
	d.look(t, false)
	d.knows(t, "nova")
	d.now.Units[0].Phase = engine.PhaseFailed
	d.look(t, true)
	d.knows(t)
}

func TestNobodyAsksForAgentsInVain(t *testing.T) {
	for name, change := range map[string]func(*agentDesk){
		"no nodes":         func(d *agentDesk) { d.model.Nodes = nil },
		"not admitted":     func(d *agentDesk) { d.now.Admitted = false },
		"another revision": func(d *agentDesk) { d.now.Revision = "2222" },
		"no revision":      func(d *agentDesk) { d.now = engine.Snapshot{} },
	} {
		t.Run(name, func(t *testing.T) {
			d := newAgentDesk()
			change(d)
			d.look(t, false)
		})
	}
	var none *daemon.Agents
	none.Forget()
	if none.Look(t.Context(), revision.State{}, engine.Snapshot{}) || none.Known() != nil {
		t.Error("nobody knows something")
	}
}

func TestReportsTellOfAgents(t *testing.T) {
	const page = "nodes/one.md"
	inBubble(t, func(t *testing.T, d *desk) {
		d.commit(configuration + "node \"one\" {\n  roles = [\"compute\"]\n}\n")
		a := newAgentDesk()
		d.publisher.Agents = a.kept
		publish := func(calls int, tells bool) {
			t.Helper()
			snapshot := d.snapshot(engine.PhaseReady, "")
			if _, err := d.publisher.Publish(t.Context(), snapshot, nil, true); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(d.target.files[page]), "nova-compute"); d.target.calls != calls || got != tells {
				t.Fatalf("%d calls, want %d; the page is\n%s", d.target.calls, calls, d.target.files[page])
			}
		}
		publish(1, false)
		a.now = d.snapshot(engine.PhaseReady, "")
		a.now.Admitted, a.now.Looks = true, 1
		if !a.kept.Look(t.Context(), d.tracker.State(), a.now) {
			t.Fatal("nothing was seen")
		}
		publish(2, true)
		publish(2, true) // nothing is new
		d.publisher.Forget()
		publish(2, true) // as another process that has not asked yet
		a.fail["nova"] = errors.New("no answer")
		a.kept.Look(t.Context(), d.tracker.State(), a.now)
		publish(3, false)
	})
}
