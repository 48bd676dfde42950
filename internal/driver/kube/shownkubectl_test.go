//go:build beds

package kube_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/driver/kube"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/test/cluster"
	"github.com/kupenstack/kupenstack-sync/test/composed"
	"github.com/kupenstack/kupenstack-sync/test/testbed"
)

// shownCloud is what is shown of a cloud, in a cluster, by the means that the daemon has.
type shownCloud struct {
	*world
	driver *kube.Driver
	told   chan addr.Object
	units  map[string]unit.Unit
	state  revision.State
	now    engine.Snapshot
}

func newShownCloud(w *world) *shownCloud {
	w.t.Helper()
	nodes, err := w.cluster.Nodes(w.ctx)
	w.must(err)
	slices.Sort(nodes)
	m, ev := composed.Text(w.t, `cloud "prod" {
  release = "2026.1"
  region  = "RegionOne"
  charts { repository = "charts" }
  service "mariadb" {}
  service "rabbitmq" {}
  service "memcached" {}
  service "keystone" {}
  service "glance" { enabled = false }
}
profile "base" {}
profile "gpu" { from = profile.base }
node "`+nodes[0]+`" {
  roles   = ["control-plane"]
  profile = profile.gpu
}
`)
	const commit = "1111"
	s := &shownCloud{
		world: w, units: composed.Compose(w.t, m, ev, compose.Facts{Unlocked: true, Nodes: nodes}),
		state: revision.State{Applied: gitrepo.Commit{Hash: commit}, Model: m}, now: engine.Snapshot{Revision: commit, Admitted: true},
	}
	s.driver, s.told = w.driver(nil)
	for _, u := range s.units {
		if kind := u.Address.Kind(); kind == "service" || kind == "node" {
			s.now.Units = append(s.now.Units, engine.UnitStatus{Address: u.Address, Phase: engine.PhaseReady, Decided: true})
		}
	}
	return s
}

// shownUnits are the units of what is shown.
func shownUnits() []string {
	return []string{"system.nodes", "system.services", "system.controlplane", "system.profiles"}
}

func (s *shownCloud) target(address string) unit.Target {
	spec := s.units[address].Spec
	return unit.Target{Address: s.units[address].Address, Spec: spec, Locator: spec.Locator()}
}

// converges has the units be as they are wanted, whatever is shown in them.
func (s *shownCloud) converges(addresses ...string) {
	s.t.Helper()
	for _, address := range addresses {
		target := s.target(address)
		s.converge(s.driver, target, s.told)
		if state := s.observe(s.driver, target); state.Health != unit.HealthReady {
			s.hears(s.told, target.Address, func() bool { return s.observe(s.driver, target).Health == unit.HealthReady })
		}
	}
}

// stands has a service stand somehow, and shows it.
func (s *shownCloud) stands(service string, phase engine.Phase, writes int) {
	s.t.Helper()
	for i := range s.now.Units {
		if s.now.Units[i].Address.String() == "service."+service {
			s.now.Units[i].Phase = phase
		}
	}
	s.shows(writes)
}

func (s *shownCloud) shows(writes int) {
	s.t.Helper()
	wrote, err := daemon.Show(s.ctx, s.cluster, s.state, s.now)
	s.must(err)
	if wrote != writes {
		s.t.Errorf("%d objects were written, want %d", wrote, writes)
	}
}

// kubectl is the bed's own with arguments.
func (s *shownCloud) kubectl(ctx context.Context, args ...string) *exec.Cmd {
	program := filepath.Join(testbed.Dir(s.t), testbed.BinDir, "kubectl")
	return exec.CommandContext(ctx, program, append([]string{"--kubeconfig", s.bed.Kubeconfig, "--cache-dir", filepath.Join(s.t.TempDir(), "cache")}, args...)...)
}

