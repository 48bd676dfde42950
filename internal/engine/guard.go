package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// guard keeps a loop from doing the same thing over and over: what a driver refused, a step that
// leads nowhere, a difference that somebody else makes again each time.
type guard struct {
	step  string // the step that was taken last
	steps int    // how often in a row, each time from the same state

	refused string // the step that a driver said needs a person first
	why     string
	// doubted is a step that was refused and may be possible by now. Until that is known it counts as
	// refused for those who look.
	doubted string

	begun  bool // a difference is being removed
	fight  string
	fights int // how often that one came back
	since  time.Time

	paused bool // the next step waits
}

// calm notes that no difference is left.
func (g *guard) calm() { g.begun, g.paused, g.step, g.steps = false, false, "", 0 }

// doubt lets the step that was refused be tried once more.
func (g *guard) doubt() {
	if g.refused != "" {
		g.doubted, g.refused = g.refused, ""
	}
}

// stepOf names a step together with what it begins from.
func stepOf(c plan.Change, s unit.State) string {
	return fmt.Sprintf("%s|%s|%s|%s|%s|%t|%s|%s|%q", c.Action, signature(c.Fields), c.Reason,
		s.Existence, s.Health, s.Installed, s.ID, s.Message, s.Details)
}

// finding says what keeps a difference from going away.
func (g *guard) finding(c plan.Change, difference string) string {
	what := orText(c.Reason, string(c.Action))
	switch {
	case !g.undone(difference):
		if len(c.Fields) > 0 {
			what = paths(c.Fields)
		}
		return "it was tried several times and had no effect that lasts: " + what
	case len(c.Fields) == 0:
		return "somebody else undoes it each time: " + what
	default:
		return fmt.Sprintf("%s changes %s back each time", writers(c.Fields), paths(c.Fields))
	}
}

// writers names who changes fields, as far as that is known of all of them.
func writers(fields []unit.Field) string {
	var names []string
	for _, f := range fields {
		if f.By == "" {
			return "somebody else"
		}
		names = append(names, strconv.Quote(f.By))
	}
	slices.Sort(names)
	return "the field manager " + strings.Join(slices.Compact(names), " or ")
}

// undone tells whether a difference was gone each time and came back: only then somebody else made it.
func (g *guard) undone(difference string) bool { return difference != "" && g.fights >= maxSame }

// pause counts a step that is about to be taken, and tells how long it has to wait instead: not at
// all, until the same thing was done several times. After a pause one more attempt is allowed.
// difference is "" for a step that goes on with what was begun: nobody can have undone that.
func (g *guard) pause(step, difference string, now time.Time) time.Duration {
	switch {
	case !g.begun:
		switch {
		case difference == "":
		case difference == g.fight && now.Sub(g.since) < fightWindow:
			g.fights++
		default:
			g.fight, g.fights = difference, 0
		}
		g.begun, g.since, g.steps = true, now, 0
	case g.paused:
	case step == g.step:
		g.steps++
	default:
		g.steps = 0
	}
	g.step = step
	n := g.steps
	if difference != "" {
		n = max(n, g.fights)
	}
	if n < maxSame || g.paused {
		g.paused = false
		return 0
	}
	g.paused = true
	return retryDelay(n)
}
