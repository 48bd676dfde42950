package resolve

import (
	"errors"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

var (
	errConcealed = errors.New("the reason is not shown, because a sensitive value is among the arguments")
	errPanicked  = errors.New("the function does not take such a value")
)

// concealing keeps sensitive arguments out of the errors of a function, some of which quote them, and
// marks what it returns as its arguments are. Which marks within an argument come through is the
// function's own business, unless the result is not known yet.
func concealing(f function.Function) function.Function {
	// The function itself decides about all of these; here they only pass through.
	open := func(p function.Parameter) function.Parameter {
		p.AllowMarked, p.AllowUnknown, p.AllowNull, p.AllowDynamicType = true, true, true, true
		return p
	}
	spec := &function.Spec{
		Description: f.Description(),
		Params:      f.Params(),
		Type: func(args []cty.Value) (cty.Type, error) {
			t, err := f.ReturnTypeForValues(args)
			return t, conceal(err, args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			v, err := f.Call(args)
			if err != nil {
				return cty.NilVal, conceal(err, args)
			}
			for _, a := range args {
				marks := a.Marks()
				if !v.IsKnown() {
					_, marks = a.UnmarkDeep()
				}
				v = v.WithMarks(marks)
			}
			return v, nil
		},
	}
	for i, p := range spec.Params {
		spec.Params[i] = open(p)
	}
	if p := f.VarParam(); p != nil {
		rest := open(*p)
		spec.VarParam = &rest
	}
	return function.New(spec)
}

func conceal(err error, args []cty.Value) error {
	if err == nil {
		return nil
	}
	var faulty *faultyTemplate
	if errors.As(err, &faulty) {
		return faulty.concealed(args)
	}
	var panicked function.PanicError
	if errors.As(err, &panicked) {
		err = errPanicked // it would print the stack
	}
	var at function.ArgError
	isAt := errors.As(err, &at)
	if _, ok := spokenHint(err); ok && (!isAt || !strings.HasPrefix(at.Error(), textPattern) || !args[at.Index].ContainsMarked()) {
		return err
	}
	for _, a := range args {
		if !a.ContainsMarked() {
			continue
		}
		if isAt {
			return function.NewArgError(at.Index, errConcealed)
		}
		return errConcealed
	}
	return err
}
