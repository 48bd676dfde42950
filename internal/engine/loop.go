package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// Phase is where a loop stands.
type Phase string

// The phases.
const (
	PhaseWaiting     Phase = "waiting"     // for other units
	PhaseReconciling Phase = "reconciling" // a call is running, or about to
	PhaseProgressing Phase = "progressing" // begun, and not ready yet
	PhaseReady       Phase = "ready"
	PhaseFailed      Phase = "failed"    // tried again later
	PhaseBlocked     Phase = "blocked"   // until a person changes something
	PhaseSuspended   Phase = "suspended" // left alone, with something to be done
	PhaseDeleting    Phase = "deleting"
	PhaseKept        Phase = "kept" // no longer in the configuration, and left alone
	PhaseGone        Phase = "gone"
)

// askAgain is why a loop waits for a new plan whose change was admitted by an old one.
const askAgain = "instances may run there by now"

// closesFirst is why a loop waits for one that counts the instances on its node anew.
const closesFirst = "its compute service is disabled first"

// forThePlan is why a loop waits that nothing was decided for yet under the newest revision.
const forThePlan = "for the plan"

// loop is one unit's state machine. Only the engine's own goroutine touches it.
type loop struct {
	address addr.Object
	unit    *unit.Unit // nil when it is no longer wanted

	// state is not changed but replaced, as a plan may be made of it meanwhile.
	state *unit.State
	asked string // see [unit.Target.Asked]

	// There are as many loops as objects: what takes little stands together, so that it takes no more.
	seen  bool // state was observed at least once
	stale bool // the state has to be observed again
	anew  bool // as if nothing was known from before
	dirty bool // a decision is due
	busy  bool // a call of the driver is running
	looks bool // that call is an observation
	// queued says that it waits for another call of the driver to end.
	queued bool
	lane   lane // that it waits in
	ahead  bool // and is on record already, see [Engine.recordsAhead]
	// unplanned says that the newest plan was made without an observation that was on its way.
	unplanned bool
	heard     bool // something happened to what it refers to since it was refused
	unsent    bool // the last call of a driver failed as nothing may be written any more
	served    bool // what depends on it was told that it works while it is worked on
	altered   bool // something was done to it since it was ready last
	prevents  bool // the last revision in force that had it says that it must not be deleted
	forgotten bool // it goes from the record alone
	replaced  bool // the deletion that the newest plan admitted for its replacement was done

	phase    Phase
	reason   string
	waits    []addr.Object // what it waits for
	change   noted
	attempts int       // failed steps in a row
	blind    int       // failed observations in a row
	replans  int       // new plans in a row that did not settle what to do
	polls    int       // observations in a row that changed nothing
	wake     time.Time // when to go on by itself; zero: never
	guard    guard
	driver   unit.DriverName // of its last call beside observations
	since    int             // what that driver had done when the call began
	stepped  int             // what it had done when a step of this loop was done last, that one included
	doubts   int             // how often what was refused is tried again as others have done something
	again    time.Time       // when that may be the next time
	counted  string          // the step of it that counted last, see [Engine.stepped]
	failed   unit.Action     // of the step that failed last; "" for none, or where that was to record how it is
	mending  *mending        // nil while there is nothing to it
	decided  decided         // by the last decision
	healed   string          // how often it was healed, for people
	former   former
	turn     time.Time // since when a network node waits to change its slot; zero: it does not
	opens    []string  // slots that nodes were told of last, see [unit.State.Opens]
	unserved []string  // services that were not asked for their parts of what was seen last
	lacks    []string  // services whose parts could not be seen while all else is as it should be; nil: else
	did      []unit.Action
	found    []unit.Field // drift that is being repaired
	drift    []unit.Field // what was found and repaired in this revision, the newest first
	mended   int          // how often that was
}

func newLoop(a addr.Object) *loop { return &loop{address: a, state: &unit.State{}} }

// noted is what of the change that was decided on is asked for later. There are as many as loops, and the whole is large.
type noted struct {
	action        unit.Action
	class         unit.Class
	kind          string
	fields, mends []unit.Field
	reason, cost  string
	drift         bool
	serves        bool
	repairs       bool // something was changed or deleted outside, failed by itself, or was deleted to be made again
}

