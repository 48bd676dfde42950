package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Template is a text with ${ } and %{ } in it, behind the same guards as a configuration.
type Template struct {
	// Expr makes the text. It charges the [Budget] of the context that it is evaluated in.
	Expr hcl.Expression
	// Variables are the names that it needs, as they are used.
	Variables []hcl.Traversal
}

// ParseTemplate reads a template. The budget pays for it by the template's tokens. The error says
// what is wrong and where, by the given name.
func ParseTemplate(src []byte, name string, limits Limits, budget *Budget) (*Template, error) {
	if int64(len(src)) > limits.FileBytes {
		return nil, fmt.Errorf("%s: a template can have at most %d bytes", name, limits.FileBytes)
	}
	if where, bad := notText(src, name); bad {
		return nil, fmt.Errorf("%s: there are bytes that are not text in UTF-8", position(where))
	}
	tokens, diags := hclsyntax.LexTemplate(src, name, hcl.InitialPos)
	if found := guardTokens(tokens, limits); found != nil {
		return nil, fmt.Errorf("%s: there can be at most %d %s", position(found.where), found.limit, found.what)
	}
	if !budget.Spend(len(tokens), len(src)) {
		return nil, errSpent
	}
	if len(diags) > limits.FileErrors {
		return nil, HCLError(diags)
	}
	e, diags := hclsyntax.ParseTemplate(src, name, hcl.InitialPos)
	if diags.HasErrors() {
		if first := firstError(diags); strings.HasPrefix(first.Summary, "Unclosed template ") {
			first.Subject = lastOpened(tokens) // the parser points at the beginning of the template
		}
		return nil, HCLError(diags)
	}
	variables := e.Variables()
	return &Template{Expr: meter(e), Variables: variables}, nil
}

// lastOpened is where the last ${ or %{ stands that is not closed; nil when all are.
func lastOpened(tokens hclsyntax.Tokens) *hcl.Range {
	var open []*hcl.Range
	for i := range tokens {
		switch tokens[i].Type {
		case hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			open = append(open, &tokens[i].Range)
		case hclsyntax.TokenTemplateSeqEnd:
			open = open[:max(0, len(open)-1)]
		default:
		}
	}
	if len(open) == 0 {
		return nil
	}
	return open[len(open)-1]
}

// HCLError is the first error among diagnostics of HCL in one line, with its place.
func HCLError(diags hcl.Diagnostics) error {
	if first := firstError(diags); first.Subject != nil {
		return fmt.Errorf("%s: %s", position(*first.Subject), said(diags))
	}
	return errors.New(said(diags))
}

// said is what the first error says, as a part of a sentence.
func said(diags hcl.Diagnostics) string {
	d := Convert(firstError(diags), codeSyntax)
	text := strings.TrimSuffix(d.Detail, ".")
	if text == "" {
		text = d.Summary
	}
	if d.Hint != "" {
		text += "; " + d.Hint
	}
	return text
}

func firstError(diags hcl.Diagnostics) *hcl.Diagnostic {
	for _, d := range diags {
		if d.Severity == hcl.DiagError {
			return d
		}
	}
	return &hcl.Diagnostic{Summary: "the text is not valid"}
}

func position(r hcl.Range) string { return rangeOf(r).String() }
