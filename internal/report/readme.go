package report

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// How many rows the parts of the README have; status.json has the rest.
const (
	maxRows       = 200
	maxTrouble    = 50
	maxDriftUnits = 30
	maxDriftRows  = 10
)

// cellText is how long a text in the README may be.
const cellText = 300

// readme returns the page that people read first.
func readme(d *document) []byte {
	var p page
	title := "Cloud"
	if d.Cloud != nil && d.Cloud.Name != "" {
		title += " " + md(d.Cloud.Name)
	}
	p.line("# %s: %s", title, d.Verdict)
	p.line("%s", sentence(d))
	p.commits(d)
	p.problems(d)
	p.bad(d)
	p.refused(d)
	p.suspensions(d)
	p.services(d)
	p.nodes(d)
	p.resources(d)
	p.grants(d)
	p.drift(d)
	p.trouble(d)
	p.waiting(d)
	p.warnings(d)
	p.plans(d)
	if len(d.Units) > 0 {
		p.line("## Units")
		p.line("What an arrow leads to needs what it comes from.")
		p.text(fence("mermaid", mermaid(d)))
	}
	p.line("More of this for programs is in [status.json](%s).", FileStatus)
	return p.bytes()
}

// sentence says what the verdict means.
func sentence(d *document) string {
	switch d.Verdict {
	case VerdictInvalid:
		return "The newest commit cannot be applied. What was applied before stays."
	case VerdictUnknown:
		if d.Applied != nil {
			return "How things stand under the commit in force is not known yet."
		}
		return "No commit is in force yet."
	case VerdictDegraded:
		if d.Counts.Phases[engine.PhaseFailed] == 0 {
			return "Something keeps the cloud from being looked after."
		}
		return "Something failed. It is tried again."
	case VerdictBlocked:
		return "Something stands still until it is changed by hand or in the configuration."
	case VerdictProgressing:
		return "The cloud is on its way to what the commit in force says."
	case VerdictSuspended:
		return "Something is left alone for now that is not what the commit in force says."
	case VerdictDrifted:
		return "Everything is there and works, but something was changed from outside and is only reported."
	default:
		return "The cloud is what the commit in force says."
	}
}

// page is a Markdown page in the making. Paragraphs are set apart by empty lines.
type page struct {
	b    strings.Builder
	rest string // the file that has what is left out; empty for [FileStatus]
}

// line adds a paragraph of one line.
func (p *page) line(format string, args ...any) { p.text(fmt.Sprintf(format, args...) + "\n") }

// text adds a paragraph that ends with a line break.
func (p *page) text(text string) {
	if p.b.Len() > 0 {
		p.b.WriteByte('\n')
	}
	p.b.WriteString(text)
}

func (p *page) bytes() []byte { return []byte(p.b.String()) }

// table adds a table of at most so many rows.
func (p *page) table(limit int, rows [][]string, columns ...string) {
	if len(rows) == 0 {
		return
	}
	var b strings.Builder
	write := func(cells []string) {
		b.WriteString("|")
		for _, cell := range cells {
			b.WriteString(strings.TrimRight(" "+cell, " ") + " |")
		}
		b.WriteByte('\n')
	}
	write(columns)
	b.WriteString(strings.Repeat("| --- ", len(columns)) + "|\n")
	for _, row := range rows[:min(len(rows), limit)] {
		write(row)
	}
	p.text(b.String())
	p.more(len(rows) - limit)
}

// list adds a list of at most so many items.
func (p *page) list(limit int, items []string) {
	if len(items) == 0 {
		return
	}
	p.text("- " + strings.Join(items[:min(len(items), limit)], "\n- ") + "\n")
	p.more(len(items) - limit)
}

// more says how many are not shown.
func (p *page) more(n int) {
	if n > 0 {
		file := cmp.Or(p.rest, FileStatus)
		p.line("And %d more in [%s](%s).", n, path.Base(file), file)
	}
}

// name is an address, a path or a name as code.
func name(s string) string { return code(cut(s, 120)) }

// cell is a text in a table.
func cell(s string) string { return md(cut(s, cellText)) }

