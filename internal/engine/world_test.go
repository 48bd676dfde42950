package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/budget"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// spec is what a scenario wants of a unit.
type spec struct {
	driver     unit.DriverName
	kind, name string
	fields     map[string]string
	replace    []string // fields that cannot change in place
	slow       int      // observations until it is ready
	install    int      // further steps after the creation until it is installed
	keep       bool
	mends      []string          // fields that are put back to what is in force whatever else is to be done
	unsigned   bool              // its objects bear no mark, and others may have the same name
	stubborn   bool              // its fields never take a new value
	opens      []string          // slots that there is a DaemonSet for only after an update
	parts      map[string]string // fields that a service keeps, and not what keeps the rest
	heal       unit.Action       // what it is healed by when it is broken
	ill        string            // how one that was made or healed is broken at once
	stops      []string          // nodes on which an update ends pods of a DaemonSet
	agents     []string          // nodes that it has pods on
}

func (s *spec) Driver() unit.DriverName { return s.driver }

func (s *spec) Locator() unit.Locator {
	return unit.Locator{Driver: s.driver, Kind: s.kind, Name: s.name, Keep: s.keep}
}

func (s *spec) Nodes() []string { return s.agents }

func (s *spec) Digest() string { return fmt.Sprint(s.fields) } // fmt sorts maps

// object is something in the world.
type object struct {
	address  addr.Object
	host     string // of a node, which is there under any address
	disowned bool   // a node's labels are nobody's any more
	id, mark string
	unsigned bool // it bears no mark
	fields   map[string]string
	left     int // observations until it is ready
	steps    int // steps until it is installed
	going    int // steps until it is gone
	fades    int // observations until it is gone, once a step has begun that
	fading   bool
	broken   string
	force    map[string]string // what was applied last
	held     string            // why nothing more can be applied
	waits    string            // what was begun, and goes on by itself
	busy     string            // why it takes no changes for now
	notice   string            // what somebody should see to
	rolls    string            // how far what it consists of is replaced, while it works
	strange  bool              // it is somebody else's, is found by its address alone, and cannot be adopted
}

// world is what the fake drivers look at and change. It outlives engines.
type world struct {
	mutex   sync.Mutex
	objects []*object
	sets    sets
	lastID  int
	trace   []string // calls that changed the world
	calls   int      // all calls of Apply and Delete
	looks   int      // all calls of Observe
	opens   int      // how often compute services were to be enabled

	observed  map[unit.DriverName]int // calls of Observe that were not counted yet
	anew      map[string]bool         // addresses that were to be observed as if nothing was known, and not checked yet
	budgets   map[unit.DriverName]*budget.Budget
	claims    map[addr.Object][]unit.Claim // to volumes of services
	failures  map[string]int               // "apply a.b" fails that often
	blocked   map[string]string            // what needs a person, and why
	clashes   map[string][]string          // addresses of what is refused while another is there, or has a field with a value
	fast      map[string]string            // addresses of what is not deleted by itself, and the id of what it goes with
	tried     map[string]int               // calls of Apply and Delete for an address that were not counted yet
	hidden    map[string]bool              // addresses, drivers and services with parts that cannot be observed
	hanging   map[string]bool              // drivers and units of which an observation is never answered; "hosts" for where instances run
	crashing  map[string]bool              // what panics
	holds     map[string]chan struct{}
	displaced bool // another process is in charge: no request that changes something is sent
	running   int  // calls of Apply and Delete that run now
	most      int

	asked     map[string]bool             // addresses, whose last step was told of a request
	givenUp   map[string]bool             // addresses of what is refused until a step is told of a request, whatever process it is of
	attempted map[string]bool             // addresses, as the last step knew of an attempt before it
	late      map[string]time.Duration    // addresses of what the next request that creates it is given up for, and how much later it comes
	until     map[string]time.Time        // until when such a one may come
	inventory func() *inventory.Inventory // of the process that runs
	roles     map[string]bool             // projects that the drivers' user has a role in
	computes  map[string]*compute         // services of Nova, by their hosts

	witness *witness // of what comes between; nil: nobody asks

	points int // how often something could have been killed so far
	kill   int // at which of these points
	killed chan struct{}
}

