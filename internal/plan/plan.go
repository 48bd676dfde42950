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
)

// Input is everything that a plan follows from.
type Input struct {
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
	Marker  inventory.Marker
	States  map[addr.Object]unit.State
	Compare map[unit.DriverName]Compare

	// Hosts tells how many instances run on a host, by the host's name.
	Hosts Hosts
	// Now is when the plan is made, by which it is known whether what failed may be healed again.
	Now time.Time
	// MaxDeletes is how many objects of a class may be deleted at once, but for those that removed blocks name.
	MaxDeletes Limits
}

// Hosts is what is known of the instances on each host.
type Hosts struct {
	// None says that the cloud has no compute service that could have instances.
	None  bool
	Count map[string]int
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

	asks bool // see AsksHosts
}

// Make returns the plan for a revision.
func Make(in Input) *Plan {
	m := &maker{units: map[addr.Object]*unit.Unit{}, entries: map[addr.Object]*inventory.Entry{}, uids: map[string]bool{}, changes: map[addr.Object]*Change{}}
	for i := range in.Units {
		m.units[in.Units[i].Address] = &in.Units[i]
	}
	moved := Relocate(in.Entries, in.Moves, func(a addr.Object) bool { return m.units[a] != nil })
	in.Entries = moved.Entries
	for i := range in.Entries {
		m.entries[in.Entries[i].Address] = &in.Entries[i]
		for _, uid := range in.Entries[i].UIDs() {
			m.uids[uid] = true
		}
	}
	m.Input = in
	m.identity = Identity{
		Marker: in.Marker, Imports: in.Imports, Moves: in.Moves, Used: func(uid string) bool { return m.uids[uid] }, Nodes: NodesOf(in.Units),
	}
	for a := range m.units {
		m.decide(a)
	}
	for a, entry := range m.entries {
		if m.units[a] == nil {
			c := Departed(entry, in.States[a], in.Removals, in.Removed[a], in.CleanUps[a])
			if heir, ok := m.identity.Nodes.Heir(entry); ok {
				c = Inherited(entry, heir)
			}
			m.changes[a] = &c
		}
	}
	p := &Plan{Changes: make([]Change, 0, len(m.changes))}
	for _, c := range m.changes {
		c.move(moved)
		p.Changes = append(p.Changes, *c)
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
	units    map[addr.Object]*unit.Unit
	entries  map[addr.Object]*inventory.Entry
	uids     map[string]bool // that entries have
	identity Identity
	changes  map[addr.Object]*Change
}

// decide plans one unit after those that it depends on.
func (m *maker) decide(a addr.Object) *Change {
	if c := m.changes[a]; c != nil {
		return c
	}
	u, entry := m.units[a], m.entries[a]
	c := &Change{Address: a, Class: u.Class, Kind: u.Spec.Locator().Kind, Range: u.Range}
	m.changes[a] = c // the graph has no cycles; should it have one, this ends it
	waitsFor := m.missing(u)
	state := m.States[a]
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
	m.succeed(&decided, u, entry)
	decided.linger(entry)
	*c = decided
	return c
}

// entry returns what is on record of a unit.
func (m *maker) entry(a addr.Object) (inventory.Entry, bool) {
	if entry := m.entries[a]; entry != nil {
		return *entry, true
	}
	return inventory.Entry{}, false
}

// missing returns something that the unit needs, directly or through others, and that does not
// exist yet; the zero address when all is there.
func (m *maker) missing(u *unit.Unit) addr.Object {
	for _, e := range u.Edges {
		if e.Gate != unit.GateStart || e.Until == unit.Gone || m.units[e.To] == nil {
			continue
		}
		c := m.decide(e.To)
		if c.Action == unit.ActionCreate || c.Action == unit.ActionDeferred || c.Action == unit.ActionImport && m.States[e.To].Existence != unit.Present {
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
	if m.units[a] == nil {
		return cty.NilVal
	}
	if c := m.decide(a); c.Action == unit.ActionCreate || c.Action == unit.ActionReplace && Suspended(m.Suspensions, m.Moves, a) == nil {
		return cty.NilVal
	} else if c.Action == unit.ActionBlocked && Foreign(m.units[a], m.States[a]) {
		return cty.NilVal
	}
	return m.States[a].Outputs
}
