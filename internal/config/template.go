package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// Template is a text with ${ } and %{ } in it, behind the same guards as a configuration.
type Template struct {
	Expr      Expression                    // makes the text
	variables []hcl.Traversal               // the names that it needs, as they are used
	calls     []*hclsyntax.FunctionCallExpr // of functions, but for what may fail or is looked at in some cases only
}

// Use is a place at which a name is used.
type Use struct {
	Name  string
	Where diag.Range
}

// Missing returns, of each name that the template needs and that is not among the given values, the first
// use.
func (t *Template) Missing(values map[string]cty.Value) []Use {
	var missing []Use
	seen := map[string]bool{}
	for _, use := range t.variables {
		name := use.RootName()
		if _, given := values[name]; !given && !seen[name] {
			seen[name] = true
			missing = append(missing, Use{Name: name, Where: rangeOf(use.SourceRange())})
		}
	}
	return missing
}

// Miscalls tells which calls in the template are of functions that there are not, or have too few or too
// many arguments. Of the context it takes the functions alone, so what is told quotes no value.
func (t *Template) Miscalls(ctx *Context) Faults {
	functions := &hcl.EvalContext{Functions: ctx.inner.Functions}
	var found Faults
	for _, written := range t.calls {
		call := *written
		call.Args = make([]hclsyntax.Expression, len(written.Args))
		for i, argument := range written.Args {
			call.Args[i] = &hclsyntax.LiteralValueExpr{Val: cty.DynamicVal, SrcRange: argument.Range()}
		}
		_, diags := call.Value(functions)
		for _, d := range diags {
			if miscalled(d) {
				found = append(found, Fault{d})
			}
		}
	}
	return found
}

// miscalled tells that an error is about how a function is called, whatever the values.
func miscalled(d *hcl.Diagnostic) bool {
	return d.Summary == summaryNoFunction || d.Summary == summaryTooFew || d.Summary == summaryTooMany
}

// callsIn gathers the calls of a template that count in any case.
type callsIn struct {
	found []*hclsyntax.FunctionCallExpr
	stack []reach
}

// Enter looks at a node.
func (c *callsIn) Enter(node hclsyntax.Node) hcl.Diagnostics {
	at := reach{node: node}
	if n := len(c.stack); n > 0 {
		outer := c.stack[n-1]
		_, choice := outer.node.(*hclsyntax.ConditionalExpr) // both of whose results are evaluated
		at.skipped = outer.skipped || !choice && atTimes(outer.node, node)
	}
	if call, is := node.(*hclsyntax.FunctionCallExpr); is && !at.skipped {
		c.found = append(c.found, call)
	}
	c.stack = append(c.stack, at)
	return nil
}

// Exit leaves a node.
func (c *callsIn) Exit(hclsyntax.Node) hcl.Diagnostics {
	c.stack = c.stack[:len(c.stack)-1]
	return nil
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
		return nil, firstOf(diags)
	}
	e, diags := hclsyntax.ParseTemplate(src, name, hcl.InitialPos)
	if diags.HasErrors() {
		if first := firstError(diags); strings.HasPrefix(first.Summary, "Unclosed template ") {
			first.Subject = lastOpened(tokens) // the parser points at the beginning of the template
		}
		return nil, firstOf(diags)
	}
	variables := e.Variables()
	var calls callsIn
	_ = hclsyntax.Walk(e, &calls)
	return &Template{Expr: Expression{meter(e)}, variables: variables, calls: calls.found}, nil
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

// firstOf is the first error among diagnostics of HCL in one line, with its place.
func firstOf(diags hcl.Diagnostics) error {
	if first := firstError(diags); first.Subject != nil {
		return fmt.Errorf("%s: %s", position(*first.Subject), said(diags))
	}
	return errors.New(said(diags))
}

// said is what the first error says, as a part of a sentence.
func said(diags hcl.Diagnostics) string {
	d := diagnostic(firstError(diags), codeSyntax)
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
