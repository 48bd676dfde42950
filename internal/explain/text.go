package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// longest is how much of a value is shown to people; programs get all of it.
const longest = 56

// Text writes explanations for people: a line for each value with the place that set it, and below
// it those that it took the place of. The only errors are those of w.
func Text(w io.Writer, answers []Explanation) error {
	var b bytes.Buffer
	for i := range answers {
		if i > 0 {
			b.WriteByte('\n')
		}
		answers[i].text(&b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (e *Explanation) text(b *bytes.Buffer) {
	b.WriteString(e.Address.String())
	if e.Service != "" {
		b.WriteString(" " + e.Service)
	}
	b.WriteByte('\n')
	if len(e.Layers) > 0 {
		b.WriteString("layers, the later over the earlier:\n")
		table := newTable(b)
		for _, l := range e.Layers {
			fmt.Fprintf(table, "  %s\t%s\n", l.Name, place(l.Range))
		}
		_ = table.Flush() // a buffer takes everything
		b.WriteString("values:\n")
	}
	var lines bytes.Buffer
	table := newTable(&lines)
	for i := range e.Values {
		v := &e.Values[i]
		fmt.Fprintf(table, "  %s\t%s\t%s\n", v.Path, v.Effective.text(""), v.Set.text())
		for _, l := range v.Lower {
			word := "over"
			if l.Counts {
				word = "added to"
			}
			fmt.Fprintf(table, "    %s\t%s\t%s\n", word, l.Shown.text(l.Set.Adds), l.Set.text())
		}
	}
	_ = table.Flush()
	for line := range strings.Lines(lines.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	for _, note := range e.Notes {
		fmt.Fprintf(b, "%s\n", note)
	}
}

func newTable(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// text returns a value on one line, as a call of the function that adds it if it is added.
func (s Shown) text(adds string) string {
	text := fmt.Sprint(s.Value)
	if !s.Sensitive && !s.Unknown {
		text = asJSON(s.Value)
	}
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	if adds != "" {
		text = adds + "(" + text + ")"
	}
	return plain(text)
}

// asJSON writes a value as HCL would take it, but for the colons in maps.
func asJSON(v any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return unit.TextUnknown // a number that JSON does not have
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// text returns two cells: where it was set, and by what.
func (s Source) text() string {
	switch s.Kind {
	case SourceDefault:
		return "default\t"
	case SourceLabel:
		return place(s.Range) + "\tthe label"
	}
	text := place(s.Range) + "\t" + s.Layer
	if s.Adds != "" {
		text += ", " + s.Adds
	}
	return text
}

// place names a line. Names of files are chosen by whoever wrote the repository.
func place(r diag.Range) string {
	if r.File == "" {
		return "(computed)"
	}
	return plain(fmt.Sprintf("%s:%d", r.File, r.Start.Line))
}

// plain returns a text that stays on its line and cannot steer a terminal.
func plain(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
