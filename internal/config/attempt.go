package config

import (
	"maps"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/customdecode"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// TryFunction returns the function try: the first of its arguments that can be evaluated without a fault. It
// bears the marks of what the others may have failed by, as one could find out values by that.
func TryFunction() function.Function { return attempting(tryfunc.TryFunc, false) }

// CanFunction returns the function can: whether its argument can be evaluated without a fault. It bears the
// marks of what that depends on.
func CanFunction() function.Function { return attempting(tryfunc.CanFunc, true) }

// attempts tells whether the arguments of a call are attempts, as those of try and can are.
func attempts(call *hclsyntax.FunctionCallExpr) bool { return call.Name == "try" || call.Name == "can" }

// attempting is a function of attempts with the marks that it lacks.
func attempting(f function.Function, whether bool) function.Function {
	spec := &function.Spec{
		Params: f.Params(), VarParam: f.VarParam(),
		Type: func([]cty.Value) (cty.Type, error) { return cty.DynamicPseudoType, nil },
	}
	spec.Impl = func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		attempts := make([]*attempt, len(args))
		once := make([]cty.Value, len(args))
		for i, arg := range args {
			closure := customdecode.ExpressionClosureFromVal(arg)
			attempts[i] = &attempt{Expression: closure.Expression}
			once[i] = customdecode.ExpressionClosureVal(&customdecode.ExpressionClosure{Expression: attempts[i], EvalContext: closure.EvalContext})
		}
		v, err := f.Call(once)
		if err != nil {
			return cty.NilVal, err
		}
		for _, a := range attempts {
			if a.made && (whether || a.faults.HasErrors()) {
				v = v.WithMarks(a.by)
			}
			if a.made && !v.IsKnown() {
				_, marks := a.value.UnmarkDeep()
				v = v.WithMarks(marks)
			}
		}
		return v, nil
	}
	return function.New(spec)
}

// attempt is an expression that is evaluated once at most, however often it is asked for.
type attempt struct {
	hcl.Expression
	made   bool
	value  cty.Value
	faults hcl.Diagnostics
	by     cty.ValueMarks // of what it depended on whether there were any faults
}

// Value evaluates the expression. It is in one context only.
func (a *attempt) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	if a.made {
		return a.value, a.faults
	}
	a.made = true
	budget := budgetOf(ctx)
	if budget == nil {
		a.value, a.faults = a.Expression.Value(ctx)
		return a.value, a.faults
	}
	outer := budget.watching
	budget.watching = cty.ValueMarks{}
	a.value, a.faults = a.Expression.Value(ctx)
	a.by, budget.watching = budget.watching, outer
	budget.watch(a.by) // an attempt within another one
	return a.value, a.faults
}

// watch notes marks while an attempt is made.
func (b *Budget) watch(marks cty.ValueMarks) {
	if b.watching != nil {
		maps.Copy(b.watching, marks)
	}
}
