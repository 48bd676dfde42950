package report

import "regexp"

// OpenPlan is a plan of a review that is open.
type OpenPlan struct {
	Ref  string // the full name of what was planned
	File string // of the page, from the top
	Head PlanHead
}

// openPlanDoc is one of them in status.json.
type openPlanDoc struct {
	Ref     string     `json:"ref"`
	File    string     `json:"file"`
	Commit  string     `json:"commit,omitempty"`
	Result  PlanResult `json:"result,omitempty"`
	Summary string     `json:"summary,omitempty"`
}

// maxOpenPlans is how many of them are listed.
const maxOpenPlans = 200

// hexHash is a commit as Git names it.
var hexHash = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// newPlans returns the plans to list and how many more there are. What was read of a file is not believed:
// anybody who may write to the branch may have written it.
func newPlans(plans []OpenPlan) (docs []openPlanDoc, leftOut int) {
	for _, p := range plans[:min(len(plans), maxOpenPlans)] {
		doc := openPlanDoc{Ref: line(p.Ref, nameText), File: p.File, Summary: line(p.Head.Summary, cellText)}
		if hexHash.MatchString(p.Head.Commit) {
			doc.Commit = p.Head.Commit
		}
		switch r := p.Head.Result; r {
		case PlanInvalid, PlanRefused, PlanIncomplete, PlanChanges, PlanBlocked, PlanUnchanged:
			doc.Result = r
		}
		docs = append(docs, doc)
	}
	return docs, len(plans) - len(docs)
}

// plans lists the plans of open reviews.
func (p *page) plans(d *document) {
	if len(d.Plans) == 0 {
		return
	}
	p.line("## Open plans")
	p.line("What reviews would change, as it was found when each was planned.")
	var rows [][]string
	for _, plan := range d.Plans {
		commit := ""
		if plan.Commit != "" {
			commit = name(plan.Commit[:min(len(plan.Commit), shortHash)])
		}
		rows = append(rows, []string{link(ShortRef(plan.Ref), plan.File), commit, cell(outcome(plan.Result, plan.Summary))})
	}
	p.table(len(rows), rows, "Ref", "Commit", "What it does")
	if d.PlansLeftOut > 0 {
		p.line("And %d more in the directory [plans](plans).", d.PlansLeftOut)
	}
}

// shortHash is how many digits of a commit are shown where it is only one of many.
const shortHash = 12

// outcome says what a plan came to.
func outcome(r PlanResult, summary string) string {
	switch r {
	case PlanInvalid:
		return "the configuration has " + summary
	case PlanRefused:
		return "refused: nothing of it may be applied"
	case PlanIncomplete:
		return summary + " (not everything could be seen)"
	case PlanUnchanged:
		return "no changes"
	case PlanChanges, PlanBlocked:
		return summary
	}
	return "not known: its file cannot be read"
}
