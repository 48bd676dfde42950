package resolve

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// faultyTemplate is all that is wrong with a template, or with the values that it is given, by their place
// in it.
type faultyTemplate struct{ mistakes []mistake }

// mistake is one of them.
type mistake struct {
	text, hint string
	where      diag.Range // in the template
	unset      string     // the name of the value that is not given; "" for all else
	// open tells that the text says nothing of the values, only of the template as it is written, and of
	// which values there are.
	open bool
}

func (e *faultyTemplate) Error() string {
	if first := e.mistakes[0]; first.hint != "" {
		return first.text + "; " + first.hint
	}
	return e.mistakes[0].text
}

// unset is that a template uses a name for which it is given nothing.
func unset(use config.Use, names []string) mistake {
	return mistake{
		text: fmt.Sprintf("the template uses %q (%s), and there is no such key in the values for it", use.Name, place(use.Where)),
		hint: orHint(didYouMean(use.Name, names), fmt.Sprintf("write among the values: %s = …, or correct the template", use.Name)), where: use.Where, unset: use.Name, open: true,
	}
}

// mistakesOf makes one of each fault of a template.
func (s *scope) mistakesOf(faults config.Faults) []mistake {
	var found []mistake
	seen := map[told]bool{}
	for _, f := range faults {
		m := mistake{open: f.SaysNothing()}
		d := f.Diagnostic(codeFailed)
		key := told{summary: d.Summary}
		if d.Subject != nil {
			m.where = *d.Subject
			key.where = *d.Subject
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		if name, unknown := f.UnknownFunction(); unknown {
			m.hint = s.functionHint(name)
		}
		m.text = f.Error()
		found = append(found, m)
	}
	return found
}

// concealed is what may be told of a template when some of what it is given is sensitive: what its own
// text, which is in the tree for everybody to read, does not go with.
func (e *faultyTemplate) concealed(args []cty.Value) error {
	if !args[0].ContainsMarked() && !args[1].ContainsMarked() {
		return e
	}
	var open []mistake
	hidden := false
	for _, m := range e.mistakes {
		// The keys of a map that is sensitive as a whole are so as well.
		if m.open && !args[0].ContainsMarked() && (m.unset == "" || !args[1].IsMarked()) {
			open = append(open, m)
		} else if !hidden {
			hidden = true
			open = append(open, mistake{text: errConcealed.Error()})
		}
	}
	return &faultyTemplate{open}
}

// tellTemplate tells each mistake in a template once: in its text where that stands, however many
// calls render it, and in what it is given for each call.
func (s *scope) tellTemplate(e *faultyTemplate, f config.Fault, base diag.Diagnostic, withhold bool) {
	function, _ := f.Function()
	for _, m := range e.mistakes {
		one, key := base, told{summary: "template"}
		one.Summary, one.Detail, one.Hint = "error in function call", fmt.Sprintf("call to function %q failed: %s", function, m.text), m.hint
		if m.unset != "" {
			one.Summary, one.Detail = "invalid function argument", `invalid value for "vars" parameter: `+m.text
			key.summary = m.unset
			if where, is := f.Argument(1); is {
				one.Subject = &where
			}
		}
		if withhold && !m.open {
			one.Detail, one.Hint = "the reason is not shown, because a sensitive value is part of the expression", ""
		}
		if one.Hint == "" {
			one.Detail, one.Hint = evaluationHint(f, one.Detail, withhold)
		}
		if m.open && m.unset == "" && function == "templatefile" {
			key.where = diag.Range{File: m.where.File, Start: diag.Pos{Byte: m.where.Start.Byte}}
		} else if one.Subject != nil {
			key.where = *one.Subject
			key.summary += fmt.Sprintf(" at %d", m.where.Start.Byte)
		}
		s.addOnce(key, one, "")
	}
}
