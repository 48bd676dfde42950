package mistakes

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is a column of the table: a kind of mistake.
type Kind struct {
	Name string // as the file of a case is called
	Doc  string
	// Without are the reasons why places have no case. The first that holds for a place counts.
	Without []Reason
}

// Reason is why there is no case. One that begins with "as", and the name of a case, says that another
// case stands for it, as both are told by the same check.
type Reason struct {
	Places string // their names with blanks between them; "" for all others
	Text   string
}

// Place is a row of the table: where a mistake is made.
type Place struct {
	Name  string // as the directory of its cases is called
	Doc   string
	Cases string // the kinds of mistakes that have a case here, with blanks between them
}

// Cell is one field of the table. Reason is "" when it has a case.
type Cell struct {
	Place, Kind, Reason string
}

// Stands returns the case that stands for a cell without one, as in "network/type"; "" for none.
func (c Cell) Stands() string {
	name, ok := strings.CutPrefix(c.Reason, "as ")
	if !ok {
		return ""
	}
	name, _, _ = strings.Cut(name, ":")
	return name
}

// Cells returns the table row by row. The reason of a cell without both case and reason is "?".
func Cells() []Cell {
	var all []Cell
	for _, p := range Places() {
		has := strings.Fields(p.Cases)
		for _, k := range Kinds() {
			c := Cell{Place: p.Name, Kind: k.Name}
			if !slices.Contains(has, k.Name) {
				c.Reason = k.reason(p.Name)
			}
			all = append(all, c)
		}
	}
	return all
}

func (k Kind) reason(place string) string {
	for _, r := range k.Without {
		if r.Places == "" || slices.Contains(strings.Fields(r.Places), place) {
			return r.Text
		}
	}
	return "?"
}

// Page is the table as Markdown.
func Page() []byte {
	var b strings.Builder
	cells := Cells()
	count := 0
	for _, c := range cells {
		if c.Reason == "" {
			count++
		}
	}
	fmt.Fprintf(&b, `# What people get wrong, and what they are told

%d mistakes, by their kind and by the place where they are made. A name in the table is a case: a small
configuration, and the text that a person gets for it. A number is a reason, below the table, why there
is no case: **=** another one stands for it, as both are told by the same check; **–** there can be no
such mistake.

The kinds of mistakes:

`, count)
	for _, k := range Kinds() {
		fmt.Fprintf(&b, "- **%s**: %s\n", k.Name, k.Doc)
	}
	b.WriteString("\n| Place |")
	for _, k := range Kinds() {
		fmt.Fprintf(&b, " %s |", k.Name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(Kinds())) + "\n")
	var reasons []string
	for _, p := range Places() {
		fmt.Fprintf(&b, "| **%s**: %s |", p.Name, p.Doc)
		for _, c := range cells {
			if c.Place != p.Name {
				continue
			}
			b.WriteString(" " + c.field(&reasons) + " |")
		}
		b.WriteString("\n")
	}
	b.WriteString("\nThe reasons:\n\n")
	for i, reason := range reasons {
		fmt.Fprintf(&b, "%d. %s\n", i+1, reason)
	}
	b.WriteString("\nGenerated from `table.go` by `make generate`. What is told of several mistakes at once is in `testdata/together`.\n")
	return []byte(b.String())
}

// field is the text of a cell. A reason that is new gets the next number.
func (c Cell) field(reasons *[]string) string {
	if c.Reason == "" {
		return fmt.Sprintf("[%s](testdata/%s/%s.txtar)", c.Kind, c.Place, c.Kind)
	}
	n := slices.Index(*reasons, c.Reason)
	if n < 0 {
		n = len(*reasons)
		*reasons = append(*reasons, c.Reason)
	}
	if c.Stands() != "" {
		return fmt.Sprintf("= %d", n+1)
	}
	return fmt.Sprintf("– %d", n+1)
}
