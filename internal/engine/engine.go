package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Options are what an engine works with.
type Options struct {
	// Language is what revisions are written in.
	Language *schema.Definition

	Drivers   map[unit.DriverName]Driver
	Inventory *inventory.Inventory
	Marker    inventory.Marker
	// Secrets reads the Kubernetes Secrets that units are made from. Nil means that there is no way to.
	Secrets Secrets
	// Hosts tells how many instances run on each host. It is asked only when a plan depends on it, as
	// [plan.Plan.AsksHosts] tells. Nil means that there can be none.
	Hosts func(ctx context.Context) plan.Hosts
	// Computes takes compute services out of use before nodes are taken something from. Nil means that there are none.
	Computes Computes
	// Bearing returns the nodes of the cluster that have the label of the role compute, whoever gave it to them. Nil
	// means that nobody can tell.
	Bearing func(ctx context.Context) ([]string, error)
	// Quotas reads limits of projects for [Engine.Plan] alone. Nil means that nobody does.
	Quotas plan.Quotas
	// MaxDeletes is passed on to the plan.
	MaxDeletes plan.Limits
	// CallTimeout bounds each call of a driver; 0 means five minutes.
	CallTimeout time.Duration
	// Suspensions are those that were given by command; see [Engine.Suspend].
	Suspensions []suspension.Suspension
	// Resuspend has them follow what is moved. Nil means that they stay as they are.
	Resuspend Resuspend
	// Now is the clock by which suspensions end. Nil means that of this machine.
	Now func() time.Time
	// Resync is how often everything is observed again though nothing was heard; 0 means never.
	Resync time.Duration
	// Paces are of drivers that hear nothing of what happens: the shortest times between two looks at what is theirs.
	// Each look that finds nothing new doubles that, up to Resync; calls, and drift that is found, have it begin anew.
	Paces map[unit.DriverName]time.Duration
	// Parallel is how many calls run at once for each driver, and for each API of a driver that has several; 0 means eight.
	Parallel int
	// APIs are of drivers that have several: which one calls for a kind are about.
	APIs map[unit.DriverName]func(kind string) string
	// Concurrency is how many calls of all drivers run at once, observations included, of which an eighth is left to each;
	// 0 means as many as Parallel allows.
	Concurrency int
	// Admit is told of a revision that is not refused before anything is done by it, so that whoever comes after this process
	// does not go back behind what was done. Nothing is done before it returns nil, and it is called again until it does;
	// of the one that it was told of last it is not told again. It may take as long as a call. Nil means that nobody is told.
	Admit func(ctx context.Context, id string) error
	// Newest tells whether a revision is the newest one, as far as is known. That nothing lacks a block in an older one, as
	// where the newest is refused or cannot be had, says nothing of an inventory that is an older one. Nil means that each is.
	Newest func(id string) bool
	// Budget tells how long calls of a driver have to wait until its API may be asked again, 0 for not at all. What
	// has begun is finished all the same. Nil means that there is no bound.
	Budget func(unit.DriverName) time.Duration
	// Changed is called after something changed that a [Snapshot] shows. It must not block.
	Changed func()
	Log     zerolog.Logger
}

// Revision is what is wanted from now on.
type Revision struct {
	ID    string
	Units []unit.Unit // the graph of their GateStart edges has no cycles
	// Removed are the services that the configuration says to uninstall.
	Removed map[addr.Object]bool
	// CleanUps is what goes with them beside their releases.
	CleanUps map[addr.Object][]string
	// Moves, Imports and Removals say what became of things on record.
	Moves    []model.Move
	Imports  plan.Imports
	Removals plan.Removals
	// Suspensions are those of the configuration.
	Suspensions []suspension.Suspension
	Deployment  inventory.Deployment
	Ranges      map[string]diag.Range
	// Fallback is the revision that comes into force when this one is refused: the last one that was
	// admitted, with the facts as they are now. Nil means the one in force stays as it is.
	Fallback *Revision
}