func (p *page) commits(d *document) {
	rows := [][]string{{"In force", "none yet"}}
	if d.Applied != nil {
		rows[0][1] = commit(d.Applied)
	}
	switch {
	case d.Head == nil:
	case d.Applied != nil && d.Applied.Hash == d.Head.Hash:
		rows[0][0] = "In force, the newest"
	default:
		rows = append(rows, []string{"Newest", commit(d.Head)})
	}
	if d.Source.Repository != "" {
		rows = append(rows, []string{"From", name(d.Source.Repository)})
	}
	if d.Source.Ref != "" {
		rows = append(rows, []string{"Ref", name(d.Source.Ref)})
	}
	if d.Source.Path != "" {
		rows = append(rows, []string{"Path", name(d.Source.Path)})
	}
	if c := d.Cloud; c != nil && c.Release != "" {
		rows = append(rows, []string{"OpenStack", md(c.Release)})
	}
	p.table(maxRows, rows, "Commit", "")
	if d.Foreign != nil {
		p.line("Somebody else wrote to this branch, last with %s. What is not part of the report stays.", commit(d.Foreign))
	}
}

// commit is a commit in a cell.
func commit(c *commitDoc) string {
	text := name(cut(c.Hash, 64))
	if c.Subject != "" {
		text += " " + cell(c.Subject)
	}
	if c.Author != "" {
		text += ", by " + md(cut(c.Author, 100))
	}
	return text
}

func (p *page) problems(d *document) {
	if len(d.Problems) == 0 {
		return
	}
	p.line("## Problems")
	var items []string
	for _, problem := range d.Problems {
		items = append(items, md(problem))
	}
	p.list(maxTrouble, items)
}

func (p *page) bad(d *document) {
	if d.Bad == nil {
		return
	}
	p.line("## The newest commit is not in force")
	p.line("%s has errors. Nothing of it is applied.", commit(&d.Bad.Commit))
	if d.Bad.Text != "" {
		p.text(fence("text", d.Bad.Text))
		return
	}
	p.findings(d.Bad.Diagnostics)
}

func (p *page) refused(d *document) {
	if len(d.Refused) == 0 {
		return
	}
	p.line("## The commit was refused")
	p.findings(d.Refused)
}

func (p *page) warnings(d *document) {
	if len(d.Warnings) == 0 {
		return
	}
	p.line("## Warnings")
	p.findings(d.Warnings)
}

func (p *page) findings(findings []findingDoc) {
	var items []string
	for _, f := range findings {
		text := f.Severity.String()
		if f.Code != "" {
			text += " " + name(string(f.Code))
		}
		if f.At != "" {
			text += " in " + name(f.At)
		}
		text += ": " + md(f.Summary)
		for _, more := range []string{line(f.Detail, cellText), f.Hint} {
			if more != "" {
				text += "; " + md(more)
			}
		}
		items = append(items, text)
	}
	p.list(maxTrouble, items)
}

func (p *page) services(d *document) {
	var rows [][]string
	for _, s := range d.Services {
		phase := string(s.Phase)
		if phase == "" {
			phase = "unknown"
			if !s.Enabled {
				phase = "disabled"
			}
		}
		rows = append(rows, []string{link(s.Name, s.File), phase, cell(s.Reason)})
	}
	if len(rows) > 0 {
		p.line("## Services")
	}
	p.table(maxRows, rows, "Service", "Phase", "Why")
}

// link links a name to one of our own files, whose names need no escapes.
func link(text, file string) string { return "[" + md(cut(text, 120)) + "](" + file + ")" }

func (p *page) nodes(d *document) {
	var rows [][]string
	for i := range d.Nodes {
		n := &d.Nodes[i]
		phase := string(n.Phase)
		if n.Disabled {
			phase += " (disabled)"
		}
		rows = append(rows, []string{link(n.Name, n.File), md(cut(strings.Join(n.Roles, ", "), cellText)), md(n.Profile), phase, cell(n.Reason)})
	}
	if len(rows) > 0 {
		p.line("## Nodes")
	}
	p.table(maxRows, rows, "Node", "Roles", "Profile", "Phase", "Why")
}

