package plan

import (
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/inventory"
	"github.com/kupenstack/kupenstack-sync/internal/model"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// Input is everything that a plan follows from.
type Input struct {
	// Language is what units and what is on record were written in.
	Language *schema.Definition

	Units []unit.Unit
	// Removed are the services that the configuration says to uninstall.
	Removed map[addr.Object]bool
	// CleanUps is what goes with them.
	CleanUps map[addr.Object][]string
	// Uninstalled are the services that were taken away before, with what went along.
	Uninstalled map[addr.Object][]string
	// Moves, Imports and Removals are what the configuration says became of things on record.
	Moves    []model.Move
	Imports  Imports
	Removals Removals
	// Suspensions are those that hold: what is suspended stays as it is for what is made from it.
	Suspensions []suspension.Suspension

	// Deployment is what the configuration wants of the cloud as a whole, Ranges where it says so,
	// by the names of the attributes. Recorded is what was deployed, nil before the first time.
	Deployment inventory.Deployment
	Ranges     map[string]diag.Range
	Recorded   *inventory.Deployment

	Entries []inventory.Entry
	// Doubt says why entries may be of what is not ours to delete any more, see [inventory.Inventory.Doubt]; "" where
	// nothing speaks for that.
	Doubt   string
	Marker  inventory.Marker
	States  map[addr.Object]*unit.State // which nobody changes any more; see [Input.Seen]
	Compare map[unit.DriverName]Compare

	// Hosts tells how many instances run on a host, by the host's name.
	Hosts Hosts
	// Now is when the plan is made, by which it is known whether what failed may be healed again.
	Now time.Time
	// MaxDeletes is how many objects of a class may be deleted at once, but for those that removed blocks name.
	MaxDeletes Limits
}

// Seen returns the state of an address: unknown where there is none.
func (in *Input) Seen(a addr.Object) unit.State {
	if state := in.States[a]; state != nil {
		return *state
	}
	return unit.State{}
}

// Hosts is what is known of the instances on each host.
type Hosts struct {
	// None says that the cloud has no compute service that could have instances.
	None  bool
	Count map[string]int
	// Leaving are the nodes whose compute services are disabled before anything is taken from them, see [Plan.Leaving],
	// with the error where that failed.
	Leaving map[string]error
	// Err says why it is not known.
	Err error
}

// Plan is what is to happen.
type Plan struct {
	Changes []Change // by address; what stays as it is is among them
	// Refused says why nothing of the plan may be applied. It is empty for a plan that may.
	Refused diag.Diagnostics
	// Warnings are of what OpenStack is going to refuse, see [Demand.Exceeded]. They hold back nothing.
	Warnings diag.Diagnostics

	asks          bool              // see AsksHosts
	leaving       map[string]string // see Leaving
	occupiedNodes []string          // see Occupied
}

// Make returns the plan for a revision.
func Make(in Input) *Plan {
	m := &maker{places: make(map[addr.Object]place, len(in.Units)), uids: make(map[string]bool, len(in.Entries))}
	m.units(in.Units)
	moved := Relocate(in.Entries, in.Moves, func(a addr.Object) bool { return m.places[a].unit != nil })
	in.Entries = moved.Entries
	m.records(in.Entries)
	for i := range in.Entries {
		for _, uid := range in.Entries[i].UIDs() {
			m.uids[uid] = true
		}
	}
	m.Input = in
	m.identity = Identity{
		Marker: in.Marker, Imports: in.Imports, Moves: in.Moves, Used: func(uid string) bool { return m.uids[uid] }, Nodes: NodesOf(in.Units),
	}
	m.changes = make([]Change, 0, len(m.places))
	for i := range in.Units {
		m.decide(in.Units[i].Address)
	}
	for i := range in.Entries {
		a := in.Entries[i].Address
		if at := m.places[a]; at.unit == nil && at.change == nil {
			c := Departed(at.entry, in.Seen(a), in.Removals, in.Removed[a], in.CleanUps[a])
			if heir, ok := m.identity.Nodes.Heir(at.entry); ok {
				c = Inherited(at.entry, heir)
			}
			m.begin(c)
		}
	}
	p := &Plan{Changes: m.changes}
	for i := range p.Changes {
		p.Changes[i].move(moved)
	}
	slices.SortFunc(p.Changes, func(a, b Change) int { return a.Address.Compare(b.Address) })
	p.admit(&in)
	return p
}

// Change returns the change of an address, or nil.
func (p *Plan) Change(a addr.Object) *Change {
	i, ok := slices.BinarySearchFunc(p.Changes, a, func(c Change, a addr.Object) int { return c.Address.Compare(a) })
	if !ok {
		return nil
	}
	return &p.Changes[i]
}

// Trim drops the changes by which nothing happens and of which nothing is told: nobody asks a plan that is admitted for
// these, and there are about as many as units. [Plan.Change] returns nil for them from then on.
func (p *Plan) Trim() {
	told := func(c *Change) bool {
		return c.Action != unit.ActionNone || c.moves() || c.Drift || len(c.Mends) > 0 || c.NeedsAdmission()
	}
	n := 0
	for i := range p.Changes {
		if told(&p.Changes[i]) {
			n++
		}
	}
	kept := make([]Change, 0, n) // a list of its own, so that the memory of the long one is free
	for i := range p.Changes {
		if told(&p.Changes[i]) {
			kept = append(kept, p.Changes[i])
		}
	}
	p.Changes = kept
}

// Empty tells whether nothing has to change, and everything could be seen.
func (p *Plan) Empty() bool {
	return !slices.ContainsFunc(p.Changes, func(c Change) bool {
		return c.Action != unit.ActionNone || c.moves()
	}) && len(p.Refused) == 0
}

// Count returns how many changes have one of the actions.
func (p *Plan) Count(actions ...unit.Action) int {
	n := 0
	for i := range p.Changes {
		if slices.Contains(actions, p.Changes[i].Action) {
			n++
		}
	}
	return n
}

type maker struct {
	Input
	places   map[addr.Object]place
	uids     map[string]bool // that entries have
	identity Identity
	// changes has room for one of each place from the start, as these refer to them: there may be very many, and they
	// are large.
	changes []Change
}

// place is what there is of an address; nil is what there is not.
type place struct {
	unit   *unit.Unit
	entry  *inventory.Entry
	change *Change
}

// units puts units in their places.
func (m *maker) units(units []unit.Unit) {
	for i := range units {
		at := m.places[units[i].Address]
		at.unit = &units[i]
		m.places[units[i].Address] = at
	}
}

// records puts entries in their places.
func (m *maker) records(entries []inventory.Entry) {
	for i := range entries {
		at := m.places[entries[i].Address]
		at.entry = &entries[i]
		m.places[entries[i].Address] = at
	}
}

// begin puts a change in its place.
func (m *maker) begin(c Change) *Change {
	m.changes = append(m.changes, c)
	at := m.places[c.Address]
	at.change = &m.changes[len(m.changes)-1]
	m.places[c.Address] = at
	return at.change
}

// decide plans one unit after those that it depends on.
func (m *maker) decide(a addr.Object) *Change {
	at := m.places[a]
	if at.change != nil {
		return at.change
	}
	u, entry := at.unit, at.entry
	c := m.begin(Change{Address: a, Class: u.Class, Kind: u.Spec.Locator().Kind, Range: u.Range}) // the graph has no cycles; should it have one, this ends it
	waitsFor := m.missing(u)
	state := m.Seen(a)
	if state.Existence == unit.Unknown && entry == nil && !waitsFor.IsZero() {
		// Nobody can have made it yet: what it lives in is not there.
		c.Action, c.Reason = unit.ActionCreate, "once "+waitsFor.String()+" is there"
		if _, imported := m.Imports[a]; imported {
			c.Action = unit.ActionImport
		}
		return c
	}
	revealed := Revealed(u, state)
	desired, diags := Desired(revealed, func(to addr.Object) cty.Value { return m.outputs(to) })
	if diags.HasErrors() {
		c.Action, c.Reason = unit.ActionBlocked, diags[0].Summary
		return c
	}
	target := m.identity.Target(u, entry)
	target.Triggers = Triggers(revealed, m.outputs, m.Marker)
	target.Sensitive = Sensitive(desired, m.Marker)
	target.Renewed = Renewed(target.Sensitive, entry)
	target.Lost = Lost(u, m.entry)
	Heal(&target, u, entry, desired, m.Now)
	decided := Decide(u, entry, target, desired, state, m.Compare[u.Spec.Driver()])
	if mending, ok := decided.Mending(); ok && decided.Held() {
		decided = mending
	}
	m.foresee(&decided, u, desired)
	m.complete(&decided, u, state)
	decided.comes(u, state, waitsFor)
	m.succeed(&decided, u, entry)
	decided.linger(entry)
	decided.Tell(state)
	*c = decided
	return c
}

// entry returns what is on record of a unit.
func (m *maker) entry(a addr.Object) (inventory.Entry, bool) {
	if entry := m.places[a].entry; entry != nil {
		return *entry, true
	}
	return inventory.Entry{}, false
}

// missing returns something that the unit needs, directly or through others, and that does not
// exist yet; the zero address when all is there.
func (m *maker) missing(u *unit.Unit) addr.Object {
	for _, e := range u.Edges {
		if e.Gate != unit.GateStart || e.Until == unit.Gone || m.places[e.To].unit == nil {
			continue
		}
		c := m.decide(e.To)
		if c.Action == unit.ActionCreate || c.Action == unit.ActionDeferred || c.Action == unit.ActionImport && m.Seen(e.To).Existence != unit.Present {
			return e.To
		}
	}
	return addr.Object{}
}

// Foreign tells whether what was seen in a unit's place is somebody else's: it is not adopted yet, and may
// never be, so that nothing may be made from it. What is only looked up is always somebody else's.
func Foreign(u *unit.Unit, state unit.State) bool {
	if u == nil || u.Spec.Driver() != unit.OpenStack || state.Existence != unit.Present || state.ID == "" {
		return false
	}
	r, ok := u.Spec.(*unit.Resource)
	return !state.Owned && (!ok || !r.Lookup)
}

// outputs returns what is known of a unit that stays as it is; what is replaced has new ones, unless that waits for
// the end of a suspension.
func (m *maker) outputs(a addr.Object) cty.Value {
	if m.places[a].unit == nil {
		return cty.NilVal
	}
	if c := m.decide(a); c.Action == unit.ActionCreate || c.Action == unit.ActionReplace && Suspended(m.Suspensions, m.Moves, a) == nil {
		return cty.NilVal
	} else if c.Action == unit.ActionBlocked && Foreign(m.places[a].unit, m.Seen(a)) {
		return cty.NilVal
	}
	return m.Seen(a).Outputs
}
