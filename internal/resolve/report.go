package resolve

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
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
	codeInterface diag.Code = "resolve.interface"  // which endpoints are used is not written where it matters
	codeScope     diag.Code = "resolve.scope"      // a setting where it cannot apply
	codeConflict  diag.Code = "resolve.conflict"   // attributes, or objects, that exclude each other
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
func (s *scope) add(d diag.Diagnostic) { s.addFor(d, s.bearer()) }

// addFor is add for what differs by key, with the name of what has the mistake.
func (s *scope) addFor(d diag.Diagnostic, bearer string) {
	key := told{summary: d.Summary}
	if d.Subject != nil {
		key.where = *d.Subject
	}
	s.addOnce(key, d, bearer)
}

// addOnce notes a diagnostic unless there was one with the same key.
func (s *scope) addOnce(key told, d diag.Diagnostic, bearer string) {
	if d.Subject != nil {
		if s.block != nil && d.Context == nil && s.block.Range.File == d.Subject.File {
			d.Context = &s.block.Range
			if d.Address == nil && !s.block.Address.IsZero() && !s.anywhere {
				d.Address = s.block.Address.In(s.path)
			}
		}
		if d.Address == nil && !s.path.IsRoot() && !s.anywhere {
			d.Address = s.path
		}
	}
	if before := s.told[key]; before != nil {
		s.bear(before, bearer)
		return
	}
	saying := &saying{at: -1, detail: d.Detail}
	s.told[key] = saying
	switch n := len(s.diags); {
	case n < maxMistakes:
		saying.at = n
		s.diags.Append(d)
		s.bear(saying, bearer)
	case n == maxMistakes:
		s.diags.Append(diag.Diagnostic{
			Code: codeTooLarge, Subject: d.Subject, Summary: "too many mistakes",
			Detail: fmt.Sprintf("there are more than %d; those from here on are left out", n), Hint: "correct those that are told; the others follow",
		})
	}
}

// maxMistakes is how many diagnostics are told; nobody reads more.
const maxMistakes = 500

// evaluation tells what went wrong when an expression was evaluated. With withhold set, a secret is part of
// it, and texts that may quote a value are left out. Without whole, something that it refers to is broken
// and unknown, about which nothing is said.
func (s *scope) evaluation(faults config.Faults, a *config.Attribute, sensitive, whole bool) {
	for n, f := range faults.Causes() {
		withhold := sensitive && (n >= mostOpened || !f.Open(seals))
		d := f.Diagnostic(codeFailed)
		if d.Subject == nil {
			d.Subject = &a.Range
		}
		hideValue(&d, a)
		if name, unknown := f.UnknownFunction(); unknown {
			d.Hint = s.functionHint(name)
		}
		if function, refused := f.Function(); function != "" {
			var closed *unopened
			if errors.As(refused, &closed) {
				s.tellUnopened(closed, d)
				continue
			}
			var faulty *faultyTemplate
			if errors.As(refused, &faulty) {
				s.tellTemplate(faulty, f, d, withhold)
				continue
			}
			if !whole && isLate(refused) {
				continue
			}
			if hint, open := spokenHint(refused); open {
				d.Hint = hint
				s.addOf(d, a)
				continue
			}
		}
		if withhold && !f.SaysNothing() {
			d.Detail, d.Hint = "the reason is not shown, because a sensitive value is part of the expression", ""
		}
		if d.Hint == "" {
			d.Detail, d.Hint = evaluationHint(f, d.Detail, withhold)
		}
		s.addOf(d, a)
	}
}

// mostOpened is how many faults of one expression are looked at for whether they are about something sensitive.
const mostOpened = 100

// seals tells whether a function may make something sensitive of what is not.
func seals(function string) bool {
	switch function {
	case "sensitive", "secret", "sops", "templatefile", "templatestring":
		return true
	}
	return false
}

// functionHint finds the function that was probably meant.
func (s *scope) functionHint(name string) string {
	switch name {
	case "timestamp", "plantimestamp", "uuid", "bcrypt", "rsadecrypt", "abspath", "pathexpand":
		return "it would give another value each time, or on each machine, so it is not part of this language"
	}
	return orHint(didYouMean(name, slices.Collect(maps.Keys(s.toolbox()))), "schema/reference/functions.md lists the functions that there are")
}

// within lets the diagnostics tell which block they are about, until the returned function is called.
func (s *scope) within(b *config.Block) func() {
	before := s.block
	s.block = b
	return func() { s.block = before }
}

// enter makes a module the one at work, and a block in it, until the returned function is called.
func (s *scope) enter(m *module, b *config.Block) func() {
	module, path, block := s.module, s.path, s.block
	s.module, s.path, s.block = m, m.path, b
	return func() { s.module, s.path, s.block = module, path, block }
}

// secret tells whether an attribute may hold a secret in plain text.
func secret(a *config.Attribute) bool { return a.Schema != nil && a.Schema.Sensitive }

// hideValue lets a diagnostic about such an attribute show its name in place of the value, or nothing where
// the mistake stands in another line than the name, whose number tells more then.
func hideValue(d *diag.Diagnostic, a *config.Attribute) {
	switch {
	case !secret(a):
	case d.Subject != nil && d.Subject.File == a.NameRange.File && d.Subject.Start.Line == a.NameRange.Start.Line:
		d.Subject, d.HideAfter = &a.NameRange, true
	default:
		d.HideSource = true
	}
}

// wrong tells what is wrong with the value of an attribute.
func (s *scope) wrong(code diag.Code, a *config.Attribute, summary, detail, hint string) {
	d := diag.Diagnostic{Code: code, Subject: &a.Range, Summary: summary, Detail: detail, Hint: hint}
	hideValue(&d, a)
	s.addOf(d, a)
}

func place(r diag.Range) string { return fmt.Sprintf("%s:%d", r.File, r.Start.Line) }
