package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// TestScenarios runs what lies in testdata. A file has revisions and a script; see the commands in
// [scenario.run].
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) { runScenario(t, archive, nil) })
		})
	}
}

// runScenario runs one; the witness, if there is one, notes what comes between.
func runScenario(t *testing.T, archive *txtar.Archive, witness *witness) {
	s := newScenario(t)
	s.world.witness = witness
	var script string
	for _, f := range archive.Files {
		if f.Name == "script" {
			script = string(f.Data)
			continue
		}
		s.revisions[f.Name] = parseRevision(t, f.Name, string(f.Data))
	}
	s.start()
	n := 0
	for line := range strings.Lines(script) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := s.run(line); err != nil {
			t.Errorf("script line %d: %s: %v\n%s", n, line, err, s.status())
			break
		}
	}
	s.stop()
}

// scenario is a world and the engine that runs over it.
type scenario struct {
	t         *testing.T
	world     *world
	store     *store
	revisions map[string]*engine.Revision
	hosts     map[string]int
	options   engine.Options
	keeping   sync.Mutex                 // held while the next two change
	suspended []suspension.Suspension    // by command
	unkept    int                        // so often the engine cannot change them
	ahead     atomic.Int64               // of ours, in nanoseconds, is the clock that they end by
	unheard   bool                       // nobody tells the engine what the present line does
	backup    map[string]inventory.Shard // of the inventory
	newest    atomic.Pointer[string]     // revision, by command
	counted   int64                      // so often it was written at least, as reports say
	versions  map[string]string          // of the inventory when the engine was told only to observe

	engine    *engine.Engine
	inventory *inventory.Inventory
	changed   atomic.Int64
	news      atomic.Int64           // changes of what is said of units
	reported  atomic.Pointer[string] // the status when the engine last said that it changed
	cancel    context.CancelFunc
	ended     chan struct{}
	plan      *plan.Plan
	looked    <-chan struct{} // of what somebody has asked for last
}

func newScenario(t *testing.T) *scenario {
	w := newWorld()
	return &scenario{
		t: t, world: w, store: &store{world: w, shards: map[string]inventory.Shard{}},
		revisions: map[string]*engine.Revision{}, hosts: map[string]int{},
	}
}

// build makes an engine, as a new process would.
func (s *scenario) build() {
	s.world.revive()
	var err error
	if s.inventory, err = inventory.Open(s.t.Context(), s.store); err != nil {
		s.t.Fatal(err)
	}
	marker := inventory.NewMarker("test", redact.NewSecret("a key that is long enough"))
	if err := engine.Claim(s.t.Context(), s.inventory, marker, s.world.labelled()); err != nil {
		s.t.Fatal(err)
	}
	if err := s.inventory.Expect(s.t.Context(), s.counted); err != nil {
		s.t.Fatal(err)
	}
	o := s.options
	o.Language = schema.New()
	var e *engine.Engine
	o.Resuspend = func(ctx context.Context, change func([]suspension.Suspension) []suspension.Suspension) error {
		return s.resuspend(ctx, func() *engine.Engine { return e }, change)
	}
	o.Drivers = map[unit.DriverName]engine.Driver{}
	for _, name := range []unit.DriverName{unit.Kubernetes, unit.Helm, unit.OpenStack} {
		o.Drivers[name] = fake{name, s.world}
	}
	o.Inventory, o.Marker, o.Suspensions, o.Now = s.inventory, marker, s.suspended, s.now
	o.Hosts = func(ctx context.Context) plan.Hosts {
		if s.world.hangs("hosts") {
			<-ctx.Done()
			return plan.Hosts{Err: ctx.Err()}
		}
		if s.world.crashes("hosts") {
			panic("canary of the hosts")
		}
		return plan.Hosts{Count: s.hosts}
	}
	o.Computes, o.Bearing = computes{s}, s.world.bearing
	o.CallTimeout = callTimeout
	o.Newest = func(id string) bool {
		newest := s.newest.Load()
		return newest == nil || *newest == id
	}
	o.Budget = s.world.wait
	o.Changed = func() {
		text := status(e)
		s.world.witness.looks(e)
		s.changed.Add(1)
		if last := s.reported.Swap(&text); last == nil || units(*last) != units(text) {
			s.news.Add(1)
		}
	}
	known := s.inventory
	s.world.inventory = func() *inventory.Inventory { return known }
	e = engine.New(o)
	s.engine = e
}

