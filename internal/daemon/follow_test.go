package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/daemon"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/gitrepo"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/redact"
	"github.com/kupenstack/kupenstack-sync/internal/revision"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

const tenants = `cloud "lab" {
  openstack {
    cloud = "lab"
  }
  namespace_projects {
    selector = { tenant = "true" }
  }
}
`

// mine is a lease that this process has.
type mine struct{}

func (mine) Guard() error { return nil }

func (mine) Hold(ctx context.Context, _ func(error), work func(context.Context) error) error {
	return work(ctx)
}

// hanging is a directory that was fetched before, and that hangs while silent is set.
type hanging struct {
	*gitrepo.Source
	mutex  sync.Mutex
	silent bool
	asked  int         // and not answered yet
	heads  []time.Time // when it was asked which commit is the newest
	cached bool
	inUse  chan struct{} // nothing is kept until it is closed; nil for at once
	kept   string
}

func (h *hanging) Head(ctx context.Context) (gitrepo.Revision, error) {
	h.mutex.Lock()
	silent := h.silent
	h.heads = append(h.heads, time.Now())
	h.mutex.Unlock()
	if !silent {
		return h.Source.Head(ctx)
	}
	h.count(1)
	defer h.count(-1)
	<-ctx.Done()
	return gitrepo.Revision{}, ctx.Err()
}

func (h *hanging) count(by int) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.asked += by
}

func (h *hanging) hangs() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.asked > 0
}

func (h *hanging) answers(yes bool) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.silent = !yes
}

func (h *hanging) Keep(id string) error {
	if h.inUse != nil {
		<-h.inUse
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.kept = id
	return nil
}

func (h *hanging) keeps() string {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.kept
}

func (h *hanging) Kept(context.Context) (*gitrepo.Tree, error) {
	return nil, errors.New("nothing was kept")
}

func (h *hanging) Cached(ctx context.Context) (*gitrepo.Tree, error) {
	if !h.cached {
		return nil, errors.New("nothing was ever fetched")
	}
	return h.Fetch(ctx, gitrepo.Revision{})
}

// office is a daemon under the clock of a test.
type office struct {
	*daemon.Daemon
	t      *testing.T
	dir    string
	source *hanging
	cloud  *driver
	news   chan daemon.Change
	engine atomic.Pointer[engine.Engine]

	mutex      sync.Mutex
	namespaces []string
	admit      func(context.Context, string) error // see [engine.Options]
	late       chan struct{}                       // when set, the next answer about them is on its way until this is closed
}

func newOffice(t *testing.T, cached bool) *office {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "main.hcl", tenants)
	directory, err := gitrepo.Open(t.Context(), gitrepo.Options{URL: dir})
	must(t, err)
	o := &office{
		t: t, dir: dir, source: &hanging{Source: directory, cached: cached, silent: true}, cloud: &driver{there: map[addr.Object]bool{}},
		news: make(chan daemon.Change, 1), namespaces: []string{"blog"},
	}
	tracker := o.track(o.source)
	shards := &store{shards: map[string]inventory.Shard{}}
	o.Daemon = &daemon.Daemon{
		Tracker: tracker, Publisher: &daemon.Publisher{Tracker: tracker, Log: zerolog.Nop()}, Lease: mine{}, Log: zerolog.Nop(),
		Ping: func(context.Context) error { return nil }, Changes: o.news, Interval: time.Hour, Grace: time.Second,
		Engine: func(ctx context.Context, changed func()) (*engine.Engine, error) {
			entries, err := inventory.Open(ctx, shards)
			e := engine.New(engine.Options{
				Language: schema.New(), Drivers: map[unit.DriverName]engine.Driver{unit.OpenStack: o.cloud, unit.Kubernetes: o.cloud}, Inventory: entries,
				Marker: inventory.NewMarker("lab", redact.NewSecret("key")), Changed: changed, Log: zerolog.Nop(), Admit: o.admit,
			})
			o.engine.Store(e)
			return e, err
		},
	}
	return o
}

// track returns what follows a source.
func (o *office) track(source revision.Source) *revision.Tracker {
	facts := func(context.Context) (compose.Facts, error) { return compose.Facts{Choose: o.choose}, nil }
	return revision.NewTracker(source, ".", facts, revision.Options{Language: schema.New()})
}

func (o *office) choose(map[string]string) ([]string, error) {
	o.mutex.Lock()
	names, late := slices.Clone(o.namespaces), o.late
	o.late = nil
	o.mutex.Unlock()
	if late != nil {
		<-late
	}
	return names, nil
}

// delay has the next answer about namespaces be on its way until the result is called; begun tells whether it is.
func (o *office) delay() (arrive func(), begun func() bool) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	late := make(chan struct{})
	o.late = late
	return func() { close(late) }, func() bool {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		return o.late == nil
	}
}

// come adds a namespace.
func (o *office) come(name string) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.namespaces = append(o.namespaces, name)
}

// run runs the daemon until the result is called.
func (o *office) run() (stop func()) {
	ctx, cancel := context.WithCancel(o.t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); o.TakeTurns(ctx) }()
	return func() {
		cancel()
		<-ended
	}
}

// until waits until something holds, and fails the test when it does not within a time.
func (o *office) until(within time.Duration, what string, holds func() bool) {
	o.t.Helper()
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		synctest.Wait()
		if holds() {
			return
		}
		if time.Since(begun) >= within {
			o.t.Fatalf("within %v: not %s; the problems are %q", within, what, o.Problems())
		}
	}
}

// serves waits until a namespace has its project.
func (o *office) serves(within time.Duration, namespace string) {
	o.t.Helper()
	address := addr.MustParseObject(`project.namespaces["` + namespace + `"]`)
	o.until(within, "the project of "+namespace, func() bool { return o.cloud.has(address) })
}

