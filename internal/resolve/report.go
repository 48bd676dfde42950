package resolve

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/graph"
)

// The codes of what evaluation finds.
const (
	codeReference diag.Code = "resolve.reference"  // a reference that leads nowhere
	codeCycle     diag.Code = "resolve.cycle"      // references in a circle
	codeValue     diag.Code = "resolve.value"      // a value that the attribute does not take
	codeFailed    diag.Code = "resolve.expression" // an expression without a value
	codeUnknown   diag.Code = "resolve.unknown"    // not known when it has to be
	codeVariable  diag.Code = "resolve.variable"   // a variable without value, or with a wrong one
	codeForEach   diag.Code = "resolve.for-each"   // not something to repeat a block for
	codeScope     diag.Code = "resolve.scope"      // a setting where it cannot apply
	codeConflict  diag.Code = "resolve.conflict"   // attributes that exclude each other
	codeTooLarge  diag.Code = "resolve.too-large"  // more than the budget allows
)

// told is what a diagnostic says and where, apart from details, which differ by key.
type told struct {
	where   diag.Range
	summary string
}

func (s *scope) fail(code diag.Code, where diag.Range, summary, detail, hint string) {
	s.add(diag.Diagnostic{Code: code, Subject: &where, Summary: summary, Detail: detail, Hint: hint})
}

// add notes a diagnostic once: a block with for_each makes the same mistake for every key.
func (s *scope) add(d diag.Diagnostic) {
	if s.told == nil {
		s.told = map[told]bool{}
	}
	key := told{summary: d.Summary}
	if d.Subject != nil {
		key.where = *d.Subject
		if s.block != nil && d.Context == nil && s.block.Range.File == d.Subject.File {
			d.Context = &s.block.Range
			if d.Address == nil && !s.block.Address.IsZero() {
				d.Address = s.block.Address
			}
		}
	}
	if s.told[key] {
		return
	}
	s.told[key] = true
	switch n := len(s.diags); {
	case n < maxMistakes:
		s.diags.Append(d)
	case n == maxMistakes:
		s.diags.Append(diag.Diagnostic{
			Code: codeTooLarge, Subject: d.Subject, Summary: "too many mistakes",
			Detail: fmt.Sprintf("there are more than %d; those from here on are left out", n),
		})
	}
}

// maxMistakes is how many diagnostics are told; nobody reads more.
const maxMistakes = 500

// evaluation takes over what HCL says about an expression. With withhold set, a secret is part of
// it, and texts that may quote a value are left out.
func (s *scope) evaluation(diags hcl.Diagnostics, a *config.Attribute, withhold bool) {
	for _, d := range diags {
		converted := config.Convert(d, codeFailed)
		if d.Subject == nil {
			converted.Subject = &a.Range
		}
		converted.HideSource = secret(a)
		if withhold {
			converted.Detail, converted.Hint = "the reason is not shown, because a sensitive value is part of the expression", ""
		}
		s.add(converted)
	}
}

// within lets the diagnostics tell which block they are about, until the returned function is called.
func (s *scope) within(b *config.Block) func() {
	before := s.block
	s.block = b
	return func() { s.block = before }
}

// secret tells whether an attribute may hold a secret in plain text, so that no line of it is shown.
func secret(a *config.Attribute) bool { return a.Schema != nil && a.Schema.Sensitive }

// wrong tells what is wrong with the value of an attribute.
func (s *scope) wrong(code diag.Code, a *config.Attribute, summary, detail, hint string) {
	s.add(diag.Diagnostic{Code: code, Subject: &a.Range, Summary: summary, Detail: detail, Hint: hint, HideSource: secret(a)})
}

func place(r diag.Range) string { return fmt.Sprintf("%s:%d", r.File, r.Start.Line) }

// cycle reports things that refer to each other in a circle.
func (r *resolver) cycle(g *graph.Graph[addr.Address, diag.Range], cycle []addr.Address) {
	var path strings.Builder
	var first diag.Range
	for i, from := range cycle {
		to := cycle[(i+1)%len(cycle)]
		for _, edge := range g.DependsOn(from) {
			if edge.To == to {
				if i == 0 {
					first = edge.Edge
				}
				fmt.Fprintf(&path, "%s (%s) → ", from, place(edge.Edge))
				break
			}
		}
	}
	path.WriteString(cycle[0].String())
	detail := "these refer to each other, so none can come first: " + path.String()
	if len(cycle) == 1 {
		detail = fmt.Sprintf("%s refers to itself: %s", cycle[0], path.String())
	}
	r.scope.fail(codeCycle, first, "references in a circle", detail, "take one of the references away")
}