// Engine runs the loops. Create it with [New].
type Engine struct {
	Options

	events chan func() // run by the goroutine that owns the loops
	wake   chan struct{}
	heard  heard

	mutex    sync.Mutex // held while the loops change, so that others can read them
	revision *Revision
	good     *Revision // the newest that was admitted
	refusal  *refusal  // of a newer one than that, nil when there is none
	loops    map[addr.Object]*loop
	order    []*loop                       // by address
	unwanted []*loop                       // those that no unit is behind any more, in the same order
	needed   map[addr.Object][]addr.Object // who depends on it
	onNode   map[string][]addr.Object      // what has pods on a node
	recorded map[addr.Object][]addr.Object // who depends on what by the inventory; nil: to be read again
	with     map[addr.Object]string        // what can only go with an object, as its deletion said that failed last, and the id of that
	places   *plan.Relocation              // what is to be moved first
	nodes    plan.Nodes                    // of the revision
	moving   bool                          // a call that does so is running
	unsaid   bool                          // the last one could not tell whether what is to give way came to something
	admitted admission
	told     []suspension.Suspension // by command, whatever the revision
	held     []suspension.Suspension // that hold, those of the revision included
	settled  bool
	freed    bool // something was seen to be gone, which others may wait for
	changed  bool // something that a snapshot shows, outside of what advance tells

	running     map[unit.DriverName]int                  // calls of drivers
	abreast     map[lane]int                             // steps among them
	steps       map[unit.DriverName]int                  // what they have done so far
	queued      map[unit.DriverName][]*loop              // what waits for one of them to end
	ahead       int                                      // how much of that is on record, or about to be, see [Engine.recordsAhead]
	recording   map[unit.DriverName]int                  // writes of the inventory beside those calls
	spent       map[unit.DriverName]spending             // why none may begin; missing: they may
	unlooked    map[unit.DriverName]time.Time            // since when observations wait for that
	toldUnasked []string                                 // what was told of them
	observe     map[unit.DriverName]map[addr.Object]bool // what is to be observed next
	looking     map[unit.DriverName]int                  // observations that run
	lookedLast  map[unit.DriverName]time.Time            // when the newest of them began
	lookHeld    bool                                     // one could not begin, as all calls that may run did
	resync      time.Time
	paces       map[unit.DriverName]pace
	looks       int  // at everything
	tookBack    int  // the look after which roles were taken back last
	takesBack   bool // that is going on
	records     *onRecord
	turned      turned
	closing     closing
	asked       []*asked // in the order in which they came
	forwarding  forwarding
}

