package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/contain"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// replanDelay is how much time lies between two plans at least.
const replanDelay = 2 * time.Second

// lookPatience is how long a plan waits for observations, and then for where instances run. What is not seen by then is unknown to it, so
// that an API which hangs holds back nothing but what lies behind it.
const lookPatience = 30 * time.Second

// planPatience is how long a plan that nobody acts on waits for each driver: Neutron may take the better part of
// that to list a large cloud.
const planPatience = time.Minute

// hostsAge is how old a plan may be by which something is done that depends on where instances run.
const hostsAge = time.Minute

// admission is the newest plan, and whether it still stands.
type admission struct {
	plan     *plan.Plan // without the changes by which nothing happens
	revision *Revision
	stale    bool // a new plan is needed
	// other tells that other suspensions hold than the plan was made with: nothing is destroyed by it any more.
	other    bool
	planning bool
	last     time.Time
	waits    time.Time // since when it waits for observations; zero: it does not
	told     string    // the revision that [Options.Admit] was told of last; "" where nobody knows which that is
	untold   int       // how often in a row it could not be told
	why      error     // of the last time
	again    time.Time // when it may be tried again after that
}

// refused tells why nothing may be applied.
func (a *admission) refused() diag.Diagnostics {
	if a.plan == nil {
		return nil
	}
	return a.plan.Refused
}

// allows tells whether a destroying change was admitted as it is now: the same action for the same
// fields.
func (a *admission) allows(c plan.Change) (ok bool, planned *plan.Change) {
	if a.plan == nil {
		return false, nil
	}
	planned = a.plan.Change(c.Address)
	return !a.other && planned != nil && planned.Action == c.Action && signature(planned.Fields) == signature(c.Fields), planned
}

// outdated tells whether instances may run somewhere else by now than where the plan has seen them, so that
// a change has to be admitted once more: it may have waited for others for a long time.
func (a *admission) outdated(c plan.Change) bool {
	return c.AsksHosts() && time.Since(a.last) > hostsAge
}

// condemned tells whether a loop's object is about to be replaced, so that its outputs will be
// others.
func (e *Engine) condemned(l *loop) bool {
	return l.unit != nil && !l.replaced && e.suspended(l.address) == nil && l.change.action == unit.ActionReplace && e.plans(l.address, unit.ActionReplace)
}

// plans tells whether the admitted plan has an action for an address.
func (e *Engine) plans(a addr.Object, action unit.Action) bool {
	if e.admitted.plan == nil || e.admitted.revision != e.revision {
		return false
	}
	planned := e.admitted.plan.Change(a)
	return planned != nil && planned.Action == action
}

// signature names a set of differences.
func signature(fields []unit.Field) string {
	var b strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&b, "%q=%q>%q\n", f.Path, f.Before, f.After)
	}
	return b.String()
}

// input collects what a plan follows from.
func (e *Engine) input(r *Revision, states map[addr.Object]*unit.State) plan.Input {
	compare := map[unit.DriverName]plan.Compare{}
	for name, driver := range e.Drivers {
		compare[name] = driver.Compare
	}
	return plan.Input{
		Language: e.Language, Units: r.Units, Removed: r.Removed, CleanUps: r.CleanUps, Moves: r.Moves, Imports: r.Imports, Removals: r.Removals, Deployment: r.Deployment, Ranges: r.Ranges,
		Recorded: e.Inventory.Deployment(), Uninstalled: e.Inventory.Uninstalled(), Entries: e.entries(r), Doubt: e.Inventory.Doubt(), Marker: e.Marker,
		States: states, Suspensions: e.held, Compare: compare, Hosts: plan.Hosts{None: true}, MaxDeletes: e.MaxDeletes, Now: time.Now(),
	}
}

// make makes a plan; only where that depends on where instances run are the hosts asked, once the compute services of
// the nodes that are due are disabled. Where due is nil nothing is. Where that panics, the plan is one that is refused:
// nothing is done by it, and the revision that was admitted before stays in force.
func (e *Engine) make(ctx context.Context, in plan.Input, due map[string]bool) (m counted) {
	var err error
	defer Contain(e.Log, "make a plan", &err, func() { m = counted{plan: plan.Crashed(err), tried: true} })
	m.plan = plan.Make(in)
	if e.Hosts == nil || !m.plan.AsksHosts() {
		return m
	}
	if e.Computes != nil && !m.plan.Refused.HasErrors() {
		m.leaving = m.plan.Leaving()
	}
	e.count(ctx, &in, &m, due)
	m.plan = plan.Make(in)
	if due != nil && e.closeOccupied(ctx, &in, &m) {
		m.plan = plan.Make(in)
	}
	return m
}

