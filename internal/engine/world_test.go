package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
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
		return o.unsigned && o.fields["name"] == t.Before.Of && !slices.Contains(t.Before.IDs, o.id) && !slices.Contains(t.Taken, o.id)
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

// fake is a driver of one name.
type fake struct {
	name  unit.DriverName
	world *world
}

func (f fake) Observe(ctx context.Context, targets []unit.Target) (map[addr.Object]unit.State, error) {
	f.world.mutex.Lock()
	f.world.looks++
	f.world.observed[f.name]++
	f.world.spend(f.name)
	f.world.mutex.Unlock()
	hangs := func(t unit.Target) bool { return f.world.hangs(t.Address.String()) }
	if f.world.hangs(string(f.name)) || slices.ContainsFunc(targets, hangs) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	f.world.mutex.Lock()
	defer f.world.mutex.Unlock()
	if f.world.hidden[string(f.name)] {
		return nil, fmt.Errorf("%s does not answer", f.name)
	}
	states := map[addr.Object]unit.State{}
	var failure error
	for _, t := range targets {
		if t.Anew {
			f.world.anew[t.Address.String()] = true
		}
		if t.Locator.Kind == unit.KindObjects {
			states[t.Address] = f.world.setState(t)
			continue
		}
		if err := f.world.fails("observe", t.Address); err != nil || f.world.hidden[t.Address.String()] {
			failure = errors.Join(fmt.Errorf("%s cannot be seen", t.Address), err)
			continue
		}
		o := f.world.find(t)
		if o != nil && o.left > 0 && o.steps == 0 {
			o.left--
		}
		if o != nil && o.fading {
			if o.fades--; o.fades <= 0 {
				f.world.objects = slices.DeleteFunc(f.world.objects, func(other *object) bool { return other == o })
				f.world.trace = append(f.world.trace, "delete "+named(t.Address, o))
				o = nil
			}
		}
		s := f.world.state(o, t)
		if wanted, ok := t.Spec.(*spec); ok && wanted.unsigned {
			s.Before = &unit.Before{Of: wanted.fields["name"]}
			for _, other := range f.world.objects {
				if other != o && other.fields["name"] == wanted.fields["name"] {
					s.Before.IDs = append(s.Before.IDs, other.id)
				}
			}
		}
		if wanted, ok := t.Spec.(*spec); ok && o == nil && wanted.fields["name"] != "" {
			for _, other := range f.world.objects {
				if other.mark != "" && other.fields["name"] == wanted.fields["name"] {
					s.Marked = append(s.Marked, unit.Marked{Name: other.id, Mark: other.mark})
				}
			}
		}
		s.Data = f.world.taken(t)
		states[t.Address] = s
	}
	return states, failure
}

// unseen are the services that keep parts of a target that cannot be seen.
func (w *world) unseen(t unit.Target) []string {
	wanted, ok := t.Spec.(*spec)
	if !ok {
		return nil
	}
	services := slices.Compact(slices.Sorted(maps.Values(wanted.parts)))
	return slices.DeleteFunc(services, func(service string) bool {
		return !w.hidden[service] && (t.Complete || !slices.Contains(t.Unserved, service))
	})
}

func (w *world) state(o *object, t unit.Target) unit.State {
	if o == nil {
		return unit.State{Existence: unit.Absent}
	}
	seen := *o
	seen.fields, seen.force = maps.Clone(o.fields), maps.Clone(o.force)
	s := unit.State{Existence: unit.Present, Installed: o.steps == 0, ID: o.id, Mark: o.mark, Owned: bears(o, t), Notice: o.notice, Observed: &seen}
	if o.fields[unit.NetworkLabel] != "" || o.fields[unit.ComputeLabel] != "" {
		s.Labels = slices.DeleteFunc(slices.Collect(maps.Keys(o.fields)), func(key string) bool { return o.fields[key] == "no" })
	}
	if wanted, ok := t.Spec.(*spec); ok && !maps.Equal(o.fields, wanted.fields) {
		s.Opens = wanted.opens
	}
	s.Project = o.fields["project"]
	outputs := map[string]cty.Value{"id": cty.StringVal(o.id)}
	for name, value := range o.fields {
		outputs[name] = cty.StringVal(value)
	}
	s.Outputs = cty.ObjectVal(outputs)
	switch {
	case o.broken != "":
		s.Health, s.Message = unit.HealthFailed, o.broken
	case o.going > 0, o.fading:
		s.Health, s.Message = unit.HealthProgressing, "is being deleted"
	case o.left > 0 || o.steps > 0:
		s.Health, s.Message = unit.HealthProgressing, "is starting"
	default:
		s.Health = unit.HealthReady
	}
	for _, name := range t.CleanUp {
		if clash := w.clashes["stuck:"+t.Address.String()]; clash != nil && w.at(addr.MustParseObject(clash[0])) != nil {
			by := t.Locator
			by.Name = addr.MustParseObject(clash[0]).Name()
			s.Stuck = map[string]unit.Stuck{name: {Why: clash[0] + " uses it as well", By: []unit.Locator{by}}}
		}
	}
	if s.Unseen = w.unseen(t); len(s.Unseen) > 0 {
		s.Message = fmt.Sprint("what these keep cannot be seen: ", s.Unseen)
	}
	return s
}

