package report

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// maxPlanPage is the size that the page of a plan does not exceed by much: forges do not show larger ones.
const maxPlanPage = 400 << 10

// planLimits bound what the page of a plan holds; the JSON beside it has the rest.
type planLimits struct {
	rows   int // of a table
	fields int // of a unit
	text   int // characters of a text
}

// planPage returns the page of a plan with as much detail as its size allows.
func planPage(in *PlanInput) []byte {
	var text []byte
	for _, l := range []planLimits{{maxRows, maxDriftRows, cellText}, {maxRows / 2, maxDriftRows / 2, 120}, {30, 3, 60}} {
		if text = planPageWithin(in, l); len(text) <= maxPlanPage {
			break
		}
	}
	return text
}

func planPageWithin(in *PlanInput, l planLimits) []byte {
	head := in.head()
	document := strings.TrimSuffix(path.Base(in.File), ".md") + ".json"
	p := page{rest: document}
	p.line("# Plan of %s: %s", md(line(ShortRef(in.Ref), 120)), md(outcome(head.Result, head.Summary)))
	p.line("%s", meaning(head.Result))
	p.planOf(in)
	if in.Plan == nil {
		p.line("## Mistakes")
		p.mistakes(in)
	} else {
		if len(in.Plan.Refused) > 0 {
			p.line("## Why it is refused")
			refused, _ := newFindings(in.Plan.Refused, roomy())
			p.findings(refused)
		}
		if len(in.Plan.Warnings) > 0 {
			p.line("## Quotas")
			warnings, _ := newFindings(in.Plan.Warnings, roomy())
			p.findings(warnings)
		}
		for _, s := range planSections() {
			p.changes(in.Plan, s, l)
		}
		if len(in.Found.Diagnostics) > 0 {
			p.line("## Warnings")
			p.mistakes(in)
		}
	}
	p.line("The same for programs is in [%s](%s). [How the cloud stands](../%s)", md(document), document, FileReadme)
	return p.bytes()
}

// meaning says in a sentence what comes of a plan.
func meaning(r PlanResult) string {
	switch r {
	case PlanInvalid:
		return "This commit would not be applied. What is in force would stay."
	case PlanRefused:
		return "Nothing of this commit would be applied. What is in force would stay."
	case PlanIncomplete:
		return "Something could not be seen, so this is not all, and nothing would be deleted for now."
	case PlanBlocked:
		return "Something would stand still until it is changed by hand or in the configuration."
	case PlanUnchanged:
		return "The cloud is what this commit says already."
	case PlanChanges:
	}
	return "This is what applying this commit would do to the cloud as it was then."
}

// planOf says what was planned, and against what.
func (p *page) planOf(in *PlanInput) {
	rows := [][]string{{"Commit", commit(newCommitOf(in.Commit))}, {"Ref", name(line(in.Ref, nameText))}}
	if in.Repository != "" {
		rows = append(rows, []string{"Repository", name(line(in.Repository, nameText))})
	}
	if in.Path != "" && in.Path != "." {
		rows = append(rows, []string{"Path", name(line(in.Path, nameText))})
	}
	switch {
	case in.InForce != "":
		rows = append(rows, []string{"In force then", name(line(in.InForce, nameText))})
	case in.Plan != nil:
		rows = append(rows, []string{"In force then", "no commit"})
	}
	rows = append(rows, []string{"Planned", in.At.UTC().Format("2006-01-02 15:04:05") + " UTC"})
	p.table(maxRows, rows, "", "")
}

// newCommitOf is newCommit for one that there always is.
func newCommitOf(c Commit) *commitDoc {
	if doc := newCommit(c); doc != nil {
		return doc
	}
	return &commitDoc{}
}

// mistakes shows what was found in the configuration, as the command prints it where that is known.
func (p *page) mistakes(in *PlanInput) {
	if in.Text != "" {
		p.text(fence("text", block(in.Text, planText)))
		return
	}
	findings, _ := newFindings(in.Found.Diagnostics, roomy())
	p.findings(findings)
}

// planText is how many characters of what the command prints a page shows.
const planText = 40_000