// Plan observes everything and tells what would be done for a revision. It changes nothing, and
// needs no [Engine.Run]. The error says what could not be observed, which an API is that does not answer
// within a minute; the plan stands all the same, and has those units as unknown. What cannot be seen
// because it is to be made first is no error.
func (e *Engine) Plan(ctx context.Context, r *Revision) (*plan.Plan, error) {
	targets := map[unit.DriverName][]unit.Target{}
	units := map[addr.Object]*unit.Unit{}
	for i := range r.Units {
		units[r.Units[i].Address] = &r.Units[i]
	}
	who := plan.Identity{Marker: e.Marker, Imports: r.Imports, Moves: r.Moves, Used: e.Inventory.UsesUID, Inventory: e.Inventory, CleanUps: r.CleanUps, Removals: r.Removals}
	moved := plan.Relocate(e.entries(r), r.Moves, func(a addr.Object) bool { return units[a] != nil })
	for i := range moved.Entries {
		entry := &moved.Entries[i]
		u := units[entry.Address]
		delete(units, entry.Address)
		t := who.Target(u, entry)
		targets[t.Locator.Driver] = append(targets[t.Locator.Driver], t)
	}
	for i := range r.Units {
		if u := &r.Units[i]; units[u.Address] != nil { // it has no entry yet
			targets[u.Spec.Driver()] = append(targets[u.Spec.Driver()], who.Target(u, nil))
		}
	}
	states, err := e.observeAll(ctx, targets)
	in := e.input(r, states)
	in.Suspensions = suspension.Standing(e.Now(), r.Suspensions, e.told)
	p := e.make(ctx, in, nil).plan
	p.Suspend(in.Suspensions, r.Moves)
	e.weigh(ctx, p, in)
	unseen := slices.ContainsFunc(p.Changes, func(c plan.Change) bool {
		state := in.Seen(c.Address)
		return (state.Existence == unit.Unknown || len(state.Unseen) > 0 && !c.Later) && c.Action != unit.ActionCreate && c.Action != unit.ActionImport
	})
	if !unseen {
		err = nil
	}
	return p, err
}

// weigh has the plan warn of quotas that it takes more of than there is.
func (e *Engine) weigh(ctx context.Context, p *plan.Plan, in plan.Input) {
	if e.Quotas == nil {
		return
	}
	demand := p.Demand(in)
	limits := demand.Limits()
	if len(limits) == 0 {
		return
	}
	limit := min(lookPatience, e.CallTimeout)
	if ends, ok := ctx.Deadline(); ok { // what is left is for what is done with the plan
		limit = min(limit, time.Until(ends)/2)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	quotas, err := e.Quotas(ctx, limits)
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("openstack did not tell all of its quotas within %s", limit.Round(time.Second))
	}
	p.Warnings = demand.Exceeded(quotas, err)
}

// target joins a unit with its entry.
func (e *Engine) target(u *unit.Unit, a addr.Object) unit.Target {
	entry, ok := e.entry(a)
	if !ok {
		return e.identity().Target(u, nil)
	}
	return e.identity().Target(u, &entry)
}

// identity is all that the inventory and the revision say of who units are. The result may be used by
// any goroutine.
func (e *Engine) identity() plan.Identity {
	r := e.revision
	return plan.Identity{Marker: e.Marker, Imports: r.Imports, Moves: r.Moves, Used: e.Inventory.UsesUID, Inventory: e.Inventory, Nodes: e.nodes, CleanUps: r.CleanUps, Removals: r.Removals}
}

// replan begins a new plan when one is due and everything was seen, or was waited for long enough. It
// returns when to ask again.
func (e *Engine) replan(calls context.Context) time.Duration {
	a := &e.admitted
	if !a.stale || a.planning || e.revision == nil {
		return forever
	}
	if slices.ContainsFunc(e.order, e.unseen) { // a plan is made of what is true now
		if a.waits.IsZero() {
			a.waits = time.Now()
		}
		if left := time.Until(a.waits.Add(lookPatience)); left > 0 {
			return left
		}
	}
	if wait := time.Until(a.last.Add(replanDelay)); wait > 0 && a.revision == e.revision {
		return wait
	}
	if wait := time.Until(a.again); wait > 0 {
		return wait
	}
	if !e.closing.notOpening() {
		return forever
	}
	a.stale, a.planning, a.last, a.waits = false, true, time.Now(), time.Time{}
	states := make(map[addr.Object]*unit.State, len(e.loops))
	for address, l := range e.loops {
		states[address] = l.state
		if l.unplanned = e.unseen(l); l.unplanned {
			states[address] = &unit.State{Message: "it is still being observed"}
		}
	}
	revision, in, due, told, protects := e.revision, e.input(e.revision, states), maps.Clone(e.closing.due), a.told, e.protects(e.revision)
	contain.Go(func() {
		m := e.make(calls, in, due)
		var err error
		if e.Admit != nil && !m.plan.Refused.HasErrors() && revision.ID != told {
			err = e.tell(calls, revision.ID, protects)
		}
		e.trust(calls, revision.ID, in, m.plan)
		e.events <- func() { e.admit(revision, m, in.Suspensions, err) }
	})
	return forever
}