// New returns an engine without a revision: until [Engine.Submit] it changes nothing, and until [Engine.ObserveOnly] it
// looks at nothing either.
func New(options Options) *Engine {
	if options.CallTimeout == 0 {
		options.CallTimeout = 5 * time.Minute
	}
	if options.Parallel == 0 {
		options.Parallel = 8
	}
	if options.Changed == nil {
		options.Changed = func() {}
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	drivers := map[unit.DriverName]Driver{}
	for name, driver := range options.Drivers {
		drivers[name] = &contained{driver, name, options.Log}
	}
	options.Drivers = drivers
	return &Engine{
		Options: options, told: options.Suspensions, events: make(chan func(), 64), wake: make(chan struct{}, 1), places: &plan.Relocation{},
		loops: map[addr.Object]*loop{}, running: map[unit.DriverName]int{}, abreast: map[lane]int{}, recording: map[unit.DriverName]int{}, steps: map[unit.DriverName]int{}, queued: map[unit.DriverName][]*loop{},
		observe: map[unit.DriverName]map[addr.Object]bool{}, looking: map[unit.DriverName]int{}, lookedLast: map[unit.DriverName]time.Time{},
		spent: map[unit.DriverName]spending{}, unlooked: map[unit.DriverName]time.Time{}, paces: map[unit.DriverName]pace{},
		closing: closing{due: map[string]bool{}, moved: map[string]time.Time{}},
	}
}

// Submit makes a revision the wanted one. What is being done is finished; what waits is decided
// anew. It returns when the engine has taken it, or with the context's error.
func (e *Engine) Submit(ctx context.Context, r *Revision) error {
	return e.send(ctx, func() { e.accept(r) })
}

// ResyncNow has everything observed again.
func (e *Engine) ResyncNow(ctx context.Context) error {
	return e.send(ctx, e.lookAgain)
}

func (e *Engine) send(ctx context.Context, event func()) error {
	select {
	case e.events <- event:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run keeps the world as the submitted revisions want it, until ctx ends. Calls of drivers that are
// running then are waited for, within their own deadlines and grace at most.
func (e *Engine) Run(ctx context.Context, grace time.Duration) {
	_ = e.run(ctx, grace, false) // it ends only with the context
}

// Converge takes one revision and returns when nothing more can move: everything is ready, or
// what is not is blocked or failed repeatedly. It returns the context's error when that ends
// before, and why [Options.Admit] cannot be told of the revision where that failed repeatedly.
func (e *Engine) Converge(ctx context.Context, r *Revision, grace time.Duration) error {
	alone := *r
	alone.Fallback = nil                  // who asked for this one would not expect another
	e.handle(func() { e.accept(&alone) }) // nobody else owns the loops now
	return e.run(ctx, grace, true)
}

func (e *Engine) run(ctx context.Context, grace time.Duration, once bool) error {
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		e.mutex.Lock()
		next, changed := e.advance(calls, once)
		done, untold := once && e.settled, once && e.admitted.untold >= maxAttempts
		e.mutex.Unlock()
		if changed {
			e.Changed()
		}
		if done {
			return nil
		}
		if untold {
			e.drain(grace, cancel)
			return fmt.Errorf("put on record which revision is acted on: %w", e.admitted.why)
		}
		timer.Reset(next)
		select {
		case event := <-e.events:
			e.handle(event)
		case <-e.wake:
			e.handle(func() {})
		case <-timer.C:
		case <-ctx.Done():
			e.drain(grace, cancel)
			return ctx.Err()
		}
	}
}

// handle runs an event and those that came with it.
func (e *Engine) handle(event func()) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for {
		e.hear()
		event()
		select {
		case event = <-e.events:
		default:
			return
		}
	}
}

// drain waits for running calls to end; after grace it cancels them.
func (e *Engine) drain(grace time.Duration, cancel context.CancelFunc) {
	timer := time.AfterFunc(grace, contain.Callback(cancel))
	defer timer.Stop()
	for e.busy() {
		e.handle(<-e.events)
	}
}

func (e *Engine) busy() bool {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for _, all := range []map[unit.DriverName]int{e.running, e.recording} {
		for _, n := range all {
			if n > 0 {
				return true
			}
		}
	}
	return e.admitted.planning || e.forwarding.runs
}

// accept takes a revision that somebody asks for.
func (e *Engine) accept(r *Revision) {
	e.refusal = nil
	e.take(r)
}

// take makes loops of the units, and of what the inventory has beside them.
func (e *Engine) take(r *Revision) {
	e.records.dismiss()
	e.records = nil
	e.revision, e.nodes = r, plan.NodesOf(r.Units)
	e.settled, e.changed = false, true
	e.closing.begin(time.Now())
	wanted := map[addr.Object]bool{}
	for i := range r.Units {
		u := &r.Units[i]
		wanted[u.Address] = true
		l := e.loops[u.Address]
		if l == nil {
			l = newLoop(u.Address)
			e.loops[u.Address] = l
		}
		l.want(u)
	}
	for _, entry := range e.entries(r) {
		if !wanted[entry.Address] && e.loops[entry.Address] == nil {
			e.loops[entry.Address] = newLoop(entry.Address)
		}
	}
	for a, l := range e.loops {
		e.notAhead(l) // it counts for the revision before
		if !wanted[a] {
			l.want(nil)
		}
	}
	e.suspensions(e.Now())
	e.relocate()
	for a, l := range e.loops {
		if !wanted[a] {
			_, known := e.entry(a)
			if _, leaves := e.places.To[a]; !known && !leaves && !l.busy {
				delete(e.loops, a)
			}
		}
	}
	e.connect()
	e.lookAgain()
}

// lookAgain has everything observed, and then planned anew.
func (e *Engine) lookAgain() {
	if e.records != nil {
		e.records.resync = time.Time{}
		return
	}
	e.admitted.stale, e.changed = true, true
	e.looks++
	if e.Resync > 0 {
		e.resync = time.Now().Add(e.Resync)
	}
	e.looked()
	for _, l := range e.loops {
		l.stale, l.anew, l.dirty = true, true, true
		l.doubt()
		l.doubts, l.again = 0, time.Time{}
	}
	for _, driver := range e.Drivers {
		if d, ok := driver.(*contained); ok {
			d.retain(func(a addr.Object) bool { l := e.loops[a]; return l != nil && l.unit != nil })
		}
	}
}