func noteOf(c plan.Change) noted {
	return noted{
		action: c.Action, class: c.Class, kind: c.Kind, fields: c.Fields, mends: c.Mends, reason: c.Reason, cost: c.Cost,
		drift: c.Drift, serves: c.Serves, repairs: len(c.Mends) > 0 || c.Drift || c.Heals || c.Lost || c.Again,
	}
}

// decided is what of the target of a decision is asked for later. There are as many as loops, and the whole is large.
type decided struct {
	complete  bool
	triggers  []string
	sensitive map[string]string
}

// target is what of the target of the last decision counts for the record.
func (d decided) target() unit.Target {
	return unit.Target{Complete: d.complete, Triggers: d.triggers, Sensitive: d.sensitive}
}

// want gives the loop a unit, or nil. Retry counters begin anew when what is wanted changed.
func (l *loop) want(u *unit.Unit) {
	if l.unit == nil || u == nil || l.unit.Spec.Digest() != u.Spec.Digest() {
		l.attempts, l.wake, l.guard, l.failed, l.mending = 0, time.Time{}, guard{}, "", nil
		l.asked = ""
	}
	l.replans, l.guard.refused, l.former = 0, "", former{left: l.former.left}
	l.doubts, l.again = 0, time.Time{}
	if l.mending != nil {
		l.mending.guard.refused = ""
	}
	l.unit = u
	l.did, l.found, l.drift, l.lacks = nil, nil, nil, nil
	l.stale, l.dirty = true, true
}

// retry has the loop go on at once, as if nothing had failed or been refused so far. asked names the request.
func (l *loop) retry(asked string) {
	l.asked = cmp.Or(asked, l.asked)
	l.attempts, l.blind, l.replans, l.polls, l.wake = 0, 0, 0, 0, time.Time{}
	l.guard, l.failed, l.mending = guard{}, "", nil
	l.former = former{left: l.former.left}
	l.doubts, l.again = 0, time.Time{}
	l.stale, l.anew, l.dirty = true, true, true
}

// due has the loop look again when the time has come to go on by itself.
func (l *loop) due(now time.Time) {
	if !l.wake.IsZero() && !now.Before(l.wake) {
		l.wake, l.dirty, l.stale = time.Time{}, true, true
	}
	if m := l.mending; m != nil && !m.wake.IsZero() && !now.Before(m.wake) {
		m.wake, l.dirty, l.stale = time.Time{}, true, true
	}
}

// set moves the loop to a phase and tells whether anything changed that others can see.
func (l *loop) set(phase Phase, reason string, waits ...addr.Object) bool {
	changed := l.phase != phase || l.reason != reason || len(l.waits) != len(waits)
	for i := range waits {
		changed = changed || l.waits[i] != waits[i]
	}
	l.phase, l.reason, l.waits = phase, reason, waits
	return changed
}

// waitsFor moves the loop to where something goes on that was begun.
func (l *loop) waitsFor(reason string) bool {
	l.guard.calm()
	l.attempts = 0
	l.wake = time.Now().Add(pollDelay(l.state.After, l.polls))
	return l.set(PhaseProgressing, reason)
}

// tries moves the loop to the phase of a step, unless that was refused before and is only tried once more:
// then it stays blocked for those who look, until the answer is another one.
func (l *loop) tries(step string, phase Phase, reason string) bool {
	if l.retries(step) {
		return false
	}
	return l.set(phase, reason)
}

// retries tells whether a step is one that was refused before.
func (l *loop) retries(step string) bool {
	return l.phase == PhaseBlocked && step != "" && step == l.guard.doubted
}

// meets tells whether what an edge waits for holds.
func (l *loop) meets(e unit.Edge) bool {
	switch e.Until {
	case unit.Installed:
		return l.state.Existence == unit.Present && l.state.Installed
	case unit.Ready:
		return l.phase == PhaseReady || l.serves() || l.phase == PhaseSuspended && l.state.Ready() || e.Part != "" && l.lacks != nil && !slices.Contains(l.lacks, e.Part)
	case unit.Gone:
		return l.state.Gone()
	default:
		return false
	}
}

