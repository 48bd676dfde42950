package engine

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Snapshot is how things stand at one moment.
type Snapshot struct {
	Revision string
	// Admitted tells that Revision has a plan that may be applied.
	Admitted bool
	// InForce is the newest revision that had such a plan, be it Revision or not; "" before the first.
	InForce string
	// Refused says why RefusedRevision is not applied. That is Revision itself when none before it
	// was admitted; else the last one that was stays in force.
	Refused         diag.Diagnostics
	RefusedRevision string
	// Settled tells that nothing is going on and nothing more will by itself.
	Settled bool
	Units   []UnitStatus // by address
	// Sightings are of what is on record, by address, for as long as there is no Revision.
	Sightings []Sighting
	// Suspensions are those that hold, in order.
	Suspensions []suspension.Suspension
	// Grants are the roles that our user has given itself.
	Grants []unit.Grant
	// Blind says what keeps units from being observed: each cause once.
	Blind []string
	// Unseen tells that units on record cannot be observed while they wait for what serves their API.
	Unseen bool
	// Looks is how often everything has been observed anew since the engine was made.
	Looks int
}

// UnitStatus is how one unit stands.
type UnitStatus struct {
	Address addr.Object
	Class   unit.Class
	Kind    string
	Phase   Phase
	Reason  string
	// Decided tells that the phase follows from the admitted plan of the snapshot's revision and from
	// what was seen since. Else it is what was left of another revision, or it is not known how the
	// unit stands.
	Decided bool
	Waits   []addr.Object // for these
	Causes  []addr.Object // the failed or blocked units at the root of the waiting
	Action  unit.Action   // what is to be done
	Fields  []unit.Field  // what differs now
	Cost    string
	Drift   bool         // the differences come from outside
	Healed  []unit.Field // drift that was repaired in this revision, the newest first
	Mended  int          // how often drift was repaired, in this process
	Did     []unit.Action
	Edges   []unit.Edge
	ID      string
	Details []string
	// Release is where a Helm release stands, "" for anything else.
	Release unit.ReleaseState
	// API is what is known of the API behind a release.
	API unit.Answer
	// Attempts that failed in a row, or had no effect that lasts: the most of any one thing.
	Attempts int
	Range    diag.Range
}

// InForce returns the newest revision that was admitted, as [Snapshot] has it, at little cost.
func (e *Engine) InForce() string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.good == nil {
		return ""
	}
	return e.good.ID
}

// Wants tells whether a revision was submitted, so that there is something that a request could be about.
func (e *Engine) Wants() bool {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.revision != nil
}

// Snapshot returns how things stand.
func (e *Engine) Snapshot() Snapshot {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	s := Snapshot{Settled: e.settled, Looks: e.looks}
	if e.revision == nil {
		s.Sightings = e.sightings()
		return s
	}
	s.Revision, s.Suspensions, s.Grants = e.revision.ID, slices.Clone(e.held), e.Inventory.Grants()
	if e.good != nil {
		s.InForce = e.good.ID
	}
	s.Admitted = e.admitted.revision == e.revision && len(e.admitted.refused()) == 0
	switch {
	case e.refusal != nil:
		s.Refused, s.RefusedRevision = e.refusal.diagnostics, e.refusal.revision
	case e.admitted.revision == e.revision && len(e.admitted.refused()) > 0:
		s.Refused, s.RefusedRevision = e.admitted.refused(), e.revision.ID
	}
	s.Units = make([]UnitStatus, 0, len(e.order))
	blind := map[string]bool{} // one for each thing where all of a server's answers are refusals
	for _, l := range e.order {
		u := e.status(l)
		u.Decided = u.Decided && s.Admitted
		s.Units = append(s.Units, u)
		if l.blind > 0 && l.phase == PhaseFailed {
			blind[l.reason] = true
		}
		s.Unseen = s.Unseen || l.blinded() && !l.gated(e) && (l.decided.complete || !l.dim())
	}
	s.Blind = slices.AppendSeq(e.unasked(), maps.Keys(blind))
	slices.Sort(s.Blind)
	return s
}

func (e *Engine) status(l *loop) UnitStatus {
	s := UnitStatus{
		Address: l.address, Phase: l.phase, Reason: l.reason, Waits: slices.Clone(l.waits), Did: slices.Clone(l.did),
		Healed: l.drift, Mended: l.mended, ID: l.state.ID, Details: l.state.Details, Attempts: l.inVain(), Action: l.change.action,
		Release: l.state.Release, API: l.state.API,
	}
	if l.unit != nil {
		s.Class, s.Kind, s.Edges, s.Range = l.unit.Class, l.unit.Spec.Locator().Kind, l.unit.Edges, l.unit.Range
	} else if entry, ok := e.Inventory.Entry(l.address); ok {
		s.Class, s.Kind = entry.Class, entry.Locator.Kind
	} else {
		s.Class, s.Kind = l.change.class, l.change.kind
	}
	s.Decided = l.unit != nil && l.blind == 0 && l.phase != "" && (l.phase != PhaseWaiting || l.reason != forThePlan)
	if l.foreign() {
		s.ID = ""
	}
	if l.healed != "" {
		s.Details = append(slices.Clone(s.Details), l.healed)
	}
	if l.phase == "" {
		s.Phase, s.Reason = PhaseWaiting, "to be observed"
	}
	e.tellBudget(l, &s)
	// While a change is under way its differences are those that were decided on; when it is
	// there, none is left.
	if l.phase != PhaseReady || l.change.drift {
		s.Fields, s.Cost, s.Drift = l.change.fields, l.change.cost, l.change.drift
	}
	if len(l.change.mends) > 0 && len(s.Fields) == 0 {
		s.Fields, s.Drift = l.change.mends, true
	}
	if m := l.mending; m != nil && m.why != "" && m.why != s.Reason {
		s.Reason += "; what was changed outside stays so: " + m.why
	}
	notice := l.state.Notice
	if l.address == novaAddress() {
		notice = cmp.Or(notice, e.untoldComputes())
	}
	switch {
	case notice == "":
	case s.Phase != PhaseReady:
		s.Details = append(slices.Clone(s.Details), notice)
	case s.Reason == "":
		s.Reason = notice
	default:
		s.Reason = notice + "; " + s.Reason
	}
	if len(l.waits) > 0 {
		s.Causes = e.causes(l)
	}
	return s
}