// wantedOf is what is wanted of a target. A resource has one field, which refers to another unit.
func wantedOf(t unit.Target, desired cty.Value) *spec {
	switch s := t.Spec.(type) {
	case *spec:
		return s
	case *unit.Resource:
		text := unit.TextUnknown
		if desired.IsKnown() {
			text = desired.AsString()
		}
		wanted := &spec{fields: map[string]string{"ref": text}}
		if s.Kind == "server" || s.Kind == "guest" || s.Kind == "lodger" {
			wanted.replace = []string{"ref"} // they cannot follow
		}
		return wanted
	default:
		panic("what is it?")
	}
}

func (f fake) Compare(t unit.Target, desired cty.Value, s unit.State) unit.Diff {
	if r, ok := t.Spec.(*unit.Resource); ok && r.Lookup {
		if !desired.IsKnown() {
			return unit.Diff{Action: unit.ActionDeferred, Reason: "what it is searched by is not known yet"}
		}
		if s.Existence == unit.Absent {
			return unit.Diff{Action: unit.ActionBlocked, Reason: "nothing matches"}
		}
		return unit.Diff{Action: unit.ActionNone}
	}
	if set, ok := t.Spec.(*unit.Objects); ok {
		return compareSet(t, set, s)
	}
	wanted := wantedOf(t, desired)
	if s.Existence == unit.Absent {
		if t.Imports() {
			return unit.Diff{Action: unit.ActionBlocked, Reason: "there is no " + cmp.Or(t.Import, "such object")}
		}
		return unit.Diff{Action: unit.ActionCreate}
	}
	o := s.Observed.(*object)
	if t.Imports() && !s.Owned && o.mark != "" {
		return unit.Diff{Action: unit.ActionBlocked, Reason: "it is somebody else's"}
	}
	if o.strange {
		return unit.Diff{Action: unit.ActionBlocked, Reason: "it is somebody else's"}
	}
	if !s.Owned && !t.Imported {
		return unit.Diff{Action: unit.ActionAdopt}
	}
	d := unit.Diff{Action: unit.ActionNone}
	if o.fading {
		return d
	}
	held := o.held
	for _, name := range slices.Sorted(maps.Keys(wanted.fields)) {
		if slices.Contains(wanted.mends, name) && o.fields[name] != o.force[name] {
			d.Mends = append(d.Mends, unit.Field{Path: name, Before: o.fields[name], After: o.force[name]})
			if o.force[name] == wanted.fields[name] {
				continue
			}
		}
		if wanted.fields[name] == unit.TextUnknown && t.Locator.Kind == "lodger" {
			continue // as drivers decide: it may well turn out to be what is there
		}
		if o.fields[name] == wanted.fields[name] || slices.Contains(s.Unseen, wanted.parts[name]) {
			continue
		}
		lost := slices.Contains(t.Lost[wanted.fields[name]], o.fields[name])
		if lost && (t.Locator.Kind == "guest" || t.Locator.Kind == "lodger") {
			continue // guests go on with what they were made from
		}
		field := unit.Field{Path: pathOf(t, name), Before: o.fields[name], After: wanted.fields[name]}
		if d.Action == unit.ActionNone {
			d.Action = unit.ActionUpdate
		}
		if slices.Contains(wanted.replace, name) {
			field.Effect, d.Action = unit.Replace, unit.ActionReplace
			if lost {
				held = "what it is in was lost"
			}
		}
		d.Fields = append(d.Fields, field)
	}
	if o.broken != "" && wanted.heal != "" && d.Action == unit.ActionNone {
		d = unit.Diff{Action: wanted.heal, Heals: true, Reason: o.broken, Cost: "its disk", Fields: []unit.Field{{Path: "heal", Before: "broken", After: string(wanted.heal)}}}
	}
	if d.Action == unit.ActionNone && len(d.Mends) > 0 {
		d.Action, d.Fields = unit.ActionUpdate, d.Mends // nothing else is to be done
	}
	if d.Action == unit.ActionUpdate && len(wanted.stops) > 0 {
		d.Stops = []unit.Stop{{Object: unit.ObjectRef{Kind: "DaemonSet", Name: t.Locator.Name}, Why: "is deleted", Nodes: wanted.stops}}
	}
	if d.Action == unit.ActionNone && o.steps > 0 {
		d.Action, d.Reason = unit.ActionUpdate, fmt.Sprintf("%d steps to go", o.steps)
	}
	switch {
	case d.Action != unit.ActionNone && held != "":
		d.Action, d.Fields, d.Reason = unit.ActionBlocked, nil, held
	case d.Action != unit.ActionNone && o.waits != "":
		d.Waits, d.Continues, d.Reason = true, true, o.waits
	case d.Action != unit.ActionNone && o.busy != "":
		d.Waits, d.Reason = true, o.busy
	case d.Action == unit.ActionNone && o.rolls != "":
		d = unit.Diff{Action: unit.ActionRestart, Continues: true, Serves: true, Waits: true, Reason: o.rolls}
	case d.Action == unit.ActionNone && d.Mends != nil: // there is nothing else
		d.Action, d.Fields, d.Mends = unit.ActionUpdate, d.Mends, nil
	}
	if d.Action == unit.ActionNone && len(s.Unseen) > 0 {
		d.Action, d.Reason = unit.ActionUnknown, s.Message
	}
	return d
}