// start builds an engine and has it run.
func (s *scenario) start() {
	s.build()
	ctx, cancel := context.WithCancel(s.t.Context())
	ended := make(chan struct{})
	s.cancel, s.ended = cancel, ended
	e := s.engine
	go func() {
		defer close(ended)
		e.Run(ctx, 0)
	}()
}

func (s *scenario) stop() {
	if s.cancel != nil {
		s.cancel()
		<-s.ended
		s.cancel = nil
		s.calm()
	}
}

// calm wants each call of a driver that was begun to have ended, now that no engine runs.
func (s *scenario) calm() {
	s.world.mutex.Lock()
	defer s.world.mutex.Unlock()
	if n := s.world.running; n != 0 {
		s.t.Errorf("%d calls of drivers have not ended, as the fake driver counts", n)
		s.world.running = 0
	}
}

// settle lets time pass until nothing moves any more.
func (s *scenario) settle() error {
	begun := time.Now()
	for {
		synctest.Wait()
		if s.engine.Snapshot().Settled {
			return s.heard()
		}
		if time.Since(begun) > 3*time.Hour {
			return fmt.Errorf("it did not settle")
		}
		time.Sleep(500 * time.Millisecond)
	}
}

// heard tells what is true now without the engine having said that something changed.
func (s *scenario) heard() error {
	if told, now := *s.reported.Load(), s.status(); told != now {
		return fmt.Errorf("the last news were\n%snow it is", told)
	}
	return nil
}

func (s *scenario) status() string { return status(s.engine) }

func status(e *engine.Engine) string {
	var b strings.Builder
	snapshot := e.Snapshot()
	fmt.Fprintf(&b, "settled: %t refused: %v unseen: %t suspended: %v\n", snapshot.Settled, snapshot.Refused, snapshot.Unseen, snapshot.Suspensions)
	for _, u := range snapshot.Units {
		fmt.Fprintf(&b, "  %s %s %q waits %v causes %v action %s did %v\n", u.Address, u.Phase, u.Reason, u.Waits, u.Causes, u.Action, u.Did)
		fmt.Fprintf(&b, "    id %q attempts %d fields %v drift %t details %v\n", u.ID, u.Attempts, u.Fields, u.Drift, u.Details)
	}
	return b.String()
}

// units is what a status says of units alone.
func units(status string) string {
	_, rest, _ := strings.Cut(status, "\n")
	return rest
}

func (s *scenario) unit(a string) (engine.UnitStatus, error) {
	for _, u := range s.engine.Snapshot().Units {
		if u.Address.String() == a {
			return u, nil
		}
	}
	return engine.UnitStatus{}, fmt.Errorf("there is no %s", a)
}

func (s *scenario) notify(a addr.Object) {
	s.engine.Notify(a)
	synctest.Wait()
}

// quiet lets time pass and tells what happened though nothing should have.
func (s *scenario) quiet(d time.Duration) error {
	synctest.Wait()
	before := s.counts()
	time.Sleep(d)
	synctest.Wait()
	if after := s.counts(); after != before {
		return fmt.Errorf("there were %d calls, %d writes, %d observations, %d changes", after[0]-before[0], after[1]-before[1], after[2]-before[2], after[3]-before[3])
	}
	return nil
}

// counts are those of calls, writes, observations and changes so far.
func (s *scenario) counts() [4]int {
	s.world.mutex.Lock()
	defer s.world.mutex.Unlock()
	s.store.mutex.Lock()
	defer s.store.mutex.Unlock()
	return [4]int{s.world.calls, s.store.puts, s.world.looks, int(s.changed.Load())}
}

// retries lets time pass in which something is tried, and tells when that was news.
func (s *scenario) retries(d time.Duration) error {
	synctest.Wait()
	calls, news := s.world.called(), s.news.Load()
	time.Sleep(d)
	synctest.Wait()
	if c, n := s.world.called()-calls, s.news.Load()-news; c == 0 || n > 0 {
		return fmt.Errorf("there were %d calls, and %d news of units", c, n)
	}
	return nil
}

func differ(what string, got, want []string) error {
	if slices.Equal(got, want) {
		return nil
	}
	return fmt.Errorf("%s: got %v, want %v", what, got, want)
}

func texts(list []addr.Object) []string {
	var all []string
	for _, a := range list {
		all = append(all, a.String())
	}
	return all
}

func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}
