package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/engine"
)

const (
	// progressText is how long the reason in a line of progress may be.
	progressText = 400
	// tableRows is how many units a table for a terminal shows.
	tableRows = 15
	// minWidth is the narrowest terminal that a table is made for.
	minWidth = 40
)

// Lines returns a line for each unit that stands otherwise in next than it did in prev, by
// address: "service.keystone: progressing (0 of 2 pods ready)". There are no control characters
// and no line breaks in them.
func Lines(prev, next engine.Snapshot) []string {
	l := limits{text: progressText}
	before := make(map[addr.Object]string, len(prev.Units))
	for i := range prev.Units {
		before[prev.Units[i].Address] = progress(&prev.Units[i], l)
	}
	var texts []string
	still := make(map[addr.Object]bool, len(next.Units))
	for i := range next.Units {
		u := &next.Units[i]
		still[u.Address] = true
		text := progress(u, l)
		if was, ok := before[u.Address]; text != was && (ok || u.Phase != engine.PhaseGone) {
			texts = append(texts, text)
		}
	}
	for i := range prev.Units {
		if u := &prev.Units[i]; !still[u.Address] && u.Phase != engine.PhaseGone {
			texts = append(texts, fmt.Sprintf("%s: %s", addressText(u.Address), engine.PhaseGone))
		}
	}
	return texts
}

// progress is a unit in a line.
func progress(u *engine.UnitStatus, l limits) string {
	text := fmt.Sprintf("%s: %s", addressText(u.Address), u.Phase)
	if reason := why(u, l); reason != "" {
		text += " (" + reason + ")"
	}
	return text
}

// Table returns how things stand for a terminal: how many units are in each phase, then those that are
// not ready, the gravest first. Every line ends with a line break and fits the columns; there are no
// more than the rows, nor than one looks over at a glance, and no control characters.
func Table(s engine.Snapshot, columns, rows int) string {
	columns = max(columns, minWidth)
	counts := map[engine.Phase]int{}
	longest := 0
	var open []*engine.UnitStatus
	for _, phase := range phases() {
		for i := range s.Units {
			u := &s.Units[i]
			if u.Phase != phase {
				continue
			}
			counts[phase]++
			switch phase {
			case engine.PhaseReady, engine.PhaseKept, engine.PhaseGone:
			default:
				open = append(open, u)
			}
		}
	}
	var b strings.Builder
	b.WriteString(fit(summary(counts), columns) + "\n")
	shown := open[:atGlance(len(open), rows-1)]
	for _, u := range shown {
		longest = max(longest, columnsOf(addressText(u.Address)))
	}
	longest = min(longest, columns/2)
	for _, u := range shown {
		text := pad(fit(addressText(u.Address), longest), longest) + "  " + pad(string(u.Phase), len(engine.PhaseReconciling)) + "  " + why(u, limits{text: progressText})
		b.WriteString(strings.TrimRight(fit(text, columns), " ") + "\n")
	}
	if n := len(open) - len(shown); n > 0 && rows > 1 {
		fmt.Fprintf(&b, "and %d more\n", n)
	}
	return b.String()
}

// atGlance is how many of some units are shown in some rows, one of which tells of the rest.
func atGlance(units, rows int) int {
	if units > rows {
		units = max(rows-1, 0)
	}
	return min(units, tableRows)
}

// summary counts the units out.
func summary(counts map[engine.Phase]int) string {
	total := 0
	for _, n := range counts {
		total += n
	}
	total -= counts[engine.PhaseGone]
	parts := []string{fmt.Sprintf("%d of %d ready", counts[engine.PhaseReady], total)}
	for _, phase := range phases() {
		if n := counts[phase]; n > 0 && phase != engine.PhaseReady && phase != engine.PhaseGone {
			parts = append(parts, fmt.Sprintf("%d %s", n, phase))
		}
	}
	return strings.Join(parts, ", ")
}

// fit cuts a text to a number of columns.
func fit(s string, columns int) string {
	if columnsOf(s) <= columns {
		return s
	}
	used := 0
	for i, r := range s {
		if used += columnsOf(string(r)); used > columns-1 {
			return s[:i] + ellipsis
		}
	}
	return s
}

func pad(s string, columns int) string {
	return s + strings.Repeat(" ", max(0, columns-columnsOf(s)))
}

// columnsOf is how many columns a text takes, at most: what combines with the character before it
// counts, too.
func columnsOf(s string) int {
	if len(s) == utf8.RuneCountInString(s) {
		return len(s)
	}
	n := 0
	for _, r := range s {
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}
