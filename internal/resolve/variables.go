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
		}
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

// variable returns the value of one variable, and whether it is a good one. where is the place that
// gives the value, which is the variable's own when nothing nearer is known.
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
	return v, r.validate(b, v, where)
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

// validate applies the rules of a variable to its value.
func (r *resolver) validate(b *config.Block, v cty.Value, where diag.Range) bool {
	good := true
	for _, rule := range b.Nested("validation") {
		condition, message := rule.Attribute("condition"), rule.Attribute("error_message")
		if condition == nil || message == nil {
			good = false
			continue // told already
		}
		holds, ok := r.ruleValue(b, condition, v, cty.Bool)
		if _, whole := r.seenByRule(b, message, v); !ok || !whole {
			good = false
			continue
		}
		plain, _ := holds.Unmark()
		if plain.IsKnown() && !plain.IsNull() && plain.True() || !plain.IsKnown() && !v.IsWhollyKnown() {
			continue // what is not known now is looked at again at the second stage
		}
		good = false
		text := "the value does not follow the rule of the variable"
		if said, ok := r.ruleValue(b, message, v, cty.String); ok && !said.IsMarked() && said.IsKnown() && !said.IsNull() {
			text = shortenMessage(said.AsString())
		}
		where, atRule := where, shownRange(condition, v.ContainsMarked())
		summary, hint := fmt.Sprintf("invalid value of the variable %q", b.Label()), "change the value, or the rule"
		if where == b.Range {
			where = atRule
		} else {
			hint = fmt.Sprintf("change the value; the rule is at %s", place(condition.Range))
		}
		r.scope.add(diag.Diagnostic{Code: codeVariable, Subject: &where, Summary: summary, Detail: text, Hint: hint, HideAfter: v.ContainsMarked()})
	}
	return good
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

// ruleValue evaluates a part of a rule, which sees nothing but the variable itself.
func (r *resolver) ruleValue(b *config.Block, a *config.Attribute, v cty.Value, want cty.Type) (cty.Value, bool) {
	seen, whole := r.seenByRule(b, a, v)
	ctx := config.NewContext(seen, r.scope.toolbox(), r.scope.budget)
	r.scope.budget.Begin()
	r.scope.disclosed = false
	result, faults := a.Expr.Value(ctx)
	if err := r.scope.budget.End(); err != nil {
		if !whole {
			return cty.NilVal, false
		}
		r.scope.wrong(codeTooLarge, a, "expression is too large", "it was stopped, because it is far beyond what a configuration needs", hintTooLarge)
		return cty.NilVal, false
	}
	if len(faults) > 0 {
		r.scope.evaluation(faults, a, v.ContainsMarked() || r.scope.disclosed, whole)
		return cty.NilVal, false
	}
	was := strings.ReplaceAll(result.Type().FriendlyName(), "tuple", "list")
	result, err := convert.Convert(result, want)
	if err != nil {
		r.scope.wrong(codeVariable, a, "wrong type of value", fmt.Sprintf("%s must be %s, and this is %s", a.Name, config.Indefinite(want.FriendlyName()), config.Indefinite(was)), config.Example(a.Schema))
		return cty.NilVal, false
	}
	return result, whole
}

// seenByRule is what a part of a rule can refer to. What it refers to besides is told, is unknown, and makes
// it return false.
func (r *resolver) seenByRule(b *config.Block, a *config.Attribute, v cty.Value) (map[string]cty.Value, bool) {
	variables, whole := map[string]cty.Value{b.Label(): v}, !a.Broken
	seen := map[string]cty.Value{}
	for _, ref := range a.References {
		value, ok := ref.Target.(addr.Value)
		if ok && value.Kind() == addr.Variable && value.Name() == b.Label() {
			continue
		}
		r.scope.fail(codeVariable, ref.Range, "reference in a rule", fmt.Sprintf("a rule can refer to the variable itself and to nothing else: var.%s", b.Label()), "compare with a value that is written in the rule")
		if whole = false; ok && value.Kind() == addr.Variable {
			variables[value.Name()] = cty.DynamicVal
		}
	}
	if !whole {
		for _, name := range a.Expr.Roots() {
			seen[name] = cty.DynamicVal
		}
	}
	if !slices.Contains(a.Strays, "var") {
		seen["var"] = cty.ObjectVal(variables)
	}
	return seen, whole
}

// lookOverRules looks for mistakes in the rules of a variable that has no value to hold against them.
func (r *resolver) lookOverRules(b *config.Block, want cty.Type) {
	for _, rule := range b.Nested("validation") {
		if a := rule.Attribute("condition"); a != nil {
			_, _ = r.ruleValue(b, a, cty.UnknownVal(want), cty.Bool)
		}
		if a := rule.Attribute("error_message"); a != nil {
			_, _ = r.seenByRule(b, a, cty.UnknownVal(want))
		}
	}
}
