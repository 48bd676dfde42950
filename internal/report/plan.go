package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/plan"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// PlanInput is everything that the published plan of a review follows from.
type PlanInput struct {
	File             string // of the page, as [OpenPlan] has it
	Repository, Path string // where the configuration comes from, without credentials
	Ref              string // the full name of what was planned
	Commit           Commit // that it was at
	InForce          string // the commit in force when the world was looked at; empty when none was, or for mistakes
	At               time.Time

	Plan  *plan.Plan   // nil when the configuration has mistakes
	Found diag.Sourced // these, or warnings
	Text  string       // how they are printed for people. Secrets are masked in it
}

// PlanResult says in one word what a plan came to.
type PlanResult string

// The results, after the exit codes of the command.
const (
	PlanInvalid    PlanResult = "invalid"    // the configuration has mistakes
	PlanRefused    PlanResult = "refused"    // nothing of it may be applied
	PlanIncomplete PlanResult = "incomplete" // not everything could be observed
	PlanChanges    PlanResult = "changes"
	PlanBlocked    PlanResult = "blocked" // something stands still, and nothing else changes
	PlanUnchanged  PlanResult = "unchanged"
)

// ResultOf returns what a plan came to; nil is that of a configuration with mistakes.
func ResultOf(p *plan.Plan) PlanResult {
	switch {
	case p == nil:
		return PlanInvalid
	case len(p.Refused) > 0:
		return PlanRefused
	case p.Count(unit.ActionUnknown) > 0:
		return PlanIncomplete
	case slices.ContainsFunc(p.Changes, func(c plan.Change) bool { return c.Changes() }):
		return PlanChanges
	case !p.Empty():
		return PlanBlocked
	}
	return PlanUnchanged
}

// PlanHead is what the JSON of a published plan says first, under "planned".
type PlanHead struct {
	Ref     string     `json:"ref"`
	Commit  string     `json:"commit"`
	InForce string     `json:"in_force,omitempty"`
	At      string     `json:"at"` // RFC 3339 in UTC
	Result  PlanResult `json:"result"`
	Summary string     `json:"summary,omitempty"` // "1 to create, 2 to update"

	// What is missing because the file would have become too large; texts are cut then, too.
	Cut                bool `json:"cut,omitempty"`
	ChangesLeftOut     int  `json:"changes_left_out,omitempty"`
	FieldsLeftOut      int  `json:"fields_left_out,omitempty"`
	DiagnosticsLeftOut int  `json:"diagnostics_left_out,omitempty"`
}

// Time is when the plan was made; the zero time when the head does not say.
func (h PlanHead) Time() time.Time {
	at, err := time.Parse(time.RFC3339, h.At)
	if err != nil {
		return time.Time{}
	}
	return at
}

// ReadPlanHead returns the head of a published plan's JSON, the zero head of anything else. Anybody who may
// write to the branch may have written it: it is shown, decides at most that the plan is removed, and its texts are bounded.
func ReadPlanHead(document []byte) PlanHead {
	var read struct {
		Planned PlanHead `json:"planned"`
	}
	if json.Unmarshal(document, &read) != nil {
		return PlanHead{}
	}
	h := read.Planned
	h.Ref, h.Commit, h.InForce, h.At, h.Result, h.Summary = headText(h.Ref), headText(h.Commit), headText(h.InForce), headText(h.At), PlanResult(headText(string(h.Result))), headText(h.Summary)
	return h
}

// maxHeadText is how long a text of a head is that is kept: longer than those that we write.
const maxHeadText = 4096

// headText returns a text, or as much of it as is kept, which then does not hold on to the rest.
func headText(s string) string {
	if len(s) > maxHeadText {
		return strings.Clone(s[:maxHeadText])
	}
	return s
}

// PlanJSON returns the plan for programs as `plan --publish --output json` prints it: all of it.
func PlanJSON(in PlanInput) []byte {
	return in.document(limits{})
}

// RenderPlan returns the files of a published plan: the page, and the JSON. That is the text of [PlanJSON]
// unless it is too large, or has what has the form of a credential. The same input gives the same bytes.
func RenderPlan(in PlanInput) (page, document []byte) {
	document = maskJSON(in.document(limits{}))
	for l, ok := roomy(), true; ok && len(document) > maxFile; l, ok = tighter(l) {
		document = maskJSON(in.document(l))
	}
	return planPage(&in), document
}