// pathOf is what a driver calls a field: those of nodes are labels.
func pathOf(t unit.Target, name string) string {
	if t.Locator.Kind != unit.KindNode {
		return name
	}
	if name == "role" {
		name = unit.ComputeLabel
	}
	return "metadata.labels." + name
}

func (f fake) Apply(ctx context.Context, t unit.Target, desired cty.Value, s unit.State) (unit.State, error) {
	if t.Locator.Kind == unit.KindObjects {
		return f.world.stepSet(ctx, t, s)
	}
	act, op := f.apply, "apply"
	if t.Mend {
		act, op = f.mend, "mend"
	}
	f.world.mutex.Lock()
	f.world.attempted[t.Address.String()] = t.Attempted
	f.world.asked[t.Address.String()] = t.Asked != ""
	f.world.mutex.Unlock()
	doing, err := f.begin(ctx, op, t)
	if err != nil {
		return s, err
	}
	if wanted, ok := t.Spec.(*spec); ok {
		if err := f.grant(ctx, wanted.fields["project"]); err != nil {
			return s, cmp.Or(f.end(ctx, doing, t.Address, failed), err)
		}
	}
	f.world.mutex.Lock()
	next, err := act(t, desired)
	how := made
	if err != nil {
		how = failed
	} else {
		delete(f.world.givenUp, t.Address.String())
	}
	f.world.mutex.Unlock()
	if dead := f.end(ctx, doing, t.Address, how); dead != nil {
		return s, dead
	}
	return next, err
}

// begin is what comes before a call changes anything. It tells what the call is about to do, see [columns].
func (f fake) begin(ctx context.Context, op string, t unit.Target) (doing string, err error) {
	if err := f.world.point(ctx); err != nil {
		return "", err
	}
	w, a := f.world, t.Address
	w.mutex.Lock()
	doing = w.witness.doing(op, t, w.find(t) != nil)
	w.witness.begins(doing, a)
	w.calls++
	w.tried[a.String()]++
	w.spend(f.name)
	w.running++
	w.most = max(w.most, w.running)
	hold := w.holds[a.String()]
	w.mutex.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
		}
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if err = w.fails(op, a); err != nil {
		w.witness.fails(doing, a)
	}
	if w.displaced {
		err = unit.ErrNotWriter
		w.witness.notes(isDisplaced, doing, a)
	}
	if reason := cmp.Or(w.blocked[a.String()], w.blocked[op+":"+a.String()]); reason != "" {
		err = unit.Blocked(reason)
	}
	if w.givenUp[a.String()] && t.Asked == "" {
		err = unit.Blocked("it was given up")
	}
	for _, clash := range [][]string{w.clashes[a.String()], w.clashes[op+":"+a.String()]} {
		if clash == nil {
			continue
		}
		other := w.at(addr.MustParseObject(clash[0]))
		if other != nil && (len(clash) < 3 || other.fields[clash[1]] == clash[2]) {
			err = unit.Blocked(clash[0] + " has its place")
		}
	}
	if id := w.fast[a.String()]; id != "" && op == "delete" && slices.ContainsFunc(w.objects, func(o *object) bool { return o.id == id }) {
		err = &unit.FollowsError{With: id, Err: errors.New("it is held fast")}
	}
	if err != nil {
		w.running--
		w.witness.ends(doing, a, failed)
	}
	return doing, err
}