// planSection is a part of the page: what is done to a unit by one of the actions.
type planSection struct {
	action unit.Action
	title  string
	after  string // what the new value of a field is called; empty where only one of them is there
}

// planSections are in the order in which a reviewer has to know of them.
func planSections() []planSection {
	return []planSection{
		{unit.ActionUnknown, "unknown", "Wanted"},
		{unit.ActionBlocked, "blocked", "Wanted"},
		{unit.ActionDelete, "to delete", ""},
		{unit.ActionReplace, "to delete and create again", "Will be"},
		{unit.ActionRestart, "to restart", "Will be"},
		{unit.ActionUpdate, "to update in place", "Will be"},
		{unit.ActionCreate, "to create", ""},
		{unit.ActionMove, "to move", "Will be"},
		{unit.ActionImport, "to import", "Will be"},
		{unit.ActionAdopt, "to adopt: there already, and not managed yet", "Will be"},
		{unit.ActionForget, "to forget: not managed any more, and left as it is", ""},
		{unit.ActionDeferred, "to decide later", "Will be"},
		{unit.ActionNone, "changed by somebody else, and left so", "Configured"},
	}
}

// changes shows what is done by one action: why, and field by field.
func (p *page) changes(all *plan.Plan, s planSection, l planLimits) {
	var units, fields [][]string
	for i := range all.Changes {
		c := &all.Changes[i]
		if c.Action != s.action || !c.Shown() {
			continue
		}
		who := name(addressText(c.Address))
		units = append(units, []string{who, md(cut(whyPlanned(c), l.text)), md(line(c.Cost, l.text)), placeCell(c)})
		for j, f := range c.Fields {
			if j == l.fields {
				fields = append(fields, []string{who, fmt.Sprintf("and %d more", len(c.Fields)-j)})
				break
			}
			fields = append(fields, fieldRow(who, f, s, l))
		}
	}
	if len(units) == 0 {
		return
	}
	p.line("## %d %s", len(units), s.title)
	p.narrow(l.rows, units, "Unit", "Why", "What it costs", "Written in")
	p.narrow(3*l.rows, fields, "Unit", "Field", "Is", cmp.Or(s.after, "Value"), "")
}

// whyPlanned is the reason of a change, and what else there is to say about it.
func whyPlanned(c *plan.Change) string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if !c.From.IsZero() {
		add("was " + addressText(c.From))
	}
	if c.Wanted != "" {
		add("wanted: " + string(c.Wanted))
	}
	add(line(c.Reason, 4*cellText))
	add(line(c.Suspended, cellText))
	if c.CreateFirst && c.Action == unit.ActionReplace {
		add("the new one comes first")
	}
	if c.Later {
		add("decided for good once what it depends on is there")
	}
	return strings.Join(parts, "; ")
}

func placeCell(c *plan.Change) string {
	if at := place(c.Range); at != "" {
		return name(at)
	}
	return ""
}

func fieldRow(who string, f unit.Field, s planSection, l planLimits) []string {
	before, after := line(f.Before, l.text), line(f.After, l.text)
	if s.after == "" {
		before, after = "", cmp.Or(after, before) // only one of them is there
	} else {
		before, after = cmp.Or(before, "nothing"), cmp.Or(after, "nothing")
	}
	effect := ""
	switch f.Effect {
	case unit.Replace:
		effect = "forces a replacement"
	case unit.Refused:
		effect = "cannot be changed"
	case unit.InPlace:
	}
	return []string{who, name(line(f.Path, nameText)), md(before), md(after), effect}
}

// narrow adds a table without the columns that no row has anything in.
func (p *page) narrow(limit int, rows [][]string, columns ...string) {
	var kept []string
	narrowed := make([][]string, len(rows))
	for i, column := range columns {
		used := false
		for _, row := range rows {
			used = used || i < len(row) && row[i] != ""
		}
		if !used {
			continue
		}
		kept = append(kept, column)
		for j, row := range rows {
			text := ""
			if i < len(row) {
				text = row[i]
			}
			narrowed[j] = append(narrowed[j], text)
		}
	}
	p.table(limit, narrowed, kept...)
}
