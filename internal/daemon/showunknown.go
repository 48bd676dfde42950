package daemon

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// reasonNoRevision is why it is not known of anything whether it is as it should be.
const reasonNoRevision = "NoRevision"

// showUnknown shows of all that is shown that it is not known how it stands, and why: without a revision nobody knows
// what is wanted, and nobody is to go by what a process before this one has seen. What was seen not to work is said to
// be so. It returns how much it had to write.
func showUnknown(ctx context.Context, board Board, why string, sightings []engine.Sighting) (wrote int, err error) {
	ctx, cancel := context.WithTimeout(ctx, showTimeout)
	defer cancel()
	shown, err := board.AllShown(ctx)
	if err != nil {
		return 0, fmt.Errorf("show how things stand: %w", err)
	}
	why = report.Line(board.Mask(why), mostShown)
	seen := map[unit.ObjectRef]engine.Sighting{}
	for _, s := range sightings {
		if kind, is := shownKinds()[s.Address.Kind()]; is {
			s.Why = board.Mask(s.Why)
			seen[unit.ShownRef(kind, s.Address.Name())] = s
		}
	}
	var places []place
	for ref, says := range shown {
		if says, doubtful := doubted(says, why, seen[ref]); doubtful {
			places = append(places, place{ref, says})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return strings.Compare(a.ref.String(), b.ref.String()) })
	return put(ctx, board, places, func(place, unit.Shown) {})
}

// shownKinds are the kinds that blocks on record are shown as.
func shownKinds() map[string]string {
	return map[string]string{"node": unit.KindShownNode, "service": unit.KindShownService}
}

// doubted is what is to be shown in place of what somebody has seen once, and how that was seen now, where it was. What
// was never said is not doubted, and neither is that a node has no block: nothing of that says that it works.
func doubted(says unit.Shown, why string, seen engine.Sighting) (doubt unit.Shown, doubtful bool) {
	var conditions []unit.ShownCondition
	fails := seen.Standing == engine.StandsFailed || seen.Standing == engine.StandsGone
	for _, c := range says.Conditions {
		switch {
		case !isOurs(c.Type):
		case c.Type == conditionReady && fails:
			conditions = append(conditions, unit.ShownCondition{Type: c.Type, Status: isFalse, Reason: statusFailed, Message: report.Line(seen.Why, mostShown)})
		default:
			conditions = append(conditions, unit.ShownCondition{Type: c.Type, Status: isUnknown, Reason: reasonNoRevision, Message: why})
		}
	}
	if len(conditions) == 0 || says.Status == compose.StatusUnmanaged {
		return says, false
	}
	says.Conditions, says.Message = conditions, why
	switch {
	case says.Status == "":
	case fails:
		says.Status, says.Message = statusFailed, report.Line(seen.Why, mostShown)
	default:
		says.Status = statusUnknown
	}
	if says.Phase != "" {
		says.Phase = compose.Phases()[0].Name // no service is known to be ready
	}
	return says, true
}

// isOurs tells whether we show a condition of that name.
func isOurs(name string) bool {
	return name == conditionReady || name == conditionReachable || name == conditionSmokeTest ||
		slices.ContainsFunc(compose.Phases(), func(p compose.Phase) bool { return name == p.Name+conditionReady })
}