// trust takes an inventory that is an older one as it is, once nothing is left in it that no block of the newest revision
// wants: one that is as old as the inventory has them all. That it stays in doubt after an error only holds back more.
func (e *Engine) trust(ctx context.Context, id string, in plan.Input, p *plan.Plan) {
	if !e.Inventory.Older() || e.Newest != nil && !e.Newest(id) || !p.Trusts(in.Entries, in.Units) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, e.CallTimeout)
	defer cancel()
	if err := e.Inventory.Trust(ctx); err != nil {
		e.Log.Warn().Err(err).Msg("the inventory stays in doubt")
	}
}

// Doubt has what the inventory has be planned anew, after what is known of its age has changed.
func (e *Engine) Doubt(ctx context.Context) error {
	return e.send(ctx, func() { e.admitted.stale = true })
}

// tell tells of a revision that is about to be admitted, once it is on record what must not be deleted by what comes after.
func (e *Engine) tell(ctx context.Context, id string, protects []addr.Object) error {
	ctx, cancel := context.WithTimeout(ctx, e.CallTimeout)
	defer cancel()
	if err := e.Inventory.Protect(ctx, protects); err != nil {
		return err
	}
	return e.Admit(ctx, id)
}

// untoldAtMost is how long a revision waits at most until it is tried again to tell of it.
const untoldAtMost = 15 * time.Second

// noted takes up whether a plan's revision was told of, which it has to be before anything is done by it.
func (e *Engine) noted(r *Revision, p *plan.Plan, err error) bool {
	a := &e.admitted
	switch {
	case err != nil:
		a.told = "" // whoever it was told to may know of it all the same, as where only the answer was lost
		a.untold, a.why = a.untold+1, err
		a.again = time.Now().Add(min(retryDelay(a.untold), untoldAtMost))
		a.stale = true
		e.Log.Warn().Str("revision", r.ID).Int("attempt", a.untold).Err(err).Msg("nothing is done by a revision before it is on record")
		return false
	case !p.Refused.HasErrors():
		a.told, a.untold, a.why, a.again = r.ID, 0, nil, time.Time{}
	}
	return true
}

// unseen tells whether the observation of a loop is on its way.
func (e *Engine) unseen(l *loop) bool { return l.looks || l.stale || !l.seen && !l.gated(e) }

// admit takes a finished plan. err says that nobody could be told of its revision, so that it has to wait.
func (e *Engine) admit(r *Revision, m counted, suspensions []suspension.Suspension, err error) {
	a, p := &e.admitted, m.plan
	a.planning = false
	if m.tried {
		e.closing.begin(time.Now()) // whichever plan is admitted
	}
	if !e.noted(r, p, err) {
		return
	}
	if r != e.revision {
		a.stale = true // a newer revision came meanwhile
		if e.Admit != nil && !p.Refused.HasErrors() {
			e.heed(r)
			e.good, e.changed = r, true // it is on record, and what comes after this process begins with it
		}
		return
	}
	e.changed = true
	// The last one that was admitted, with the facts as they are now where r brings that. What r was to fall back on
	// before it was admitted itself is older than it, and would take away what it has made.
	fallback := e.good
	if f := r.Fallback; f != nil && (fallback == nil || f.ID == fallback.ID) {
		fallback = f
	}
	if p.Refused.HasErrors() && fallback != nil && fallback != r {
		// The last one that was admitted stays in force.
		e.refusal = &refusal{revision: r.ID, diagnostics: p.Refused}
		e.take(fallback)
		return
	}
	if !p.Refused.HasErrors() {
		e.heed(r)
		e.good = r
	}
	p.Trim()
	e.closing.take(m)
	e.forwarding.due = true
	a.plan, a.revision, a.other = p, r, !slices.Equal(suspensions, e.held)
	for _, l := range e.loops {
		l.dirty, l.replaced = true, false
	}
}

// refusal is a revision that must not be applied.
type refusal struct {
	revision    string
	diagnostics diag.Diagnostics
}
