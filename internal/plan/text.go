package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// word is how an action is shown.
type word struct {
	action         unit.Action
	symbol         string
	sentence       string // after the address
	infinitive     string // after a number
	beforeAndAfter bool
}

// words are in the order in which they are counted.
func words() []word {
	return []word{
		{action: unit.ActionMove, symbol: "=>", infinitive: "to move", beforeAndAfter: true},
		{action: unit.ActionImport, symbol: ">", sentence: "will be imported", infinitive: "to import", beforeAndAfter: true},
		{action: unit.ActionAdopt, symbol: ">", sentence: "is there already and will be adopted", infinitive: "to adopt", beforeAndAfter: true},
		{action: unit.ActionCreate, symbol: "+", sentence: "will be created", infinitive: "to create"},
		{action: unit.ActionUpdate, symbol: "~", sentence: "will be updated in place", infinitive: "to update", beforeAndAfter: true},
		{action: unit.ActionRestart, symbol: "~", sentence: "will be restarted", infinitive: "to restart", beforeAndAfter: true},
		{action: unit.ActionReplace, symbol: "-/+", sentence: "will be deleted and created again", infinitive: "to replace", beforeAndAfter: true},
		{action: unit.ActionDelete, symbol: "-", sentence: "will be deleted", infinitive: "to delete"},
		{action: unit.ActionForget, symbol: "-", sentence: "will be forgotten", infinitive: "to forget"},
		{action: unit.ActionDeferred, symbol: "?", sentence: "will be decided later", infinitive: "to decide later", beforeAndAfter: true},
		{action: unit.ActionBlocked, symbol: "!", sentence: "is blocked", infinitive: "blocked", beforeAndAfter: true},
		{action: unit.ActionUnknown, symbol: "?", sentence: "is unknown", infinitive: "unknown", beforeAndAfter: true},
		{action: unit.ActionNone, symbol: "=", sentence: "was changed by somebody else and stays so", infinitive: "drifted", beforeAndAfter: true},
	}
}

// Shown tells whether a change is worth a line: what stays as it is is not, unless it has drifted.
func (c *Change) Shown() bool { return c.Action != unit.ActionNone || c.Drift || c.moves() }

// Text writes the plan for people: what is refused, a block for each change in the order of the
// addresses, warnings, and a line that counts the changes. What was found outside is quoted where it could disturb
// a terminal. The only errors are those of w.
func (p *Plan) Text(w io.Writer) error {
	var b bytes.Buffer
	notice(&b, "Refused", p.Refused)
	for i := range p.Changes {
		if c := &p.Changes[i]; c.Shown() {
			c.text(&b)
		}
	}
	notice(&b, "Warning", p.Warnings)
	switch {
	case len(p.Refused) > 0:
		b.WriteString("The plan is refused: nothing will be changed.\n")
	case p.Summary() == "":
		b.WriteString("No changes.\n")
	default:
		fmt.Fprintf(&b, "Plan: %s.\n", p.Summary())
	}
	_, err := w.Write(b.Bytes())
	return err
}

// notice writes what is to be known of the plan as a whole.
func notice(b *bytes.Buffer, title string, found diag.Diagnostics) {
	for _, d := range found {
		fmt.Fprintf(b, "%s: %s\n", title, d.Summary)
		for _, line := range []string{d.Detail, d.Hint} {
			if line != "" {
				fmt.Fprintf(b, "    %s\n", line)
			}
		}
		b.WriteByte('\n')
	}
}

// Summary counts the changes in words, as "1 to create, 2 to update"; "" when none is shown.
func (p *Plan) Summary() string {
	var counts []string
	for _, word := range words() {
		n := 0
		for i := range p.Changes {
			if p.Changes[i].countsAs(word.action) {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, word.infinitive))
		}
	}
	return strings.Join(counts, ", ")
}

