package openstack_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// testedByEngine is a cloud with a test that an engine runs, and the inventory in its store.
type testedByEngine struct {
	*tested
	store  *records
	marker inventory.Marker
	kept   *inventory.Inventory
}

func newTestedByEngine(t *testing.T) *testedByEngine {
	t.Helper()
	return &testedByEngine{
		tested: newTested(t), store: &records{shards: map[string]inventory.Shard{}},
		marker: inventory.NewMarker(rand.Text(), redact.NewSecret("a key that is long enough")),
	}
}

// pass is a pass of a new process, which ends when nothing more moves, or when it is killed.
func (x *testedByEngine) pass(t *testing.T, units ...unit.Unit) (engine.Snapshot, error) {
	t.Helper()
	var err error
	if x.kept, err = inventory.Open(t.Context(), x.store); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	x.cloud.mutex.Lock()
	x.cloud.kill = cancel
	x.cloud.mutex.Unlock()
	e := engine.New(engine.Options{
		Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: x.Driver, unit.Helm: broken{}}, Inventory: x.kept, Marker: x.marker,
	})
	err = e.Converge(ctx, &engine.Revision{ID: rand.Text(), Units: units, Deployment: inventory.Deployment{Cloud: "demo"}}, time.Second)
	return e.Snapshot(), err
}

func (x *testedByEngine) unit() unit.Unit {
	return unit.Unit{
		Address: x.target.Address, Spec: x.target.Spec, Class: unit.ClassSystem,
		Edges: []unit.Edge{{To: addr.MustParseObject("service.nova"), Until: unit.Ready, Gate: unit.GateStart}},
	}
}

// entry is what is on record after the last pass.
func (x *testedByEngine) entry(t *testing.T) inventory.Entry {
	t.Helper()
	kept, err := inventory.Open(t.Context(), x.store)
	if err != nil {
		t.Fatal(err)
	}
	entry, _ := kept.Entry(x.target.Address)
	return entry
}

func TestTheEngineRunsASmokeTest(t *testing.T) {
	x := newTestedByEngine(t)
	x.cloud.killAt = 5 // as the volume is attached for the second time
	if _, err := x.pass(t, x.unit()); err == nil {
		t.Fatal("the process was killed, but there is no error")
	}
	if entry := x.entry(t); !entry.Run.Open() || len(entry.Edges) != 1 {
		t.Errorf("a run is under way, and on record is %+v", entry)
	}
	snapshot, err := x.pass(t, x.unit())
	if err != nil || len(snapshot.Units) != 1 || snapshot.Units[0].Phase != engine.PhaseReady {
		t.Fatalf("got %+v, %v", snapshot.Units, err)
	}
	if !slices.Equal(x.cloud.changes, wholeRun()) {
		t.Errorf("it asked for %q", x.cloud.changes)
	}
	x.nothingIsLeft(t)
	if entry := x.entry(t); entry.Run.Open() || entry.Run.Passed != x.target.Spec.Digest() || len(entry.Edges) != 0 || entry.Phase != inventory.Owned {
		t.Errorf("on record is %+v, %+v", entry, entry.Run)
	}

	looks, puts := x.cloud.looks, x.store.puts
	snapshot, err = x.pass(t, x.unit())
	if err != nil || snapshot.Units[0].Phase != engine.PhaseReady || snapshot.Units[0].Drift || len(snapshot.Units[0].Did) > 0 || x.cloud.looks != looks || x.store.puts != puts {
		t.Errorf("an unchanged world: %+v, %v, %d looks, %d writes", snapshot.Units, err, x.cloud.looks-looks, x.store.puts-puts)
	}
	if _, err = x.pass(t); err != nil || x.entry(t).UID != "" || x.cloud.looks != looks {
		t.Errorf("without the block: %v, %+v", err, x.entry(t))
	}
}

func TestTheEngineTellsOfASmokeTestThatFailed(t *testing.T) {
	x := newTestedByEngine(t)
	x.cloud.refuse = map[string]int{"POST os-volume_attachments": http.StatusConflict}
	snapshot, err := x.pass(t, x.unit())
	if err != nil || len(snapshot.Units) != 1 {
		t.Fatalf("got %+v, %v", snapshot, err)
	}
	u := snapshot.Units[0]
	if u.Phase != engine.PhaseFailed || u.Drift || !strings.Contains(u.Reason, "the volume is being attached: ") || !strings.Contains(u.Reason, requestOf) {
		t.Errorf("got %+v", u)
	}
	x.nothingIsLeft(t)
	if entry := x.entry(t); entry.Run.Failed != 1 || entry.Applied != "" || len(entry.Edges) != 0 {
		t.Errorf("on record is %+v, %+v", entry, entry.Run)
	}
}

// broken is a driver whose units fail.
type broken struct{}

func (broken) Observe(_ context.Context, targets []unit.Target) (map[addr.Object]unit.State, error) {
	states := map[addr.Object]unit.State{}
	for _, t := range targets {
		states[t.Address] = unit.State{Existence: unit.Present, Installed: true, Owned: true, Health: unit.HealthFailed, Message: "it does not start"}
	}
	return states, nil
}

func (broken) Compare(unit.Target, cty.Value, unit.State) unit.Diff {
	return unit.Diff{Action: unit.ActionNone}
}

func (broken) Apply(_ context.Context, _ unit.Target, _ cty.Value, st unit.State) (unit.State, error) {
	return st, nil
}

func (broken) Delete(_ context.Context, _ unit.Target, st unit.State) (unit.State, error) {
	return st, nil
}

// A service that is no longer ready holds back a new run, and not the end of the one that was under way.
func TestTheEngineStopsASmokeTest(t *testing.T) {
	x := newTestedByEngine(t)
	x.cloud.killAt = 4
	if _, err := x.pass(t, x.unit()); err == nil {
		t.Fatal("the process was killed, but there is no error")
	}
	spec := *x.target.Spec.(*unit.SmokeTest)
	spec.ControlPlane = "two"
	x.target.Spec = &spec
	nova := unit.Unit{Address: addr.MustParseObject("service.nova"), Spec: &unit.Release{Name: "nova"}, Class: unit.ClassService}
	snapshot, err := x.pass(t, x.unit(), nova)
	if err != nil {
		t.Fatal(err)
	}
	x.nothingIsLeft(t)
	if run := x.entry(t).Run; run.Open() || run.Passed != "" {
		t.Errorf("on record is %+v", run)
	}
	for _, u := range snapshot.Units {
		if u.Address == x.target.Address && (u.Phase != engine.PhaseWaiting || !slices.Equal(u.Causes, []addr.Object{nova.Address})) {
			t.Errorf("got %+v", u)
		}
	}
	if !slices.Equal(x.cloud.changes[:4], wholeRun()[:4]) || !slices.Equal(x.cloud.changes[4:], []string{"DELETE servers", "DELETE volumes"}) {
		t.Errorf("it asked for %q", x.cloud.changes)
	}
}