func (p *page) resources(d *document) {
	var rows [][]string
	for _, r := range d.Resources {
		var others []string
		for _, phase := range phases() {
			if n := r.Phases[phase]; n > 0 && phase != engine.PhaseReady {
				others = append(others, fmt.Sprintf("%d %s", n, phase))
			}
		}
		drifted := ""
		if r.Drifted > 0 {
			drifted = fmt.Sprint(r.Drifted)
		}
		rows = append(rows, []string{
			link(r.Kind, r.File), fmt.Sprintf("%d of %d", r.Phases[engine.PhaseReady], r.Total), strings.Join(others, ", "), drifted,
		})
	}
	if len(rows) > 0 {
		p.line("## Resources")
	}
	p.table(maxRows, rows, "Kind", "Ready", "Others", "Drifted")
}

// drift names what was changed from outside, field by field.
func (p *page) drift(d *document) {
	present := d.where(func(u *unitDoc) bool { return u.Drift })
	healed := d.where(func(u *unitDoc) bool { return len(u.Healed) > 0 })
	if len(present)+len(healed) == 0 {
		return
	}
	p.line("## Drift")
	if len(present) > 0 {
		p.line("Changed from outside, and different now:")
		var rows [][]string
		for _, u := range present[:min(len(present), maxDriftUnits)] {
			does := string(u.Action)
			if u.Action == unit.ActionNone || u.Action == "" {
				does = "only reported"
			}
			rows = append(rows, driftRows(u, u.Fields, does)...)
		}
		p.table(len(rows), rows, "Unit", "Field", "Configuration", "Found", "What is done")
		p.more(len(present) - maxDriftUnits)
	}
	if len(healed) > 0 {
		p.line("Changed from outside, and repaired under the commit in force:")
		var rows [][]string
		for _, u := range healed[:min(len(healed), maxDriftUnits)] {
			rows = append(rows, driftRows(u, u.Healed, "")...)
		}
		for i, row := range rows {
			rows[i] = row[:4]
		}
		p.table(len(rows), rows, "Unit", "Field", "Configuration", "Found")
		p.more(len(healed) - maxDriftUnits)
	}
}

// driftRows is a row per field. A difference without fields concerns the whole of it.
func driftRows(u *unitDoc, list []unit.Field, does string) [][]string {
	if len(list) == 0 {
		list = []unit.Field{{After: u.Reason}}
	}
	var rows [][]string
	for i, f := range list {
		if i == maxDriftRows {
			return append(rows, []string{name(u.Address), fmt.Sprintf("and %d more", len(list)-i), "", "", ""})
		}
		path, found := "all of it", md(cut(f.Before, 120))
		if f.Path != "" {
			path = name(f.Path)
			if found == "" {
				found = "nothing"
			}
		}
		rows = append(rows, []string{name(u.Address), path, md(cut(f.After, 120)), found, does})
	}
	return rows
}

// trouble lists what failed and what stands still.
func (p *page) trouble(d *document) {
	var rows [][]string
	for _, phase := range []engine.Phase{engine.PhaseFailed, engine.PhaseBlocked} {
		for _, u := range d.where(func(u *unitDoc) bool { return u.Phase == phase }) {
			at := ""
			if u.At != "" {
				at = name(u.At)
			}
			rows = append(rows, []string{name(u.Address), string(phase), cell(u.Reason), at})
		}
	}
	if len(rows) > 0 {
		p.line("## Blocked and why")
	}
	p.table(maxTrouble, rows, "Unit", "Phase", "Why", "Where")
}

// waiting tells who waits for whom, and what is at the root of it.
func (p *page) waiting(d *document) {
	var rows [][]string
	for _, u := range d.where(func(u *unitDoc) bool { return len(u.Waits) > 0 }) {
		rows = append(rows, []string{name(u.Address), several(u.Waits), several(u.Causes)})
	}
	if len(rows) > 0 {
		p.line("## Who waits for whom")
	}
	p.table(maxTrouble, rows, "Unit", "Waits for", "Because of")
}

// several joins the first few addresses.
func several(list []string) string {
	const limit = 5
	var names []string
	for _, s := range list[:min(len(list), limit)] {
		names = append(names, name(s))
	}
	text := strings.Join(names, ", ")
	if n := len(list) - limit; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// where returns the units for which a function is true.
func (d *document) where(wanted func(*unitDoc) bool) []*unitDoc {
	var found []*unitDoc
	for i := range d.Units {
		if wanted(&d.Units[i]) {
			found = append(found, &d.Units[i])
		}
	}
	return found
}
