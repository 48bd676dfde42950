package report

import (
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/engine"
	"github.com/kupenstack/kupenstack-sync/internal/suspension"
)

func newSuspensions(list []suspension.Suspension, l limits) (docs []suspensionDoc, leftOut int) {
	for i := range list {
		if len(docs) == l.list {
			return docs, len(list) - len(docs)
		}
		s := &list[i]
		doc := suspensionDoc{By: line(s.By, nameText), Reason: line(s.Reason, l.text), Since: moment(s.Since), Until: moment(s.Until), At: place(s.Range)}
		if !s.Whole() {
			doc.Target = line(s.Target.String(), nameText)
		}
		docs = append(docs, doc)
	}
	return docs, 0
}

// moment is a time for programs, "" for none.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// suspensions lists what is left alone, and what would be done there.
func (p *page) suspensions(d *document) {
	if len(d.Suspensions) == 0 {
		return
	}
	p.line("## Suspended")
	p.line("This is looked at, and nothing is done about it until the suspension ends.")
	var rows [][]string
	for _, s := range d.Suspensions {
		target, by, until := "the whole cloud", "the configuration", "somebody resumes it"
		if s.Target != "" {
			target = name(s.Target)
		}
		if s.By != "" {
			by = cell(s.By)
		} else {
			until = "the block is taken away"
		}
		if s.Until != "" {
			until = s.Until
		}
		rows = append(rows, []string{target, by, cell(s.Reason), s.Since, until})
	}
	p.table(maxTrouble, rows, "What", "By", "Why", "Since", "Until")
	p.more(d.SuspensionsLeftOut)
	rows = nil
	for _, u := range d.where(func(u *unitDoc) bool { return u.Phase == engine.PhaseSuspended }) {
		rows = append(rows, []string{name(u.Address), name(string(u.Action)), cell(u.Cost)})
	}
	if len(rows) > 0 {
		p.line("What would be done there:")
	}
	p.table(maxTrouble, rows, "Unit", "Change", "Cost")
}