func (c *Change) text(b *bytes.Buffer) {
	word := wordOf(c.Action)
	if c.CreateFirst && c.Action == unit.ActionReplace {
		word.symbol, word.sentence = "+/-", "will be created again, and the old one deleted then"
	}
	if c.Action == unit.ActionMove {
		fmt.Fprintf(b, "%3s %s is now %s\n", word.symbol, c.From, c.Address)
	} else {
		fmt.Fprintf(b, "%3s %s %s\n", word.symbol, c.Address, word.sentence)
		if c.moves() {
			fmt.Fprintf(b, "      moved: %s is now %s\n", c.From, c.Address)
		}
	}
	if c.Action == unit.ActionBlocked && c.Wanted != "" {
		fmt.Fprintf(b, "      wanted: %s\n", c.Wanted)
	}
	if c.Reason != "" {
		fmt.Fprintf(b, "      reason: %s\n", plain(c.Reason))
	}
	if c.Suspended != "" {
		fmt.Fprintf(b, "      waits: %s\n", plain(c.Suspended))
	}
	if c.Cost != "" {
		fmt.Fprintf(b, "      cost: %s\n", plain(c.Cost))
	}
	for _, f := range c.Fields {
		fmt.Fprintf(b, "      %s: %s", plain(f.Path), fieldText(f, word))
		switch f.Effect {
		case unit.Replace:
			b.WriteString("  (forces a replacement)")
		case unit.Refused:
			b.WriteString("  (cannot be changed)")
		case unit.InPlace:
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
}

func wordOf(a unit.Action) word {
	for _, word := range words() {
		if word.action == a {
			return word
		}
	}
	return word{action: a, symbol: "?", sentence: string(a), beforeAndAfter: true}
}

func fieldText(f unit.Field, w word) string {
	switch {
	case w.beforeAndAfter:
		return orNothing(f.Before) + " -> " + orNothing(f.After)
	case f.After != "":
		return plain(f.After)
	default:
		return plain(f.Before)
	}
}

func orNothing(text string) string {
	if text == "" {
		return "(nothing)"
	}
	return plain(text)
}

// plain returns a text that stays on its line and cannot steer a terminal.
func plain(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// document is what [Plan.MarshalJSON] writes.
type document struct {
	// Planned says what this is the plan of; nil where nobody asked for it.
	Planned any `json:"planned,omitempty"`
	// Refused says why nothing may be applied; empty for a plan that may.
	Refused diag.Sourced `json:"refused"`
	// Warnings are of what OpenStack is going to refuse; left out where there are none.
	Warnings *diag.Sourced `json:"warnings,omitempty"`
	// Diagnostics are warnings about the configuration; nil where nobody asked for them.
	Diagnostics *diag.Sourced `json:"diagnostics,omitempty"`
	// Changes are by address; what stays as it is is among them only when it has drifted.
	Changes []change `json:"changes"`
	// Unchanged is how many others there are.
	Unchanged int `json:"unchanged"`
}

type change struct {
	Address addr.Object  `json:"address"`
	From    addr.Object  `json:"from,omitzero"` // the address until now, of what moves
	Kind    string       `json:"kind"`
	Class   unit.Class   `json:"class"`
	Action  unit.Action  `json:"action"`
	Wanted  unit.Action  `json:"wanted,omitempty"` // what a blocked or reported one would be
	Reason  string       `json:"reason,omitempty"`
	Cost    string       `json:"cost,omitempty"`
	Drift   bool         `json:"drift"`
	Fields  []unit.Field `json:"fields"` // path, before, after, effect
	// CreateFirst and Later are left out where they are false.
	CreateFirst bool `json:"createFirst,omitempty"` // before the old one is deleted
	// Suspended says until when, by whom and why it waits; it is left out where it does not.
	Suspended string `json:"suspended,omitempty"`
	Later     bool   `json:"later,omitempty"` // decided for good once what it depends on is there
}

// MarshalJSON writes the plan for programs. The names of its fields do not change: refused, warnings,
// changes and unchanged; of each change address, from, kind, class, action, wanted, reason, cost, drift,
// fields, createFirst, later and suspended, the fields with path, before, after and effect. Equal plans have equal texts.
func (p *Plan) MarshalJSON() ([]byte, error) {
	return json.Marshal(p.document(nil))
}

// JSON is MarshalJSON with up to two fields more: diagnostics, which are the given ones, and unless it is
// nil planned, which says what this is the plan of. Diagnostics, warnings and what is refused have snippets of the
// files.
func (p *Plan) JSON(found diag.Sourced, planned any) ([]byte, error) {
	d := p.document(found.Source)
	d.Diagnostics, d.Planned = &found, planned
	return json.Marshal(d)
}

func (p *Plan) document(source func(string) ([]byte, bool)) document {
	d := document{Refused: diag.Sourced{Diagnostics: p.Refused, Source: source}, Changes: []change{}}
	if len(p.Warnings) > 0 {
		d.Warnings = &diag.Sourced{Diagnostics: p.Warnings, Source: source}
	}
	for i := range p.Changes {
		c := &p.Changes[i]
		if !c.Shown() {
			d.Unchanged++
			continue
		}
		d.Changes = append(d.Changes, change{
			Address: c.Address, From: c.From, Kind: c.Kind, Class: c.Class, Action: c.Action, Wanted: c.Wanted,
			Reason: c.Reason, Cost: c.Cost, Drift: c.Drift, Fields: append([]unit.Field{}, c.Fields...),
			CreateFirst: c.CreateFirst, Later: c.Later, Suspended: c.Suspended,
		})
	}
	return d
}