func (f fake) end(ctx context.Context, doing string, a addr.Object, how outcome) error {
	f.world.mutex.Lock()
	f.world.running--
	f.world.witness.ends(doing, a, how)
	f.world.mutex.Unlock()
	return f.world.point(ctx)
}

// mend puts back what is in force.
func (f fake) mend(t unit.Target, desired cty.Value) (unit.State, error) {
	w, wanted := f.world, wantedOf(t, desired)
	o := w.find(t)
	if o == nil {
		return w.state(o, t), errors.New("there is nothing to put back")
	}
	for _, name := range wanted.mends {
		if !wanted.stubborn {
			o.fields[name] = o.force[name]
		}
	}
	w.trace = append(w.trace, "mend "+named(t.Address, o))
	return w.state(o, t), nil
}

func (f fake) apply(t unit.Target, desired cty.Value) (unit.State, error) {
	w, wanted := f.world, wantedOf(t, desired)
	o := w.find(t)
	op := "update"
	switch {
	case o == nil && w.mayCome(t):
		return w.state(o, t), &unit.RetryError{After: time.Until(w.until[t.Address.String()]), Err: errLate}
	case o == nil:
		o = &object{address: t.Address, host: hostOf(t), mark: t.Mark, fields: maps.Clone(wanted.fields), left: wanted.slow, steps: wanted.install}
		if f.name == unit.OpenStack {
			w.lastID++
			o.id = fmt.Sprintf("id%d", w.lastID)
		}
		if wanted.unsigned {
			o.mark, o.unsigned = "", true
		}
		o.broken = wanted.ill
		for field := range wanted.parts {
			delete(o.fields, field) // it follows
		}
		if later, ok := w.late[t.Address.String()]; ok {
			w.comes(o, later)
			return w.state(nil, t), errors.New("nobody answered in time")
		}
		w.objects = append(w.objects, o)
		op = "create"
	case o.strange:
		return w.state(o, t), nil // it was not seen before
	case !bears(o, t):
		o.mark, o.disowned, op = t.Mark, false, "adopt"
	case o.steps > 0 && holds(o.fields, wanted.fields):
		o.steps--
		op = "step"
	case o.broken != "" && wanted.heal == unit.ActionUpdate && holds(o.fields, wanted.fields):
		o.broken, op = wanted.ill, "heal"
	case !wanted.stubborn:
		for name, value := range wanted.fields {
			if slices.Contains(w.unseen(t), wanted.parts[name]) {
				continue
			}
			if slices.Contains(wanted.replace, name) && o.fields[name] != value {
				return w.state(o, t), fmt.Errorf("%s cannot be changed in place", name)
			}
			o.fields[name] = value
		}
	}
	o.force = maps.Clone(o.fields)
	w.trace = append(w.trace, op+" "+named(t.Address, o))
	return w.state(o, t), nil
}

// holds tells whether an object has the wanted fields.
func holds(have, wanted map[string]string) bool {
	for name, value := range wanted {
		if have[name] != value {
			return false
		}
	}
	return true
}

func (f fake) Delete(ctx context.Context, t unit.Target, s unit.State) (unit.State, error) {
	if t.Locator.Kind == unit.KindObjects {
		return f.world.deleteSet(ctx, t, s)
	}
	doing, err := f.begin(ctx, "delete", t)
	if err != nil {
		return s, err
	}
	w := f.world
	w.mutex.Lock()
	var failure error
	how := deleted
	next := unit.State{Existence: unit.Absent, CleanedUp: t.CleanUp}
	t.Spec = nil // what goes is what is on record
	if w.takeClaim(t) {
		next = w.state(w.find(t), t)
		next.Existence, next.Health = unit.Present, unit.HealthProgressing
	} else if o := w.find(t); o != nil && (o.mark == t.Mark || o.host != "" && !o.disowned || o.unsigned && bears(o, t)) {
		if o.going > 0 {
			o.going--
			if o.going > 0 {
				next = w.state(o, t)
			}
		}
		if o.fades > 0 {
			o.fading = true
			next = w.state(o, t)
		} else if o.going == 0 {
			w.objects = slices.DeleteFunc(w.objects, func(other *object) bool { return other == o })
			w.trace = append(w.trace, strings.Join(append([]string{"delete " + named(t.Address, o)}, t.CleanUp...), " and "))
		}
	} else if o == nil && w.mayCome(t) {
		how = failed
		next, failure = s, &unit.RetryError{After: time.Until(w.until[t.Address.String()]), Err: errLate}
	} else if o == nil && w.astray(t) {
		how = failed
		next, failure = s, unit.Blocked("something has come since")
	}
	w.mutex.Unlock()
	if err := f.end(ctx, doing, t.Address, how); err != nil {
		return s, err
	}
	return next, failure
}

// snapshot returns the objects as "address field=value", sorted.
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