func newWorld() *world {
	return &world{
		sets:    sets{},
		budgets: map[unit.DriverName]*budget.Budget{}, claims: map[addr.Object][]unit.Claim{}, failures: map[string]int{}, blocked: map[string]string{}, hidden: map[string]bool{}, hanging: map[string]bool{}, crashing: map[string]bool{},
		holds: map[string]chan struct{}{}, killed: make(chan struct{}),
		observed: map[unit.DriverName]int{}, anew: map[string]bool{}, roles: map[string]bool{"theirs": true}, asked: map[string]bool{}, givenUp: map[string]bool{}, attempted: map[string]bool{}, clashes: map[string][]string{}, fast: map[string]string{}, tried: map[string]int{}, computes: map[string]*compute{}, late: map[string]time.Duration{}, until: map[string]time.Time{},
	}
}

var errKilled = errors.New("the process is dead")

// point is a place where the process may be killed; a killed one stays so.
func (w *world) point(ctx context.Context) error {
	w.mutex.Lock()
	w.points++
	dead := w.points == w.kill
	w.mutex.Unlock()
	if dead {
		close(w.killed)
	}
	select {
	case <-w.killed:
		<-ctx.Done()
		return errKilled
	default:
		return nil
	}
}

// revive is the start of a new process.
func (w *world) revive() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.kill, w.killed, w.displaced = 0, make(chan struct{}), false
}

func (w *world) isDisplaced() bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.displaced
}

func (w *world) called() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.calls
}

// spend counts a call of a driver as one request.
func (w *world) spend(name unit.DriverName) {
	if b := w.budgets[name]; b != nil {
		b.Spend()
	}
}

// wait is how long calls of a driver have to wait for its budget.
func (w *world) wait(name unit.DriverName) time.Duration {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if b := w.budgets[name]; b != nil {
		return b.Wait()
	}
	return 0
}

// labelled are the nodes that have labels.
func (w *world) labelled() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var hosts []string
	for _, o := range w.objects {
		if o.host != "" && !o.disowned {
			hosts = append(hosts, o.host)
		}
	}
	return hosts
}

func (w *world) hangs(what string) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.hanging[what]
}

// crashes is the like for what panics.
func (w *world) crashes(what string) bool {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.crashing[what]
}

func (w *world) find(t unit.Target) *object {
	for _, o := range w.objects {
		if o.host != "" || t.Locator.Kind == unit.KindNode {
			if o.host == hostOf(t) {
				return o
			}
			continue
		}
		if o.unsigned {
			if wanted, ok := t.Spec.(*spec); o.id == t.ID || t.ID == "" && ok && o.fields["name"] == wanted.fields["name"] && bears(o, t) {
				return o
			}
			continue
		}
		// What has ids is found by its id, and by the mark only while the id is not known: an address
		// is none of its business.
		if o.strange && t.ID == "" && o.address == t.Address {
			return o
		}
		if t.ImportBy != cty.NilVal && o.fields["name"] == t.ImportBy.GetAttr("name").AsString() {
			return o
		}
		if o.id == "" && o.address == t.Address || o.id != "" && (o.id == t.ID || t.ID == "" && (bears(o, t) || o.id == t.Import)) {
			return o
		}
	}
	return nil
}

// astray tells whether something has come since an attempt to create what bears no mark, which nobody has on record.
func (w *world) astray(t unit.Target) bool {
	return t.ID == "" && t.Before != nil && slices.ContainsFunc(w.objects, func(o *object) bool {
		return o.unsigned && o.fields["name"] == t.Before.Of && !slices.Contains(t.Before.IDs, o.id) && (t.Taken == nil || !t.Taken(o.id))
	})
}

// bears tells whether an object has one of the marks of a target. Nodes have none: labels are ours,
// whichever unit set them.
func bears(o *object, t unit.Target) bool {
	if o.unsigned { // what has come since it was to be created
		return o.id == t.ID || t.ID == "" && t.Before != nil && !slices.Contains(t.Before.IDs, o.id)
	}
	return o.host != "" && !o.disowned || o.mark == t.Mark || slices.Contains(t.Marks, o.mark)
}

func (w *world) fails(op string, a addr.Object) error {
	key := op + " " + a.String()
	if n := w.failures[key]; n > 0 {
		w.failures[key]--
		return errors.New(op + " went wrong")
	}
	return nil
}

// list returns the objects as "address field=value", sorted.
func (w *world) list() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	var list []string
	for _, o := range w.objects {
		list = append(list, named(o.address, o))
	}
	slices.Sort(list)
	return list
}

// takeTrace returns the trace since the last time.
func (w *world) takeTrace() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	trace := w.trace
	w.trace = nil
	return trace
}

func (w *world) at(a addr.Object) *object {
	for _, o := range w.objects {
		if o.address == a {
			return o
		}
	}
	return nil
}

const callTimeout = 5 * time.Minute
