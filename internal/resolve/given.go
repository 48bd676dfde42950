package resolve

import (
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/config"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// outside is what a variable is given from outside of the configuration's blocks.
type outside struct {
	value  cty.Value // of what is broken what is known all the same, cty.NilVal for nothing
	is     bool      // something is given
	broken bool      // it cannot be read; that was told
	where  diag.Range
	origin string // for what is written in no file
}

// lastValues are the values that count, of each variable the last one that is given.
func (r *resolver) lastValues() map[string]*config.Value {
	last := map[string]*config.Value{}
	for i := range r.config.Values {
		last[r.config.Values[i].Name] = &r.config.Values[i]
	}
	return last
}

// outside reads the value that a variable is given; nil for none.
func (r *resolver) outside(b *config.Block, last *config.Value) outside {
	if last == nil {
		// A file that cannot be read may well hold the value.
		return outside{where: b.Range, broken: r.config.ValuesPartial && b.Attribute("default") == nil}
	}
	defer r.scope.within(b)()
	if last.Attribute != nil {
		return r.fromFile(b, last.Attribute)
	}
	return r.fromText(b, last.Given)
}

func (r *resolver) fromFile(b *config.Block, a *config.Attribute) outside {
	hide := r.isSensitive(b)
	found := outside{is: true, where: shownRange(a, hide), broken: a.Broken}
	v, faults, err := r.plainValue(a.Expr, a.Strays)
	if found.value = a.Expr.Sound(v, faults); err != nil {
		found.value, found.broken = cty.DynamicVal, true
		if !a.Broken {
			r.scope.add(diag.Diagnostic{Code: codeTooLarge, Subject: &found.where, Summary: "value is too large", Detail: err.Error(), Hint: hintTooLarge, HideAfter: hide})
		}
		return found
	}
	for _, f := range faults.Causes() {
		d := f.Diagnostic(codeVariable)
		if hide {
			d.Subject, d.HideAfter = &found.where, true
		}
		if f.Failure() == config.FailureNoCalls {
			d.Detail, d.Hint = "the value of a variable is written as it is, without functions", "what is computed is a local of the configuration"
		} else if hide {
			d.Detail, d.Hint = "the reason is not shown, because the variable is sensitive", ""
		}
		if d.Hint == "" {
			d.Detail, d.Hint = evaluationHint(f, d.Detail, hide)
		}
		r.scope.add(d)
		found.broken = true
	}
	return found
}

// fromText reads a text as Terraform does: as it stands for a variable of a simple type or without
// one, else as an expression.
func (r *resolver) fromText(b *config.Block, g *config.Given) outside {
	found := outside{is: true, where: b.Range, origin: g.Origin}
	want, good := r.variableType(b)
	if !good {
		found.broken = true
		return found
	}
	if want.Type.IsPrimitiveType() || b.Attribute("type") == nil {
		found.value = cty.StringVal(g.Text)
		return found
	}
	var faults config.Faults
	e, err := config.ParseValue(g.Text, config.DefaultLimits())
	if err == nil {
		found.value, faults, err = r.plainValue(e, nil)
	}
	if len(faults) > 0 {
		err = fmt.Errorf("it is not a value: %s", strings.TrimSuffix(faults[0].Diagnostic(codeVariable).Detail, "."))
	}
	if err == nil {
		return found
	}
	found.value, found.broken = cty.NilVal, true
	d := diag.Diagnostic{
		Code: codeVariable, Summary: "text is no value", Subject: &b.Range,
		Detail: fmt.Sprintf("%s gives a text that cannot be read as %s: %v", g.Origin, config.Indefinite(want.Type.FriendlyNameForConstraint()), err),
		Hint:   `write the value as in a file, such as ["a", "b"] or { a = 1 }`,
	}
	if r.isSensitive(b) {
		d.Detail = fmt.Sprintf("%s gives a text that cannot be read as %s", g.Origin, config.Indefinite(want.Type.FriendlyNameForConstraint()))
	}
	r.scope.add(d)
	return found
}

// plainValue evaluates an expression that stands for itself. What it refers to all the same is unknown.
func (r *resolver) plainValue(e config.Expression, strays []string) (cty.Value, config.Faults, error) {
	ctx := config.NewContext(nil, nil, r.scope.budget)
	for _, name := range strays {
		ctx.Set(name, cty.DynamicVal)
	}
	r.scope.budget.Begin()
	v, faults := e.Value(ctx)
	if len(faults) == 0 {
		r.scope.budget.Charge(v, true)
	}
	return v, faults, r.scope.budget.End()
}

// tellOrigin adds to what was told about a variable from where it has its value, when that is in no
// file that could be shown.
func (r *resolver) tellOrigin(from int, g outside) {
	if g.origin == "" {
		return
	}
	for i := from; i < len(r.scope.diags); i++ {
		d := &r.scope.diags[i]
		if d.Subject != nil && *d.Subject == g.where || strings.HasPrefix(d.Summary, "invalid value of ") {
			d.Hint = strings.TrimPrefix(d.Hint+"; the value is given by "+g.origin, "; ")
		}
	}
}

// hintStray says what to do with a value for a variable that there is not.
const hintStray = "take the value away, or add the variable"

const (
	maxWarnings   = 50   // unknown variables in files that are told
	maxCandidates = 1000 // comparing with more of them takes longer than it helps
)

// strays tells which values are given for variables that there are not. A file may serve several
// configurations, so that is only a warning; the environment may serve anything.
func (r *resolver) strays(names []string) {
	if r.config.Partial {
		return
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	if len(names) > maxCandidates {
		names = nil
	}
	warnings := 0
	for _, v := range r.config.Values {
		d := diag.Diagnostic{
			Code: codeVariable, Summary: "unknown variable",
			Detail: fmt.Sprintf("a value is given for the variable %q, and the configuration has no such variable", v.Name),
		}
		switch {
		case known[v.Name] || v.Given != nil && v.Given.Environment:
			continue
		case v.Given != nil:
			d.Detail = fmt.Sprintf("%s gives a value, and the configuration has no such variable", v.Given.Origin)
		default:
			if warnings++; warnings > maxWarnings {
				continue
			}
			d.Severity, d.Subject = diag.Warning, &v.Attribute.NameRange
			d.HideAfter = true // it may be a misspelt secret
		}
		d.Hint = orHint(didYouMean(v.Name, names), hintStray)
		r.scope.add(d)
	}
}
