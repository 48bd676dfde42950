package config

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// The codes of what can be wrong with a configuration as it is written.
const (
	codeFiles            diag.Code = "config.files"             // a file or directory cannot be read
	codeLimit            diag.Code = "config.limit"             // larger or deeper than the limits
	codeSyntax           diag.Code = "config.syntax"            // not HCL
	codeUnknownBlock     diag.Code = "config.unknown-block"     // a kind of block that is not there
	codeUnknownAttribute diag.Code = "config.unknown-attribute" // an attribute that is not there
	codeMissingBlock     diag.Code = "config.missing-block"
	codeMissingAttribute diag.Code = "config.missing-attribute"
	codeDuplicate        diag.Code = "config.duplicate" // defined twice
	codeLabel            diag.Code = "config.label"     // a label is missing, extra or not valid
	codeReference        diag.Code = "config.reference" // not a reference
	codeFormat           diag.Code = "config.format"    // what the formatter would spoil
	codeModule           diag.Code = "config.module"    // a module that cannot be called, or what does not belong in one
)

// CodeLimit is that of what is larger than the limits: the mistake is not where it is told.
const CodeLimit = codeLimit

func (l *loader) fail(code diag.Code, where hcl.Range, summary, detail, hint string) {
	d := diag.Diagnostic{Code: code, Summary: summary, Detail: detail, Hint: hint}
	if where.Filename != "" {
		d.Subject = subject(where)
		d.Context, d.Address = l.header, l.address
	}
	l.add(d)
}

// add notes a diagnostic. Nobody reads thousands of them.
func (l *loader) add(d diag.Diagnostic) {
	switch n := len(l.diags); {
	case n < l.limits.Errors:
		l.diags = append(l.diags, d)
	case n == l.limits.Errors:
		l.diags = append(l.diags, diag.Diagnostic{
			Code: codeLimit, Summary: "too many mistakes", Subject: d.Subject,
			Detail: fmt.Sprintf("there are more than %d; those from here on are left out", n), Hint: "correct those that are told; the others follow",
		})
	}
}

// syntax takes over what the parser has to say.
func (l *loader) syntax(diags hcl.Diagnostics) {
	told := 0
	for _, d := range diags {
		if d.Severity != hcl.DiagError {
			continue
		}
		if told++; told > l.limits.FileErrors {
			l.add(diag.Diagnostic{
				Code: codeSyntax, Subject: diagnostic(d, codeSyntax).Subject, Summary: "too many mistakes",
				Detail: "there are more mistakes in this file; those from here on are left out", Hint: "correct those that are told; the others follow",
			})
			return
		}
		found := diagnostic(d, codeSyntax)
		if d.Summary == redefined {
			found.Code, found.Summary, found.Hint = codeDuplicate, "defined twice", "keep one of them"
		}
		if found.Hint == "" {
			found.Hint = "mend it at the place shown, or just before it; nothing is applied meanwhile"
		}
		l.add(found)
	}
}

// openQuote is the parser's summary for a quote that is not closed in its line.
const openQuote = "Invalid multi-line string"

// redefined is its summary for an attribute that is there twice.
const redefined = "Attribute redefined"

// diagnostic makes one of HCL one of ours, with a code.
func diagnostic(d *hcl.Diagnostic, code diag.Code) diag.Diagnostic {
	converted := diag.Diagnostic{Code: code, Summary: plainText(plainLists(d.Summary)), Detail: d.Detail}
	if d.Severity == hcl.DiagWarning {
		converted.Severity = diag.Warning
	}
	if d.Subject != nil {
		converted.Subject = subject(*d.Subject)
	}
	// HCL ends its details with the suggestion, where it has one.
	if at := strings.LastIndex(converted.Detail, " Did you mean "); at >= 0 && strings.HasSuffix(converted.Detail, "?") {
		converted.Detail, converted.Hint = converted.Detail[:at], plainText(converted.Detail[at+1:])
	}
	if hint, known := hcl.DiagnosticExtra[advice](d); known {
		converted.Hint = string(hint)
	}
	converted.Detail = PlainTypes(plainText(converted.Detail))
	return converted
}

// plainLists has people's words for what the parser calls constructors.
func plainLists(text string) string {
	return strings.NewReplacer("tuple constructor expression", "list", "object constructor expression", "map").Replace(text)
}

// plainText brings a text of HCL into the form of ours: a small letter in front, and no full stop
// at the end of a single sentence.
func plainText(s string) string {
	if len(s) > 1 && 'A' <= s[0] && s[0] <= 'Z' && ('a' <= s[1] && s[1] <= 'z' || s[1] == ' ') {
		s = strings.ToLower(s[:1]) + s[1:]
	}
	if !strings.Contains(s, ". ") {
		s = strings.TrimSuffix(s, ".")
	}
	return s
}

func subject(r hcl.Range) *diag.Range {
	converted := rangeOf(r)
	return &converted
}

func rangeOf(r hcl.Range) diag.Range {
	return diag.Range{
		File:  r.Filename,
		Start: diag.Pos{Line: r.Start.Line, Column: r.Start.Column, Byte: r.Start.Byte},
		End:   diag.Pos{Line: r.End.Line, Column: r.End.Column, Byte: r.End.Byte},
	}
}

// headerRange is the kind and the labels of a block.
func headerRange(b *hclsyntax.Block) hcl.Range { return b.DefRange() }

// place names a range in a sentence.
func place(r diag.Range) string { return fmt.Sprintf("%s:%d", r.File, r.Start.Line) }