// prints is what kubectl prints, the words of each line parted by one blank.
func (s *shownCloud) prints(args ...string) []string {
	s.t.Helper()
	output, err := s.kubectl(s.ctx, args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	var lines []string
	for line := range strings.Lines(string(output)) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return lines
}

// lists compares a list that kubectl prints, but for the age of things, which comes last.
func (s *shownCloud) lists(kind string, want ...string) {
	s.t.Helper()
	lines := s.prints("get", kind)
	for i, line := range lines[1:] {
		lines[i+1] = line[:strings.LastIndex(line, " ")]
	}
	if !slices.Equal(lines, want) {
		s.t.Errorf("kubectl get %s prints\n%s", kind, strings.Join(lines, "\n"))
	}
}

// uids identify all that is shown.
func (s *shownCloud) uids() []string {
	return s.prints("get", "osknode,ossvc,oscp,occp", "-o", `jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.uid}{"\n"}{end}`)
}

// testShownToKubectl has people look at what is shown, wait for it, and meddle with it.
func testShownToKubectl(t *testing.T, bed *cluster.Cluster) {
	s := newShownCloud(newWorld(t, bed))
	nodes := s.state.Model.Nodes[0].Name
	s.converges(append([]string{"system.definitions"}, shownUnits()...)...)

	s.stands("keystone", engine.PhaseProgressing, 10) // two nodes, two profiles, five services, the cloud
	s.lists("ossvc",
		"NAME STATUS RELEASE CHART AGE", "glance Disabled", "keystone Progressing 2026.1", "mariadb Ready", "memcached Ready", "rabbitmq Ready")
	s.lists("oscp", "NAME PHASE READY RELEASE AGE", "prod Identity False 2026.1")
	s.lists("occp", "NAME READY FROM SLOT AGE", "base True", "gpu True base")
	if got := s.prints("get", "osknodes"); len(got) != 3 || got[0] != "NAME STATUS ROLES PROFILE AGE" || !strings.HasPrefix(got[1], nodes+" Ready control-plane gpu ") || !strings.Contains(got[2], " Unmanaged ") {
		t.Errorf("kubectl get osknodes prints\n%s", strings.Join(got, "\n"))
	}

	// Somebody waits for it to become ready.
	waiting := s.kubectl(s.ctx, "wait", "--for=condition=Ready", "--timeout=5m", "ossvc/keystone", "oscp/prod", "osknode/"+nodes, "occp/gpu")
	var output strings.Builder
	waiting.Stdout, waiting.Stderr = &output, &output
	s.must(waiting.Start())
	s.stands("keystone", engine.PhaseReady, 2)
	if err := waiting.Wait(); err != nil || strings.Count(output.String(), "condition met") != 4 {
		t.Errorf("kubectl wait: %v\n%s", err, output.String())
	}
	s.lists("oscp", "NAME PHASE READY RELEASE AGE", "prod Ready True 2026.1")

	// What is shown is no drift, and once it is shown nothing is written.
	before := s.offset()
	for range 3 {
		s.shows(0)
	}
	for _, address := range shownUnits() {
		if diff := s.compare(s.driver, s.target(address)); diff.Action != unit.ActionNone {
			t.Errorf("%s differs: %+v", address, diff)
		}
	}
	if _, writes := s.requests(before); len(writes) > 0 {
		t.Errorf("at rest there were %v", writes)
	}
	s.meddle(nodes)
}

// meddle has somebody edit and delete what is shown.
func (s *shownCloud) meddle(node string) {
	s.t.Helper()
	for i, edit := range []struct{ object, field, value string }{
		{"osknode/" + node, "roles", `["network"]`}, {"ossvc/keystone", "enabled", "false"}, {"oscp/prod", "region", `"Elsewhere"`}, {"occp/gpu", "from", `["other"]`},
	} {
		query := "jsonpath={.spec." + edit.field + "}"
		was := s.prints("get", edit.object, "-o", query)
		s.prints("patch", edit.object, "--type=merge", "-p", fmt.Sprintf(`{"spec":{%q:%s}}`, edit.field, edit.value))
		target := s.target(shownUnits()[i])
		s.drifts(s.told, s.driver, target)
		s.converge(s.driver, target, s.told)
		if now := s.prints("get", edit.object, "-o", query); !slices.Equal(now, was) {
			s.t.Errorf("%s of %s stays %v", edit.field, edit.object, now)
		}
	}
	ref := unit.ShownRef(unit.KindShownService, "keystone")
	s.prints("patch", "ossvc/keystone", "--subresource=status", "--type=merge", "-p", `{"status":{"status":"Fine","conditions":[{"type":"Ready","status":"False"}]}}`)
	s.hears(s.told, s.units["system.services"].Address, func() bool {
		shown, err := s.cluster.Shown(s.ctx, ref)
		s.must(err)
		return shown[ref].Status == "Fine"
	})
	s.shows(1)
	s.lists("ossvc", "NAME STATUS RELEASE CHART AGE", "glance Disabled", "keystone Ready 2026.1", "mariadb Ready", "memcached Ready", "rabbitmq Ready")

	// Each that is deleted takes nothing with it, and comes back.
	for i, object := range []string{"OpenstackNode/" + node, "OpenStackService/keystone", "OpenStackControlPlane/prod", "OpenStackCloudConfigurationProfile/gpu"} {
		was := s.uids()
		s.prints("delete", object)
		target := s.target(shownUnits()[i])
		s.drifts(s.told, s.driver, target)
		s.converge(s.driver, target, s.told)
		now := s.uids()
		if len(now) != len(was) {
			s.t.Fatalf("after %s there are %v", object, now)
		}
		for k := range now {
			if deleted := strings.HasPrefix(was[k], object+" "); deleted == (now[k] == was[k]) {
				s.t.Errorf("%s was deleted: %s, and before %s", object, now[k], was[k])
			}
		}
	}
	s.shows(4)
	s.prints("wait", "--for=condition=Ready", "--timeout=5m", "ossvc/keystone", "oscp/prod", "osknode/"+node)
	for _, address := range shownUnits() {
		if diff := s.driver.Compare(s.target(address), cty.NilVal, s.observe(s.driver, s.target(address))); diff.Action != unit.ActionNone {
			s.t.Errorf("%s differs: %+v", address, diff)
		}
	}
}
