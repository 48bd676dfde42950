package config

import (
	"strings"

	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/zclconf/go-cty/cty"
)

// Constraint is the type that a value must have, such as object({ name = string, port = optional(number, 80) }).
type Constraint struct {
	Type     cty.Type
	defaults *typeexpr.Defaults
}

// Constraint reads an attribute that is written as a type. With faults it is no type.
func (a *Attribute) Constraint() (Constraint, Faults) {
	t, defaults, diags := typeexpr.TypeConstraintWithDefaults(a.Expr.syntax)
	return Constraint{Type: t, defaults: defaults}, faultsOf(diags)
}

// MeantType returns the word for a type that was probably meant, of a fault in a constraint; "" for none.
func (f Fault) MeantType() string {
	for _, text := range []string{f.said.Detail, f.said.Summary} {
		if _, rest, quotes := strings.Cut(text, `"`); quotes {
			word, _, _ := strings.Cut(rest, `"`)
			return Nearest(word, []string{"string", "number", "bool", "any", "list", "set", "map", "object", "tuple", "optional"})
		}
	}
	return ""
}

// Complete returns a value with the defaults of the attributes that it leaves out. The value need not fit
// the type.
func (c Constraint) Complete(v cty.Value) cty.Value {
	if c.defaults == nil || v.IsNull() {
		return v
	}
	return c.defaults.Apply(v)
}
