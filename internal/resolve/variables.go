package resolve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// variables gives each variable its value: the given one, one from outside, or its default.
func (r *resolver) variables(given map[string]cty.Value) {
	var names []string
	last := r.lastValues()
	var apart, together []func() // the rules that see one variable, and those that see others besides
	for _, b := range r.config.Variables {
		names = append(names, b.Label())
		a, err := addr.NewValue(addr.Module{}, addr.Variable, b.Label())
		if err != nil {
			continue
		}
		n := r.root.values[a]
		value, ok := given[b.Label()]
		where, before := b.Range, len(r.scope.diags)
		var from outside
		if !ok {
			from = r.outside(b, last[b.Label()])
			value, ok, where = from.value, from.is, from.where
		}
		if from.broken {
			n.broken = true
			if from.is && from.value != cty.NilVal {
				_, _ = r.variable(b, from.value, true, where)
			}
			continue
		}
		n.value, ok = r.variable(b, value, ok, where)
		r.tellOrigin(before, from)
		if n.known = ok && n.value.IsWhollyKnown(); !ok {
			n.value, n.broken = cty.DynamicVal, true // what it is would be wrong again wherever it is used
			continue
		}
		rules := func() {
			before := len(r.scope.diags)
			if !r.validate(b, n.value, where, &uses{}) {
				n.value, n.known, n.broken = cty.DynamicVal, false, true
			}
			r.tellOrigin(before, from)
		}
		if len(others(b)) > 0 {
			together = append(together, rules)
		} else {
			apart = append(apart, rules)
		}
	}
	for _, rules := range slices.Concat(apart, together) { // once all values are there
		rules()
	}
	r.strays(names)
	var strays []string
	for name := range given {
		if !slices.Contains(names, name) {
			strays = append(strays, name)
		}
	}
	slices.Sort(strays)
	for _, name := range strays {
		if !r.config.Partial {
			r.scope.add(diag.Diagnostic{
				Code: codeVariable, Summary: "unknown variable",
				Detail: fmt.Sprintf("a value is given for the variable %q, and the configuration has no such variable", name), Hint: orHint(didYouMean(name, names), hintStray),
			})
		}
	}
}

// variable returns the value of one variable, and whether it is one that its rules can be held against.
// where is the place that gives the value, which is the variable's own when nothing nearer is known.
func (r *resolver) variable(b *config.Block, given cty.Value, isGiven bool, where diag.Range) (cty.Value, bool) {
	defer r.scope.within(b)()
	want, typed := r.variableType(b)
	good := typed
	isSensitive, nullable := r.isSensitive(b), r.isNullable(b)
	if isGiven && !nullable && given.IsNull() && b.Attribute("default") != nil {
		given, isGiven = cty.NilVal, false
	}
	outside := isGiven
	for _, a := range b.Attributes {
		if a.Name == "type" {
			continue
		}
		if len(a.References) > 0 || a.Broken {
			if !a.Broken {
				r.scope.wrong(codeVariable, a, "reference in a variable", fmt.Sprintf("%s of a variable is written as a plain value", a.Name), "what is made from other values is a local")
			}
			_, _, _ = r.scope.eval(a) // for other mistakes in it
			good = false
			continue
		}
		v, _, ok := r.scope.decode(a)
		switch {
		case !ok:
			good = false
		case !typed: // nobody knows what it should be
		case a.Name == "default" && !isGiven:
			given, isGiven = v, true
			if v, ok = r.toType(v, want, shownRange(a, isSensitive), isSensitive); !ok {
				good = false
				continue
			}
			given = v
		case a.Name == "default":
			_, ok = r.toType(v, want, shownRange(a, isSensitive), isSensitive)
			good = good && ok
		}
	}
	if !good || !isGiven {
		r.lookOverRules(b, want.Type)
	}
	if !good && outside {
		_, _ = r.toType(given, want, where, isSensitive)
	}
	if !good || !isGiven && b.Broken { // what was told may be about the default
		return cty.DynamicVal, false
	}
	if !isGiven {
		r.scope.fail(codeVariable, b.Range, "variable without value", fmt.Sprintf("the variable %q has no default, and no value is given", b.Label()), fmt.Sprintf("write a default, or give a value: in the file kupenstack.hclvars, or with --var %s=…", b.Label()))
		return cty.DynamicVal, false
	}
	v, ok := r.toType(given, want, where, isSensitive)
	if !ok {
		r.lookOverRules(b, want.Type)
		return cty.DynamicVal, false
	}
	if !nullable && v.IsNull() {
		r.scope.fail(codeVariable, where, "value is missing", fmt.Sprintf("the variable %q has nullable = false, and its value is null", b.Label()), "give it a value, or take nullable = false away")
		return cty.DynamicVal, false
	}
	if isSensitive {
		v = v.Mark(model.Sensitive)
	}
	return v, true
}

// isSensitive reads the attribute of that name before the others, as it decides what may be shown of
// them. When it cannot be read, nothing is shown.
func (r *resolver) isSensitive(b *config.Block) bool {
	a := b.Attribute("sensitive")
	if a == nil {
		return false
	}
	if len(a.References) > 0 {
		return true // refused with the others
	}
	v, _, ok := r.scope.decode(a)
	v, _ = v.Unmark()
	return !ok || v.IsNull() || v.True()
}

func (r *resolver) isNullable(b *config.Block) bool {
	a := b.Attribute("nullable")
	if a == nil || len(a.References) > 0 { // refused with the others
		return true
	}
	v, _, ok := r.scope.decode(a)
	v, _ = v.Unmark()
	return !ok || v.IsNull() || v.True()
}

func (r *resolver) variableType(b *config.Block) (config.Constraint, bool) {
	a := b.Attribute("type")
	if a == nil {
		return config.Constraint{Type: cty.DynamicPseudoType}, true
	}
	want, faults := a.Constraint()
	for _, f := range faults {
		d := f.Diagnostic(codeVariable)
		if meant := f.MeantType(); meant != "" {
			d.Hint = fmt.Sprintf("did you mean %s?", meant)
		}
		d.Hint = orHint(d.Hint, "there are: string, number, bool, any, list(…), set(…), map(…) and object({ … })")
		r.scope.add(d)
	}
	return want, len(faults) == 0
}

// toType converts a variable's value. The value is not quoted when it is a secret.
func (r *resolver) toType(v cty.Value, want config.Constraint, where diag.Range, secret bool) (cty.Value, bool) {
	v = want.Complete(v)
	converted, err := convert.Convert(v, want.Type)
	if err == nil {
		return converted, true
	}
	const misfit = "the value does not fit the type of the variable"
	detail := misfit + ": " + strings.TrimLeft(wrongType(v, err), ":. ") // no name stands before the place in the value
	if secret {
		detail = misfit
	} else if all := misfitsFor(want.Type, v); !v.ContainsMarked() && len(all) > 1 {
		detail = misfit + ": " + abridged(all)
	}
	if given := r.scope.given; given != nil && !secret && ofElements(given) {
		detail += quoted(v)
	}
	r.scope.add(diag.Diagnostic{Code: codeVariable, Subject: &where, Summary: "wrong type of value", Detail: detail, Hint: "change the value, or the type of the variable", HideAfter: secret})
	return v, false
}

// shownRange is what to show of an attribute: its value, or only its name where the value may be secret.
func shownRange(a *config.Attribute, secret bool) diag.Range {
	if secret {
		return a.NameRange
	}
	return a.Range
}

func shortenMessage(s string) string {
	const longest = 1000
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return s
}
