package config

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// Faults is everything that went wrong when an expression was evaluated; with any there is no value to rely
// on.
type Faults []Fault

// Fault is one thing that went wrong when an expression was evaluated.
type Fault struct{ said *hcl.Diagnostic }

// faultsOf takes the errors among what the library says; it has no warnings about values.
func faultsOf(diags hcl.Diagnostics) Faults {
	if len(diags) == 0 {
		return nil
	}
	faults := make(Faults, 0, len(diags))
	for _, d := range diags {
		if d.Severity == hcl.DiagError {
			faults = append(faults, Fault{d})
		}
	}
	return faults
}

// Failure is what an expression failed on, as far as it makes a difference to what can be done about it.
type Failure int

// What an expression can fail on.
const (
	FailureOther     Failure = iota
	FailureCall              // a function that was called and refused
	FailureNoCalls           // a function that was called where none can be
	FailureOperand           // a side of an operator that it has no result for
	FailureInText            // what is filled into a text and cannot be part of one
	FailureResults           // the results of a condition, which have no type in common
	FailureCondition         // a condition that is neither true nor false
	FailureAttribute         // an attribute that is not there
	FailureIndex             // an element that is not there, or a key that cannot be one
	FailureNullKey           // null as a key in a map that is written out
	FailureForKey            // a key that a for expression makes
	FailureInNull            // an attribute or an element of null
	FailureOverNull          // null where the elements of something are taken one by one
	FailureTwice             // a key that a for expression makes more than once
)

// Failure returns what the expression failed on.
func (f Fault) Failure() Failure {
	switch f.said.Summary {
	case "Error in function call":
		return FailureCall
	case "Function calls not allowed":
		return FailureNoCalls
	case summaryOperand:
		return FailureOperand
	case "Invalid template interpolation value":
		return FailureInText
	case summaryTwoTypes:
		return FailureResults
	case "Incorrect condition type":
		return FailureCondition
	case "Unsupported attribute":
		return FailureAttribute
	case "Invalid index":
		return FailureIndex
	case "Null value as key":
		return FailureNullKey
	case "Invalid object key":
		return FailureForKey
	case "Attempt to get attribute from null value", "Attempt to index null value":
		return FailureInNull
	case "Iteration over null value":
		return FailureOverNull
	case "Duplicate object key":
		return FailureTwice
	default:
		return FailureOther
	}
}

// Diagnostic is what is told of the fault, under a code. Where no place is known it has no subject.
func (f Fault) Diagnostic(code diag.Code) diag.Diagnostic { return diagnostic(f.said, code) }

// Error says on one line what is wrong and where.
func (f Fault) Error() string {
	said := f.said
	if name, unknown := f.UnknownFunction(); unknown {
		plain := *said // without the library's suggestion, which differs from one run to the next
		plain.Detail = fmt.Sprintf("There is no function named %q.", name)
		said = &plain
	}
	return firstOf(hcl.Diagnostics{said}).Error()
}

// Function returns the name of the function that refused what it was called with, and the error that it
// returned, which is nil where the call itself is wrong. The name is "" when the fault is about no call.
func (f Fault) Function() (name string, refused error) {
	call, is := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](f.said)
	if !is {
		return "", nil
	}
	return call.CalledFunctionName(), call.FunctionCallError()
}

// UnknownFunction returns the name under which a function is called that there is not, and whether that is
// the fault.
func (f Fault) UnknownFunction() (name string, is bool) {
	unknown, is := hcl.DiagnosticExtra[hclsyntax.FunctionCallUnknownDiagExtra](f.said)
	if !is {
		return "", false
	}
	return unknown.CalledFunctionNamespace() + unknown.CalledFunctionName(), true
}

// Argument returns where an argument of the call begins that the fault is about, and whether there is one.
func (f Fault) Argument(at int) (diag.Range, bool) {
	call, is := f.said.Expression.(*hclsyntax.FunctionCallExpr)
	if !is || at >= len(call.Args) {
		return diag.Range{}, false
	}
	return rangeOf(call.Args[at].StartRange()), true
}

// Lacking returns the value in which a reference did not find an attribute or an element, and the name that
// it looked for, "" for what is no name. It returns false for every other fault.
func (f Fault) Lacking() (in cty.Value, name string, is bool) {
	ctx := f.said.EvalContext
	if failure := f.Failure(); failure != FailureAttribute && failure != FailureIndex || ctx == nil {
		return cty.NilVal, "", false
	}
	var diags hcl.Diagnostics
	var rest hcl.Traversal
	switch e := f.said.Expression.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		in, diags = e.Traversal[:1].TraverseAbs(ctx)
		rest = e.Traversal[1:]
	case *hclsyntax.RelativeTraversalExpr:
		in, diags = e.Source.Value(ctx)
		rest = e.Traversal
	default:
		return cty.NilVal, "", false
	}
	if diags.HasErrors() {
		return cty.NilVal, "", false
	}
	for _, step := range rest {
		next, diags := hcl.Traversal{step}.TraverseRel(in)
		if diags.HasErrors() {
			return in, nameOfStep(step), true
		}
		in = next
	}
	return cty.NilVal, "", false
}

// Element tells whether a reference is to something in an element that a splat, as in list[*].name, takes.
func (f Fault) Element() bool {
	e, is := f.said.Expression.(*hclsyntax.RelativeTraversalExpr)
	if !is {
		return false
	}
	_, is = e.Source.(*hclsyntax.AnonSymbolExpr)
	return is
}

// nameOfStep is the name of an attribute, or a key that is a text; "" for every other step.
func nameOfStep(step hcl.Traverser) string {
	switch step := step.(type) {
	case hcl.TraverseAttr:
		return step.Name
	case hcl.TraverseIndex:
		if step.Key.Type() == cty.String {
			return step.Key.AsString()
		}
	}
	return ""
}
