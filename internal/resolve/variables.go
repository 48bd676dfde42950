package resolve

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// variables gives each variable its value: the given one, or its default.
func (r *resolver) variables(given map[string]cty.Value) {
	var names []string
	for _, b := range r.config.Variables {
		names = append(names, b.Label())
		a, err := addr.NewValue(addr.Module{}, addr.Variable, b.Label())
		if err != nil {
			continue
		}
		n := r.values[a]
		value, ok := given[b.Label()]
		n.value, ok = r.variable(b, value, ok)
		n.known, n.broken = n.value.IsWhollyKnown(), !ok
	}
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
				Detail: fmt.Sprintf("a value is given for the variable %q, and the configuration has no such variable", name), Hint: didYouMean(name, names),
			})
		}
	}
}

// variable returns the value of one variable, and whether it is a good one.
func (r *resolver) variable(b *config.Block, given cty.Value, isGiven bool) (cty.Value, bool) {
	defer r.scope.within(b)()
	want, defaults, good := r.variableType(b)
	isSensitive := r.isSensitive(b)
	for _, a := range b.Attributes {
		if a.Name == "type" {
			continue
		}
		if len(a.References) > 0 || a.Broken {
			r.scope.wrong(codeVariable, a, "reference in a variable", fmt.Sprintf("%s of a variable is written as a plain value", a.Name), "what is made from other values is a local")
			good = false
			continue
		}
		v, _, ok := r.scope.decode(a)
		switch {
		case !ok:
			good = false
		case a.Name == "default" && !isGiven:
			given, isGiven = v, true
			if v, ok = r.toType(v, want, defaults, a.Range, isSensitive); !ok {
				good = false
				continue
			}
			given = v
		case a.Name == "default":
			_, ok = r.toType(v, want, defaults, a.Range, isSensitive)
			good = good && ok
		}
	}
	if !good {
		return cty.DynamicVal, false
	}
	if !isGiven {
		r.scope.fail(codeVariable, b.Range, "variable without value", fmt.Sprintf("the variable %q has no default, and no value is given", b.Label()), "give it a value, or write a default")
		return cty.DynamicVal, false
	}
	v, ok := r.toType(given, want, defaults, b.Range, isSensitive)
	if !ok {
		return cty.DynamicVal, false
	}
	if isSensitive {
		v = v.Mark(model.Sensitive)
	}
	return v, r.validate(b, v)
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

func (r *resolver) variableType(b *config.Block) (cty.Type, *typeexpr.Defaults, bool) {
	a := b.Attribute("type")
	if a == nil {
		return cty.DynamicPseudoType, nil, true
	}
	t, defaults, diags := typeexpr.TypeConstraintWithDefaults(a.Expr)
	for _, d := range diags {
		r.scope.add(config.Convert(d, codeVariable))
	}
	return t, defaults, !diags.HasErrors()
}

// toType converts a variable's value. The value is not quoted when it is a secret.
func (r *resolver) toType(v cty.Value, want cty.Type, defaults *typeexpr.Defaults, where diag.Range, secret bool) (cty.Value, bool) {
	if defaults != nil && !v.IsNull() {
		v = defaults.Apply(v)
	}
	converted, err := convert.Convert(v, want)
	if err == nil {
		return converted, true
	}
	detail := fmt.Sprintf("the value does not fit the type of the variable: %v", err)
	if secret {
		detail = "the value does not fit the type of the variable"
	}
	r.scope.add(diag.Diagnostic{Code: codeVariable, Subject: &where, Summary: "wrong type of value", Detail: detail, HideSource: secret})
	return v, false
}

// validate applies the rules of a variable to its value.
func (r *resolver) validate(b *config.Block, v cty.Value) bool {
	good := true
	for _, rule := range b.Nested("validation") {
		condition, message := rule.Attribute("condition"), rule.Attribute("error_message")
		if condition == nil || message == nil {
			good = false
			continue // told already
		}
		holds, ok := r.ruleValue(b, condition, v, cty.Bool)
		if !ok {
			good = false
			continue
		}
		plain, _ := holds.Unmark()
		if plain.IsKnown() && !plain.IsNull() && plain.True() {
			continue
		}
		good = false
		text := "the value does not follow the rule of the variable"
		if said, ok := r.ruleValue(b, message, v, cty.String); ok && !said.IsMarked() && said.IsKnown() && !said.IsNull() {
			text = shortenMessage(said.AsString())
		}
		r.scope.fail(codeVariable, condition.Range, fmt.Sprintf("invalid value of the variable %q", b.Label()), text, "")
	}
	return good
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
	if a.Broken {
		return cty.NilVal, false
	}
	for _, ref := range a.References {
		value, ok := ref.Target.(addr.Value)
		if !ok || value.Kind() != addr.Variable || value.Name() != b.Label() {
			r.scope.fail(codeVariable, ref.Range, "reference in a rule", fmt.Sprintf("a rule can refer to the variable itself and to nothing else: var.%s", b.Label()), "")
			return cty.NilVal, false
		}
	}
	ctx := &hcl.EvalContext{
		Variables: map[string]cty.Value{"var": cty.ObjectVal(map[string]cty.Value{b.Label(): v})},
		Functions: r.functions,
	}
	r.scope.budget.Begin()
	r.scope.budget.Bind(ctx)
	result, diags := a.Expr.Value(ctx)
	if err := r.scope.budget.End(); err != nil {
		r.scope.wrong(codeTooLarge, a, "expression is too large", "it was stopped, because it is far beyond what a configuration needs", "")
		return cty.NilVal, false
	}
	if diags.HasErrors() {
		r.scope.evaluation(diags, a, v.ContainsMarked())
		return cty.NilVal, false
	}
	result, err := convert.Convert(result, want)
	if err != nil {
		r.scope.wrong(codeVariable, a, "wrong type of value", fmt.Sprintf("%s must be a %s", a.Name, want.FriendlyName()), "")
		return cty.NilVal, false
	}
	return result, true
}
