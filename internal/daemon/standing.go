package daemon

import (
	"slices"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// How something stands that is shown.
const (
	statusReady       = "Ready"       // it is as its block says, and works
	statusDisabled    = "Disabled"    // its block takes it out of the cloud, and that is done
	statusProgressing = "Progressing" // it is on its way to that
	statusWaiting     = "Waiting"     // it waits for something else
	statusFailed      = "Failed"      // something went wrong, and is tried again
	statusBlocked     = "Blocked"     // it stands still until somebody changes something
	statusSuspended   = "Suspended"   // it is left alone for now
	statusUnknown     = "Unknown"     // it cannot be observed
	statusMissing     = "Missing"     // the cluster has no such node
)

// What conditions say.
const (
	conditionReady     = "Ready"
	conditionSmokeTest = "SmokeTest"    // of a cloud that is tested
	conditionReachable = "APIReachable" // of services with an API that is asked
	isTrue             = "True"
	isFalse            = "False"
	isUnknown          = "Unknown"
)

// mostShown is how many characters of a reason are shown.
const mostShown = 1024

// standing is how something stands; the zero one is not known.
type standing struct {
	status  string
	message string
	api     unit.Answer // of what is behind it
}

// standingOf is how a unit stands that is wanted.
func standingOf(u *engine.UnitStatus) standing {
	switch {
	case u == nil:
		return standing{}
	case !u.Decided && u.Phase == engine.PhaseFailed: // it, or what was seen of it last, says nothing of now
		return standing{status: statusUnknown, message: report.Why(u, mostShown)}
	case !u.Decided:
		return standing{}
	default:
		return standing{status: statusOf(u.Phase), message: report.Why(u, mostShown), api: u.API}
	}
}

func statusOf(phase engine.Phase) string {
	switch phase {
	case engine.PhaseReady:
		return statusReady
	case engine.PhaseFailed:
		return statusFailed
	case engine.PhaseBlocked:
		return statusBlocked
	case engine.PhaseSuspended:
		return statusSuspended
	case engine.PhaseWaiting:
		return statusWaiting
	default:
		return statusProgressing
	}
}

// ready is what the condition of that name says.
func (s standing) ready() string {
	switch s.status {
	case statusReady:
		return isTrue
	case statusUnknown:
		return isUnknown
	default:
		return isFalse
	}
}

// says is what is shown of it.
func (s standing) says() unit.Shown {
	says := unit.Shown{
		Status: s.status, Message: s.message,
		Conditions: []unit.ShownCondition{{Type: conditionReady, Status: s.ready(), Reason: s.status, Message: s.message}},
	}
	c := unit.ShownCondition{Type: conditionReachable, Message: report.Line(s.api.String(), mostShown)}
	switch s.api.Reach {
	case unit.ReachAnswers:
		c.Status, c.Reason = isTrue, "Answers"
	case unit.ReachRefuses:
		c.Status, c.Reason = isFalse, "NotWorking"
	case unit.ReachUnknown:
		c.Status, c.Reason = isUnknown, "NotReached"
	case unit.ReachUnasked:
		c.Status, c.Reason = isUnknown, "NotAsked"
	case unit.ReachNone:
		return says
	}
	says.Conditions = append(says.Conditions, c)
	return says
}

// dated returns what is to be shown with the times of its conditions: one that says what is shown already keeps
// its time, so that nothing is written while nothing changes. same tells that all of it is shown already. What
// else somebody has put there does not count.
func dated(before, says unit.Shown, now time.Time) (dated unit.Shown, same bool) {
	was := map[string]unit.ShownCondition{}
	for _, c := range before.Conditions {
		was[c.Type] = c
	}
	says.Conditions = slices.Clone(says.Conditions)
	slices.SortFunc(says.Conditions, func(a, b unit.ShownCondition) int { return strings.Compare(a.Type, b.Type) })
	same = before.Status == says.Status && before.Message == says.Message && before.Phase == says.Phase && before.Revision == says.Revision
	for i := range says.Conditions {
		c := &says.Conditions[i]
		old := was[c.Type]
		c.Since = now.UTC().Format(time.RFC3339)
		if since, err := time.Parse(time.RFC3339, old.Since); err == nil && old.Status == c.Status && !since.After(now) {
			c.Since = old.Since
		}
		same = same && *c == old
	}
	return says, same
}
