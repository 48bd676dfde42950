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
)

// others are the references of a variable's rules to other variables of its module.
func others(b *config.Block) []config.Reference {
	var all []config.Reference
	for _, rule := range b.Nested("validation") {
		for _, a := range rule.Attributes {
			for _, ref := range a.References {
				if to, ok := ref.Target.(addr.Value); ok && to.Kind() == addr.Variable && to.Name() != b.Label() {
					all = append(all, ref)
				}
			}
		}
	}
	return all
}

// checkRules looks at what the rules of a variable refer to: other variables that there must be.
func (r *resolver) checkRules(b *config.Block) {
	defer r.scope.within(b)()
	for _, ref := range others(b) {
		r.checkReference(ref, false, eachMissing)
	}
}

// validate applies the rules of a variable to its value, and notes what they see of others.
func (r *resolver) validate(b *config.Block, v cty.Value, where diag.Range, used *uses) bool {
	defer r.scope.within(b)()
	good := true
	for _, rule := range b.Nested("validation") {
		condition, message := rule.Attribute("condition"), rule.Attribute("error_message")
		if condition == nil || message == nil {
			good = false
			continue // told already
		}
		seen := r.seenByRule(b, condition, v, used)
		holds, ok := r.ruleValue(condition, seen, cty.Bool)
		said := r.seenByRule(b, message, v, used)
		if !ok || !said.whole {
			good = false
			continue
		}
		plain, _ := holds.Unmark()
		if plain.IsKnown() && !plain.IsNull() && plain.True() || !plain.IsKnown() && !v.IsWhollyKnown() {
			continue // what is not known now is looked at again at the second stage
		}
		good = false
		if late := seen.unknown; !plain.IsKnown() && late != "" {
			// A known value is not looked at again, so the rule would never be held against it.
			r.scope.wrong(codeVariable, condition, "rule that cannot be applied", fmt.Sprintf("the value of var.%s is known, and that of var.%s only once something is created", b.Label(), late), "compare with what is known before anything is created")
			continue
		}
		text := "the value does not follow the rule of the variable"
		if said, ok := r.ruleValue(message, said, cty.String); ok && !said.IsMarked() && said.IsKnown() && !said.IsNull() {
			text = shortenMessage(said.AsString())
		}
		where, atRule := where, shownRange(condition, seen.secret)
		summary, hint := fmt.Sprintf("invalid value of the variable %q", b.Label()), "change the value, or the rule"
		if where == b.Range {
			where = atRule
		} else {
			hint = fmt.Sprintf("change the value; the rule is at %s", place(condition.Range))
		}
		// A value may break several rules, and all are told at the place of the value.
		key := told{where: where, summary: summary + " by the rule at " + place(condition.Range)}
		r.scope.addOnce(key, diag.Diagnostic{Code: codeVariable, Subject: &where, Summary: summary, Detail: text, Hint: hint, HideAfter: seen.secret}, r.scope.bearer())
	}
	return good
}

// view is what a part of a rule sees.
type view struct {
	values  map[string]cty.Value
	whole   bool   // else some of it leads nowhere or is broken, which was told, and is unknown
	secret  bool   // some of it is sensitive
	unknown string // one of the other variables that are not known yet
}

// ruleValue evaluates a part of a rule.
func (r *resolver) ruleValue(a *config.Attribute, seen view, want cty.Type) (cty.Value, bool) {
	ctx := config.NewContext(seen.values, r.scope.toolbox(), r.scope.budget)
	r.scope.budget.Begin()
	r.scope.disclosed = false
	result, faults := a.Expr.Value(ctx)
	if err := r.scope.budget.End(); err != nil {
		if !seen.whole {
			return cty.NilVal, false
		}
		r.scope.wrong(codeTooLarge, a, "expression is too large", "it was stopped, because it is far beyond what a configuration needs", hintTooLarge)
		return cty.NilVal, false
	}
	if len(faults) > 0 {
		r.scope.evaluation(faults, a, seen.secret || r.scope.disclosed, seen.whole)
		return cty.NilVal, false
	}
	was := strings.ReplaceAll(result.Type().FriendlyName(), "tuple", "list")
	result, err := convert.Convert(result, want)
	if err != nil {
		r.scope.wrong(codeVariable, a, "wrong type of value", fmt.Sprintf("%s must be %s, and this is %s", a.Name, config.Indefinite(want.FriendlyName()), config.Indefinite(was)), config.Example(a.Schema))
		return cty.NilVal, false
	}
	return result, seen.whole
}

// seenByRule is what a part of a rule can refer to: the variable itself and others of its module. What it
// refers to besides is told.
func (r *resolver) seenByRule(b *config.Block, a *config.Attribute, v cty.Value, used *uses) view {
	variables := map[string]cty.Value{b.Label(): v}
	seen := view{values: map[string]cty.Value{}, whole: !a.Broken, secret: v.ContainsMarked()}
	for _, ref := range a.References {
		to, ok := ref.Target.(addr.Value)
		switch {
		case !ok || to.Kind() != addr.Variable:
			r.scope.fail(codeVariable, ref.Range, "reference in a rule", fmt.Sprintf("a rule can refer to variables and to nothing else: var.%s", b.Label()), "compare with a variable, or with a value that is written in the rule")
			seen.whole = false
		case to.Name() != b.Label():
			other, ok := r.scope.value(r.scope.module.values[to], used) // that it must be there was checked
			seen.whole, seen.secret = seen.whole && ok, seen.secret || other.ContainsMarked()
			if variables[to.Name()] = other; !other.IsWhollyKnown() {
				seen.unknown = to.Name()
			}
		}
	}
	if !seen.whole {
		for _, name := range a.Expr.Roots() {
			seen.values[name] = cty.DynamicVal
		}
	}
	if !slices.Contains(a.Strays, "var") {
		seen.values["var"] = cty.ObjectVal(variables)
	}
	return seen
}

// lookOverRules looks for mistakes in the rules of a variable that has no value to hold against them.
func (r *resolver) lookOverRules(b *config.Block, want cty.Type) {
	for _, rule := range b.Nested("validation") {
		if a := rule.Attribute("condition"); a != nil {
			_, _ = r.ruleValue(a, r.seenByRule(b, a, cty.UnknownVal(want), &uses{}), cty.Bool)
		}
		if a := rule.Attribute("error_message"); a != nil {
			_ = r.seenByRule(b, a, cty.UnknownVal(want), &uses{})
		}
	}
}