// head returns the head of the whole plan.
func (in *PlanInput) head() PlanHead {
	h := PlanHead{Ref: in.Ref, Commit: in.Commit.Hash, InForce: in.InForce, At: in.At.UTC().Format(time.RFC3339), Result: ResultOf(in.Plan)}
	if in.Plan != nil {
		h.Summary = in.Plan.Summary()
	} else if n := diag.VerdictOf(in.Found).Errors; n == 1 {
		h.Summary = "1 mistake"
	} else {
		h.Summary = fmt.Sprintf("%d mistakes", n)
	}
	return h
}

// document returns the JSON within limits, of which the zero ones cut nothing.
func (in *PlanInput) document(l limits) []byte {
	head := in.head()
	found := in.Found
	found.Diagnostics = shorten(found.Diagnostics, l, &head)
	var compact []byte
	var err error
	if in.Plan == nil {
		compact, err = json.Marshal(struct {
			Planned *PlanHead `json:"planned"`
			diag.Verdict
		}{&head, diag.VerdictOf(found)})
	} else {
		compact, err = cutPlan(in.Plan, l, &head).JSON(found, &head)
	}
	var b bytes.Buffer
	if err == nil {
		encoder := json.NewEncoder(&b)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(json.RawMessage(compact))
	}
	if err != nil {
		panic(fmt.Sprintf("report: a plan has no JSON: %v", err)) // only our own types come here: a bug
	}
	return b.Bytes()
}

// shorten returns as many diagnostics as the limits allow, with their texts cut.
func shorten(ds diag.Diagnostics, l limits, head *PlanHead) diag.Diagnostics {
	if l.text == 0 {
		return ds
	}
	head.Cut = true
	head.DiagnosticsLeftOut += max(0, len(ds)-l.findings)
	ds = slices.Clone(ds[:min(len(ds), l.findings)])
	for i := range ds {
		d := &ds[i]
		d.Summary, d.Detail, d.Hint = cut(mask(d.Summary), l.text), cut(mask(d.Detail), l.text), cut(mask(d.Hint), l.text)
	}
	return ds
}

// cutPlan returns as much of a plan as the limits allow.
func cutPlan(p *plan.Plan, l limits, head *PlanHead) *plan.Plan {
	if l.text == 0 {
		return p
	}
	small := &plan.Plan{Refused: shorten(p.Refused, l, head), Warnings: shorten(p.Warnings, l, head)}
	kept := 0
	for _, c := range p.Changes {
		if c.Shown() {
			if l.units > 0 && kept == l.units {
				head.ChangesLeftOut++
				continue
			}
			kept++
			head.FieldsLeftOut += max(0, len(c.Fields)-l.list)
			c.Reason, c.Cost, c.Suspended = cut(mask(c.Reason), l.text), cut(mask(c.Cost), l.text), cut(mask(c.Suspended), l.text)
			c.Fields = slices.Clone(c.Fields[:min(len(c.Fields), l.list)])
			for i := range c.Fields {
				f := &c.Fields[i]
				f.Path, f.Before, f.After = cut(mask(f.Path), l.text), cut(mask(f.Before), l.text), cut(mask(f.After), l.text)
			}
		}
		small.Changes = append(small.Changes, c)
	}
	return small
}

// maskJSON takes what has the form of a credential out of the texts of a JSON document, and leaves all else
// as it is, to the byte.
func maskJSON(document []byte) []byte {
	if !bytes.Contains(document, []byte("://")) {
		return document
	}
	var b bytes.Buffer
	for rest := document; len(rest) > 0; {
		begin := bytes.IndexByte(rest, '"')
		if begin < 0 {
			b.Write(rest)
			break
		}
		end := begin + 1
		for rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		b.Write(rest[:begin])
		quoted := rest[begin : end+1]
		rest = rest[end+1:]
		var text string
		if bytes.Contains(quoted, []byte("://")) && json.Unmarshal(quoted, &text) == nil {
			if safe := mask(text); safe != text {
				quoted = quote(safe)
			}
		}
		b.Write(quoted)
	}
	return b.Bytes()
}

func quote(text string) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(fmt.Sprintf("report: a text has no JSON: %v", err)) // a bug
	}
	return bytes.TrimSpace(b.Bytes())
}

// ShortRef is a ref as people name it: a branch without what all of them begin with.
func ShortRef(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }
