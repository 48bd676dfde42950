package config

import (
	"errors"
	"reflect"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// Costs bound what evaluating may cost; see [Budget]. A step is about one iteration, one
// element or one node of a value.
type Costs struct {
	Steps, Bytes           int // of one expression
	TotalSteps, TotalBytes int // of everything that one budget is used for
}

// DefaultCosts allow what any sensible configuration does, and end the others within seconds.
func DefaultCosts() Costs {
	return Costs{Steps: 250_000, Bytes: 8 << 20, TotalSteps: 10_000_000, TotalBytes: 512 << 20}
}

// Budget counts what an evaluation costs and stops it when it is spent. The syntax tree that
// [Load] returns charges the budget of the context that it is evaluated in: for each
// iteration, each part of a template and each argument of a function, by its size. One budget
// belongs to one goroutine.
type Budget struct {
	costs                  Costs
	steps, bytes           int // left to this expression
	totalSteps, totalBytes int // left to the others
	spent                  bool
	told                   bool // the diagnostic for it was returned

	// watching are the marks of what an attempt came upon that it may fail by, nil outside of attempts.
	watching cty.ValueMarks

	value cty.Value // the budget itself, for contexts
}

// NewBudget returns a budget for some expressions.
func NewBudget(costs Costs) *Budget {
	b := &Budget{costs: costs, totalSteps: costs.TotalSteps, totalBytes: costs.TotalBytes}
	b.value = cty.CapsuleVal(budgetType(), b)
	b.Begin()
	return b
}

// Begin starts the next expression. What it may cost does not depend on the ones before, until
// the total is spent.
func (b *Budget) Begin() {
	b.steps, b.bytes = min(b.costs.Steps, b.totalSteps), min(b.costs.Bytes, b.totalBytes)
	b.totalSteps -= b.steps
	b.totalBytes -= b.bytes
	b.spent, b.told = false, false
}

// End gives back what the expression did not use, and tells whether it was stopped.
func (b *Budget) End() error {
	b.totalSteps += max(0, b.steps)
	b.totalBytes += max(0, b.bytes)
	b.steps, b.bytes = 0, 0
	if b.spent {
		return errSpent
	}
	return nil
}

var errSpent = errors.New("the expression makes too much: it was stopped")

// Charge takes the cost of a value, with everything inside it if deep is true, and reports
// whether the budget still holds.
func (b *Budget) Charge(v cty.Value, deep bool) bool {
	if b.spent {
		return false
	}
	b.charge(v, deep)
	b.spent = b.spent || b.steps < 0 || b.bytes < 0
	return !b.spent
}

// Spend takes the cost of work that leaves no value behind, such as the parsing of a template, and
// reports whether the budget still holds.
func (b *Budget) Spend(steps, bytes int) bool {
	b.steps -= max(0, steps)
	b.bytes -= max(0, bytes)
	b.spent = b.spent || b.steps < 0 || b.bytes < 0
	return !b.spent
}

// charge stops as soon as the budget is spent, so a value that holds the same list a million
// times costs no more than what is left.
func (b *Budget) charge(v cty.Value, deep bool) {
	b.steps--
	if b.steps < 0 || b.bytes < 0 {
		return
	}
	v, marks := v.Unmark()
	b.watch(marks)
	if v == cty.NilVal || v.IsNull() || !v.IsKnown() {
		return
	}
	switch t := v.Type(); {
	case t == cty.String:
		b.bytes -= len(v.AsString())
	case t == cty.Number:
		b.chargeNumber(v)
	case !v.CanIterateElements():
	case !deep:
		b.steps -= v.LengthInt()
	default:
		for it := v.ElementIterator(); it.Next(); {
			key, element := it.Element()
			if t.IsMapType() || t.IsObjectType() { // the key of a set is its element
				b.bytes -= len(key.AsString())
			}
			b.charge(element, true)
			if b.steps < 0 || b.bytes < 0 {
				return
			}
		}
	}
}

// chargeNumber takes a number for the digits that it would be printed with.
func (b *Budget) chargeNumber(v cty.Value) {
	const manyBits = 4096
	exponent := v.AsBigFloat().MantExp(nil)
	if exponent > manyBits || -exponent > manyBits {
		b.spent = true
	}
}

// budgetName is the variable that carries the budget down the contexts. No reference can name
// it, as it is no identifier.
const budgetName = "(budget)"

// budgetType makes a budget a value. Two calls return types that are equal.
func budgetType() cty.Type { return cty.Capsule("budget", reflect.TypeFor[Budget]()) }

// budgetOf finds the budget of a context; nil when it has none.
func budgetOf(ctx *hcl.EvalContext) *Budget {
	for ; ctx != nil; ctx = ctx.Parent() {
		if v, ok := ctx.Variables[budgetName]; ok {
			if b, ok := v.EncapsulatedValue().(*Budget); ok {
				return b
			}
		}
	}
	return nil
}
