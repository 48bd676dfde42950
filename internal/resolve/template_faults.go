package resolve

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// faultyTemplate is all that is wrong with a template, or with the values that it is given, by their place
// in it.
type faultyTemplate struct{ faults []fault }

// fault is one mistake.
type fault struct {
	text, hint string
	where      hcl.Range // in the template
	unset      string    // the name of the value that is not given; "" for all else
	// open tells that the text says nothing of the values, only of the template as it is written, and of
	// which values there are.
	open bool
}

func (e *faultyTemplate) Error() string {
	if first := e.faults[0]; first.hint != "" {
		return first.text + "; " + first.hint
	}
	return e.faults[0].text
}

// unset is that a template uses a name for which it is given nothing.
func unset(use hcl.Traversal, names []string) fault {
	name, where := use.RootName(), use.SourceRange()
	return fault{
		text: fmt.Sprintf("the template uses %q (%s:%d), and there is no such key in the values for it", name, where.Filename, where.Start.Line),
		hint: orHint(didYouMean(name, names), fmt.Sprintf("write among the values: %s = …, or correct the template", name)), where: where, unset: name, open: true,
	}
}

// faults makes one of each error of a template.
func (s *scope) faults(diags hcl.Diagnostics) []fault {
	var found []fault
	seen := map[told]bool{}
	for _, d := range diags {
		f := fault{open: config.SaysNothing(d)}
		key := told{summary: d.Summary}
		if d.Subject != nil {
			f.where = *d.Subject
			key.where = diag.Range{Start: diag.Pos{Byte: f.where.Start.Byte}, End: diag.Pos{Byte: f.where.End.Byte}}
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		if unknown, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallUnknownDiagExtra](d); ok {
			plain := *d
			plain.Detail = fmt.Sprintf("There is no function named %q.", unknown.CalledFunctionNamespace()+unknown.CalledFunctionName())
			d, f.hint = &plain, s.functionHint(unknown.CalledFunctionName())
		}
		f.text = config.HCLError(hcl.Diagnostics{d}).Error()
		found = append(found, f)
	}
	return found
}

// concealed is what may be told of a template when some of what it is given is sensitive: what its own
// text, which is in the tree for everybody to read, does not go with.
func (e *faultyTemplate) concealed(args []cty.Value) error {
	if !args[0].ContainsMarked() && !args[1].ContainsMarked() {
		return e
	}
	var open []fault
	hidden := false
	for _, f := range e.faults {
		// The keys of a map that is sensitive as a whole are so as well.
		if f.open && !args[0].ContainsMarked() && (f.unset == "" || !args[1].IsMarked()) {
			open = append(open, f)
		} else if !hidden {
			hidden = true
			open = append(open, fault{text: errConcealed.Error()})
		}
	}
	return &faultyTemplate{open}
}

// tellTemplate tells each mistake in a template once: in its text where that stands, however many
// calls render it, and in what it is given for each call.
func (s *scope) tellTemplate(e *faultyTemplate, d *hcl.Diagnostic, base diag.Diagnostic, withhold bool) {
	call, _ := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](d)
	for _, f := range e.faults {
		one, key := base, told{summary: "template"}
		one.Summary, one.Detail, one.Hint = "error in function call", fmt.Sprintf("call to function %q failed: %s", call.CalledFunctionName(), f.text), f.hint
		if f.unset != "" {
			one.Summary, one.Detail = "invalid function argument", `invalid value for "vars" parameter: `+f.text
			key.summary = f.unset
			if e, is := d.Expression.(*hclsyntax.FunctionCallExpr); is && len(e.Args) > 1 {
				where := e.Args[1].StartRange()
				one.Subject = config.Convert(&hcl.Diagnostic{Subject: &where}, codeFailed).Subject
			}
		}
		if withhold && !f.open {
			one.Detail, one.Hint = "the reason is not shown, because a sensitive value is part of the expression", ""
		}
		if one.Hint == "" {
			one.Detail, one.Hint = evaluationHint(d, one.Detail, withhold)
		}
		if f.open && f.unset == "" && call.CalledFunctionName() == "templatefile" {
			key.where = diag.Range{File: f.where.Filename, Start: diag.Pos{Byte: f.where.Start.Byte}}
		} else if one.Subject != nil {
			key.where = *one.Subject
			key.summary += fmt.Sprintf(" at %d", f.where.Start.Byte)
		}
		s.addOnce(key, one, "")
	}
}
