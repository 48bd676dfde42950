package engine

import (
	"fmt"
	"hash/fnv"
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
	holder  *loop // of what is in the way of that, nil where it is not known or not ours
	// doubted is a step that was refused and may be possible by now. Until that is known it counts as
	// refused for those who look.
	doubted string

	begun  bool    // a difference is being removed
	fights []fight // of what was removed of late
	nth    int     // how often fights were counted

	paused bool // the next step waits
	vain   int  // how often that was done before without an effect that lasts, until there is one
}

// fight is how often one thing that we make so came back as a difference, each time within the window after our last
// step against it. Each field counts by itself: who changes several in turn undoes each of them, and who changes one that
// nobody has touched of late undoes nothing.
type fight struct {
	over  uint64 // see [contested]; 0 for all that found no room
	times int
	last  time.Time
	nth   int // when it was counted last
}

// calm notes that no difference is left.
func (g *guard) calm() { g.begun, g.paused, g.vain, g.step, g.steps = false, false, 0, "", 0 }

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
func (g *guard) finding(c plan.Change) string {
	undone := slices.DeleteFunc(slices.Clone(c.Fields), func(f unit.Field) bool { return !g.undone(fieldKey(f)) })
	what := orText(c.Reason, string(c.Action))
	switch {
	case c.Continues || !slices.ContainsFunc(contested(c), g.undone):
		if len(c.Fields) > 0 {
			what = paths(c.Fields)
		}
		if by := writers(c.Fields); by != unknown { // who may be so fast that nobody has seen it as it should be
			what += "; " + by + " wrote last"
		}
		return "it was tried several times and had no effect that lasts: " + what
	case len(undone) == 0:
		return "somebody else undoes it each time: " + what
	default:
		return fmt.Sprintf("%s changes %s back each time%s", writers(undone), paths(undone), beside(undone))
	}
}

// unknown stands for who is no field manager, or did what leaves no trace.
const unknown = "somebody else"

// writers names who changes fields, as far as that is known.
func writers(fields []unit.Field) string {
	var names []string
	for _, f := range fields {
		if f.By != "" {
			names = append(names, strconv.Quote(f.By))
		}
	}
	if len(names) == 0 {
		return unknown
	}
	all := len(names) == len(fields)
	slices.Sort(names)
	names = slices.Compact(names)
	if !all {
		names = append(names, unknown)
	}
	return "the field manager " + strings.Join(names, " or ")
}

// beside names who may have changed those fields whose writers are not known.
func beside(fields []unit.Field) string {
	var names []string
	for _, f := range fields {
		if f.By == "" && f.Beside != "" && !slices.Contains(names, f.Beside) {
			names = append(names, f.Beside)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; who takes something away leaves no name, and the last to write to the object beside us were " + strings.Join(names, ", ")
}

// contested names what a step makes of an object, whatever that has instead: who undoes it may write another value each
// time. The names are short, as they are kept for a while.
func contested(c plan.Change) []uint64 {
	if c.Action == unit.ActionCreate || len(c.Fields) == 0 {
		return []uint64{key(string(c.Action))}
	}
	var keys []uint64
	for _, f := range c.Fields {
		keys = append(keys, fieldKey(f))
	}
	return keys
}

func fieldKey(f unit.Field) uint64 { return key(fmt.Sprintf("%q>%q", f.Path, f.After)) }

func key(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// fought returns where a fight over something is, or -1. Once there are very many, all others count as one: who changes
// something else each time, without an end, fights as well.
func (g *guard) fought(over uint64) int {
	i := slices.IndexFunc(g.fights, func(f fight) bool { return f.over == over })
	if i < 0 && len(g.fights) >= maxFights {
		i = slices.IndexFunc(g.fights, func(f fight) bool { return f.over == 0 })
	}
	return i
}

// undone tells whether something was gone each time and came back: only then somebody else made it.
func (g *guard) undone(over uint64) bool {
	i := g.fought(over)
	return i >= 0 && g.fights[i].times >= maxSame
}

// meet counts what a step is about to make as it should be, and returns how often the most contested of it came back.
// What the step before was about as well has not gone since, but for a difference that begins anew.
func (g *guard) meet(keys []uint64, now time.Time) (most int) {
	g.fights = slices.DeleteFunc(g.fights, func(f fight) bool { return now.Sub(f.last) >= fightWindow })
	before := g.nth
	g.nth++
	for _, over := range keys {
		i := g.fought(over)
		if i < 0 {
			if i = len(g.fights); i >= maxFights {
				over = 0
			}
			g.fights = append(g.fights, fight{over: over, last: now, nth: g.nth})
		}
		f := &g.fights[i]
		if f.nth < before || f.nth == before && !g.begun {
			f.times++
		}
		f.nth, f.last = g.nth, now
		most = max(most, f.times)
	}
	return most
}

// goesOn notes that what was counted last is not done yet.
func (g *guard) goesOn(now time.Time) {
	for i := range g.fights {
		if f := &g.fights[i]; f.nth == g.nth {
			f.last = now
		}
	}
}

// pause counts a step that is about to be taken, and tells how long it has to wait instead: not at
// all, until the same thing was done several times. After a pause one more attempt is allowed.
func (g *guard) pause(step string, c plan.Change, now time.Time) time.Duration {
	n := 0
	if c.Continues { // nobody can have undone what is not done yet
		g.goesOn(now)
	} else {
		n = g.meet(contested(c), now)
	}
	switch {
	case !g.begun:
		g.begun, g.steps = true, 0
	case g.paused:
	case step == g.step:
		g.steps++
	default:
		g.steps = 0
	}
	g.step = step
	n, g.vain = max(n, g.steps), 0
	if n >= maxSame {
		g.vain = n
	}
	if g.vain == 0 || g.paused {
		g.paused = false
		return 0
	}
	g.paused = true
	return retryDelay(n)
}
