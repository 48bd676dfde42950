package diag

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
)

// Printer renders diagnostics as text. The zero Printer prints no source and no colours.
type Printer struct {
	// Source returns the contents of a file as they were when the diagnostics were made, and
	// whether it has them. Nil means that it has none.
	Source func(file string) ([]byte, bool)

	// Color adds ANSI escape sequences.
	Color bool

	// Width is how many columns a line of source may take with what stands before it; longer ones
	// are cut around the subject. Below 40 it means 100.
	Width int
}

// Print writes the diagnostics in their order, an empty line between two, and returns the error of
// the writer.
func (p Printer) Print(w io.Writer, ds Diagnostics) error {
	var b strings.Builder
	for i, d := range ds {
		if i > 0 {
			b.WriteByte('\n')
		}
		p.diagnostic(&b, d)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Colours: bold for what is wrong, blue for what only leads the eye.
const (
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	blue   = "\x1b[34m"
	green  = "\x1b[32m"
	bold   = "\x1b[1m"
	reset  = "\x1b[0m"
)

func (p Printer) paint(color, text string) string {
	if !p.Color || text == "" {
		return text
	}
	return color + text + reset
}

func (p Printer) severityColor(s Severity) string {
	if s == Warning {
		return yellow
	}
	return red
}

func (p Printer) diagnostic(b *strings.Builder, d Diagnostic) {
	head := d.Severity.String()
	if d.Code != "" {
		head += "[" + visible(string(d.Code)) + "]"
	}
	fmt.Fprintf(b, "%s%s\n", p.paint(p.severityColor(d.Severity), head), p.paint(bold, ": "+visible(d.Summary)))

	var lines []line
	if d.Subject != nil {
		fmt.Fprintf(b, "  %s %s\n", p.paint(blue, "-->"), d.Subject)
		if p.Source != nil && !d.HideSource {
			if source, ok := p.Source(d.Subject.File); ok {
				lines = excerpt(source, d)
			}
		}
	}
	gutter := 3
	for _, l := range lines {
		gutter = max(gutter, len(strconv.Itoa(l.number)))
	}
	p.lines(b, lines, gutter, p.severityColor(d.Severity))

	for _, note := range notes(d) {
		p.note(b, gutter, note)
	}
}

// notes returns what is said below the source: what it is about, why it is wrong, what to do.
func notes(d Diagnostic) []string {
	var notes []string
	if d.Address != nil && d.Address != addr.Address(addr.Module{}) {
		notes = append(notes, "in "+d.Address.String())
	}
	if d.Detail != "" {
		notes = append(notes, d.Detail)
	}
	if d.Hint != "" {
		notes = append(notes, hintWord+d.Hint)
	}
	return notes
}

const hintWord = "hint: "

// note writes a text behind "=", its further lines below the first one.
func (p Printer) note(b *strings.Builder, gutter int, text string) {
	mark := p.paint(blue, "=")
	for part := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		part = visible(part)
		if rest, ok := strings.CutPrefix(part, hintWord); ok {
			part = p.paint(green, strings.TrimSpace(hintWord)) + " " + rest
		}
		fmt.Fprintf(b, "%s\n", strings.TrimRight(fmt.Sprintf("%*s %s %s", gutter, "", mark, part), " "))
		mark = " "
	}
}

// lines writes the excerpt with a bar before it and marks under the subject.
func (p Printer) lines(b *strings.Builder, lines []line, gutter int, color string) {
	if len(lines) == 0 {
		return
	}
	width := p.Width
	if width < 40 {
		width = 100
	}
	fmt.Fprintf(b, "%*s %s\n", gutter, "", p.paint(blue, "|"))
	for i, l := range lines {
		if i > 0 && l.number > lines[i-1].number+1 {
			fmt.Fprintf(b, "%*s %s ...\n", gutter, "", p.paint(blue, ":"))
		}
		text, pad, marked := l.layout(width - gutter - len(" | "))
		number := fmt.Sprintf("%*d", gutter, l.number)
		fmt.Fprintf(b, "%s\n", strings.TrimRight(p.paint(blue, number)+" "+p.paint(blue, "|")+" "+text, " "))
		if marked > 0 {
			fmt.Fprintf(b, "%*s %s %*s%s\n", gutter, "", p.paint(blue, "|"), pad, "", p.paint(color, strings.Repeat("^", marked)))
		}
	}
}
