package convert

import (
	"fmt"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// The codes of what can be said about a conversion.
const (
	codeLimit     diag.Code = "convert.limit"         // larger or deeper than the limits
	codeSyntax    diag.Code = "convert.syntax"        // not YAML
	codeDuplicate diag.Code = "convert.duplicate"     // written twice
	codeKind      diag.Code = "convert.unknown-kind"  // not a kind that can be converted
	codeField     diag.Code = "convert.unknown-field" // a field that the kind does not have
	codeNoHome    diag.Code = "convert.no-home"       // a field that the language has nothing for
	codeValue     diag.Code = "convert.value"         // a value that the field cannot have
	codeConflict  diag.Code = "convert.conflict"      // two places contradict each other
	codeAssumed   diag.Code = "convert.assumed"       // the YAML does not say it
	codeMissing   diag.Code = "convert.missing"       // spoken of, and not among the documents
	codeLeftOut   diag.Code = "convert.left-out"      // not a wish, so not part of a configuration
	codeRoles     diag.Code = "convert.roles"         // nodes without the roles that are needed
)

// finding is a diagnostic while it is made.
type finding struct {
	code                  diag.Code
	at                    diag.Range
	summary, detail, hint string
	hidden                bool // the line may hold a secret
}

func (c *converter) lost(f finding) { c.add(f, diag.Error) }

func (c *converter) warn(f finding) { c.add(f, diag.Warning) }

// unreadable notes an error that leaves no result.
func (c *converter) unreadable(f finding) {
	c.broken = true
	c.add(f, diag.Error)
}

// add notes a diagnostic. Nobody reads thousands of them.
func (c *converter) add(f finding, severity diag.Severity) {
	if c.told > c.limits.Errors {
		return
	}
	d := diag.Diagnostic{Severity: severity, Code: f.code, Summary: f.summary, Detail: f.detail, Hint: f.hint, HideSource: f.hidden}
	if c.told++; c.told > c.limits.Errors {
		d = diag.Diagnostic{
			Code: codeLimit, Summary: "too many mistakes",
			Detail: fmt.Sprintf("there are more than %d; those from here on are left out", c.limits.Errors), Hint: "correct those that are told; the others follow",
		}
	}
	if f.at.File != "" {
		d.Subject = &f.at
	}
	c.diags.Append(d)
}

// nearest is the hint for a misspelt name, "" when nothing is like it.
func nearest(name string, names []string) string {
	if found := config.Nearest(name, names); found != "" {
		return fmt.Sprintf("did you mean %q?", found)
	}
	return ""
}

func didYouMean(name string, names []string) string {
	return orElse(nearest(name, names), "there are: "+strings.Join(names, ", "))
}

func shorten(s string) string {
	const longest = 40
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return s
}

// place names a range in a sentence.
func place(r diag.Range) string { return fmt.Sprintf("%s:%d", r.File, r.Start.Line) }
