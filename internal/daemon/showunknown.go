package daemon

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/compose"
	"github.com/kupenstack/kupenstack-sync/internal/report"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// reasonNoRevision is why nothing is known of anything.
const reasonNoRevision = "NoRevision"

// showUnknown shows of all that is shown that it is not known how it stands, and why: without a revision nothing is
// observed, and nobody is to go by what a process before this one has seen. It returns how much it had to write.
func showUnknown(ctx context.Context, board Board, why string) (wrote int, err error) {
	ctx, cancel := context.WithTimeout(ctx, showTimeout)
	defer cancel()
	shown, err := board.AllShown(ctx)
	if err != nil {
		return 0, fmt.Errorf("show how things stand: %w", err)
	}
	var places []place
	for ref, says := range shown {
		if says, doubtful := doubted(says, report.Line(why, mostShown)); doubtful {
			places = append(places, place{ref, says})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return strings.Compare(a.ref.String(), b.ref.String()) })
	return put(ctx, board, places)
}

// doubted is what is to be shown in place of what somebody has seen once. What was never said is not doubted, and
// neither is that a node has no block: nothing of that says that it works.
func doubted(says unit.Shown, why string) (doubt unit.Shown, doubtful bool) {
	var conditions []unit.ShownCondition
	for _, c := range says.Conditions {
		if isOurs(c.Type) {
			conditions = append(conditions, unit.ShownCondition{Type: c.Type, Status: isUnknown, Reason: reasonNoRevision, Message: why})
		}
	}
	if len(conditions) == 0 || says.Status == compose.StatusUnmanaged {
		return says, false
	}
	says.Conditions, says.Message = conditions, why
	if says.Status != "" {
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