// serves tells whether what is there works, whatever is still done about it.
func (l *loop) serves() bool { return l.change.serves && l.unit != nil && l.state.Ready() }

// dim tells whether an object exists of which a part could not be seen.
func (l *loop) dim() bool { return l.state.Existence == unit.Present && len(l.state.Unseen) > 0 }

// foreign tells whether what was seen is somebody else's, see [plan.Foreign].
func (l *loop) foreign() bool { return plan.Foreign(l.unit, *l.state) }

// resting tells whether the next attempt has to wait after a failed one.
func (l *loop) resting(now time.Time) bool {
	return now.Before(l.wake) && (l.blinded() || l.phase == PhaseFailed && (l.attempts > 0 || l.blind > 0 || l.guard.paused))
}

// blinded tells whether the loop cannot be observed for as long as what it waits for does not work.
func (l *loop) blinded() bool { return l.phase == PhaseWaiting && l.blind > 0 }

// inVain is how often in a row the same was done in vain, whatever of it that was most often: the next step, an observation,
// what is put back beside that, and the deletion of what was replaced.
func (l *loop) inVain() int {
	most := max(l.attempts, l.former.attempts, l.guard.vain)
	if m := l.mending; m != nil {
		most = max(most, m.attempts, m.guard.vain)
	}
	if l.dim() && l.phase == PhaseWaiting { // to observe it has not failed
		return most
	}
	return max(most, l.blind)
}

// final tells whether the loop moves no more by itself, as far as a single pass is concerned.
func (l *loop) final() bool {
	if l.busy || l.dirty {
		return false
	}
	switch l.phase {
	case PhaseReady:
		return !l.former.going
	case PhaseBlocked, PhaseSuspended, PhaseKept, PhaseGone:
		return true
	case PhaseFailed:
		return l.attempts >= maxAttempts || l.former.attempts >= maxAttempts || l.blind >= maxAttempts || l.guard.paused || l.state.Health == unit.HealthFailed
	case PhaseWaiting:
		return l.change.action == unit.ActionDeferred && l.polls >= maxAttempts
	default:
		return false
	}
}

// done notes what was done in this revision; steps of one change count once.
func (l *loop) done(a unit.Action) {
	if n := len(l.did); n == 0 || l.did[n-1] != a {
		l.did = append(l.did, a)
	}
}

// repairs notes the drift that a step begins to repair. The steps that end it may not show that any more:
// what was deleted for it, or could not be created at once, is created like anything new. What was lost
// together with what it lay in is made for another one of that, and what that was is no news.
func (l *loop) repairs(c plan.Change) {
	switch {
	case c.Lost && !c.Drift:
		l.found = []unit.Field{{After: c.Reason}}
	case !c.Drift:
	case len(c.Fields) == 0:
		l.found = []unit.Field{{After: c.Reason}}
	default:
		l.found = c.Fields
	}
}

// maxRepaired is how many differences are remembered of a unit that is repaired again and again.
const maxRepaired = 20

// repaired notes that what was begun has come to its end. The newest difference of a path counts, and comes
// before those of earlier repairs.
func (l *loop) repaired() {
	if l.found == nil {
		return
	}
	all := slices.Clone(l.found)
	for _, f := range l.drift {
		if len(all) < maxRepaired && !slices.ContainsFunc(l.found, func(newer unit.Field) bool { return newer.Path == f.Path }) {
			all = append(all, f)
		}
	}
	l.found, l.drift = nil, all
	l.mended++
}

// waitForPlan asks for a new plan, but not for ever.
func (l *loop) waitForPlan(a *admission, why string) bool {
	if l.replans++; l.replans > maxReplans {
		return l.set(PhaseBlocked, "what it takes changes from plan to plan: "+why)
	}
	a.stale = true
	return l.set(PhaseWaiting, "for a new plan: "+why)
}

// polled tells whether the loop was observed only because time passed.
func (l *loop) polled() bool {
	switch l.phase {
	case PhaseProgressing, PhaseDeleting:
		return true
	case PhaseFailed:
		return l.state.Health == unit.HealthFailed
	case PhaseWaiting:
		return l.change.action == unit.ActionDeferred
	default:
		return false
	}
}