// TestAServerThatHangs: what a server of Git does not answer holds back neither the revision that was fetched before, nor
// what changes in the cluster, nor whoever waits for the outcome.
func TestAServerThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, true)
		defer o.run()()
		o.serves(40*time.Second, "blog") // from the cache

		o.until(2*time.Minute, "a look that hangs", o.source.hangs)
		o.come("wiki")
		o.news <- daemon.FactsChanged
		o.serves(10*time.Second, "wiki")
		if !o.source.hangs() {
			t.Error("the look had ended before")
		}

		begun := o.Begun()
		o.LookNow()
		o.until(70*time.Second, "an outcome", func() bool {
			outcome, known := o.Outcome(t.Context(), begun)
			return known && outcome.Verdict == "degraded"
		})
		o.source.answers(true)
		o.until(2*time.Minute, "the end of the trouble", func() bool { return len(o.Problems()) == 0 })
	})
}

// TestManyPushesAreOneLook: however many requests tell of pushes while the repository is looked at, one look follows.
func TestManyPushesAreOneLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, true)
		defer o.run()()
		o.until(2*time.Minute, "a look that hangs", o.source.hangs)
		begun := o.Begun()
		for range 100 {
			o.LookNow()
			synctest.Wait()
		}
		if o.Begun() != begun {
			t.Errorf("beside a look %d others have begun", o.Begun()-begun)
		}
		o.source.answers(true)
		o.until(2*time.Minute, "the look after it", func() bool { return o.Begun() > begun })
		time.Sleep(time.Second) // of the test's clock, and less than to the next poll
		if o.Begun() != begun+1 {
			t.Errorf("%d looks follow", o.Begun()-begun)
		}
	})
}

// TestFactsThatChangeDuringALook: what a look has composed of facts that are old by its end is not the last word.
func TestFactsThatChangeDuringALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, false)
		o.source.answers(true)
		defer o.run()()
		o.serves(time.Minute, "blog")

		write(t, o.dir, "more.hcl", "project \"two\" {}\n")
		arrive, late := o.delay()
		o.news <- daemon.SourceChanged
		o.until(time.Minute, "a look at the namespaces", late)
		o.come("wiki")
		o.news <- daemon.FactsChanged
		o.serves(10*time.Second, "wiki")
		arrive()
		o.until(time.Minute, "the new revision", func() bool { return o.cloud.has(addr.MustParseObject("project.two")) })
		o.cloud.put(addr.MustParseObject(`project.namespaces["wiki"]`), false) // who wants it puts it back
		must(t, o.engine.Load().ResyncNow(t.Context()))
		o.serves(time.Minute, "wiki")
	})
}

// TestFactsThatChangeAllTheTime: while namespaces come faster than everything can be looked at, all that they are about comes
// about all the same, and at once again when that is over.
func TestFactsThatChangeAllTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, false)
		o.cloud.takes = 5 * time.Second
		o.source.answers(true)
		defer o.run()()
		o.serves(time.Minute, "blog")
		for i := range 60 {
			o.come(fmt.Sprintf("n%d", i))
			o.news <- daemon.FactsChanged
			time.Sleep(4 * time.Second)
		}
		if !o.cloud.has(addr.MustParseObject(`project.namespaces["n20"]`)) {
			t.Error("nothing was done meanwhile")
		}
		o.serves(2*time.Minute, "n59")
		time.Sleep(5 * time.Minute)
		o.come("wiki")
		o.news <- daemon.FactsChanged
		o.serves(20*time.Second, "wiki")
	})
}

// TestPollsVary: the time between two looks at the repository is another one each time, by up to a tenth, so that many
// daemons that were started together do not ask one server together for good.
func TestPollsVary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, false)
		o.source.answers(true)
		stop := o.run()
		time.Sleep(50 * time.Hour)
		stop()
		least, most, polls := time.Duration(1<<62), time.Duration(0), o.source.heads
		for i := 1; i < len(polls); i++ {
			gap := polls[i].Sub(polls[i-1])
			least, most = min(least, gap), max(most, gap)
		}
		if len(polls) < 45 || least < 54*time.Minute || most > 66*time.Minute {
			t.Errorf("there were %d looks in 50 hours, after %v to %v", len(polls), least, most)
		}
		if most-least < time.Minute { // that all of them fall into so little has a chance of less than one in 10^30
			t.Errorf("all come after %v to %v", least, most)
		}
	})
}

// inTurns is a lease that this process has, loses, and has again.
type inTurns struct{ lost chan struct{} }

func (inTurns) Guard() error { return nil }

func (l inTurns) Hold(ctx context.Context, _ func(error), work func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-l.lost:
			cancel()
		case <-ctx.Done():
		}
	}()
	return work(ctx)
}

// TestReportsOfAnotherTerm: who is in charge again reads what was reported last, as another process may have written since,
// and puts its own report in that one's place though nothing else is new.
func TestReportsOfAnotherTerm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, false)
		o.source.answers(true)
		target, lease := &branch{}, inTurns{make(chan struct{})}
		o.Publisher.Target, o.Lease = target, lease
		defer o.run()()
		says := func(what string) func() bool {
			return func() bool {
				target.mutex.Lock()
				defer target.mutex.Unlock()
				return strings.Contains(string(target.files["status.json"]), what)
			}
		}
		o.until(2*time.Minute, "a report", says(`"verdict": "blocked"`))
		lease.lost <- struct{}{}
		target.mutex.Lock()
		target.files = map[string][]byte{"status.json": []byte("what another process has said")}
		target.mutex.Unlock()
		o.until(5*time.Minute, "a report of the next term", says(`"verdict": "blocked"`))
	})
}
