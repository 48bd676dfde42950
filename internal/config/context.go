package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// Context is what an expression is evaluated in: the values and the functions that it can name, and the
// budget that pays for it.
type Context struct{ inner hcl.EvalContext }

// NewContext returns a context with these values and functions, nil for none of them. Everything that is
// evaluated in it charges the budget. The map of values becomes a part of the context, which adds to it.
func NewContext(values map[string]cty.Value, functions map[string]function.Function, budget *Budget) *Context {
	if values == nil {
		values = map[string]cty.Value{}
	}
	values[budgetName] = budget.value
	return &Context{hcl.EvalContext{Variables: values, Functions: functions}}
}

// Set makes a value visible under a name.
func (c *Context) Set(name string, v cty.Value) { c.inner.Variables[name] = v }

// Marked tells whether any of the values, or a part of one, bears a mark.
func (c *Context) Marked() bool {
	for _, v := range c.inner.Variables {
		if v.ContainsMarked() {
			return true
		}
	}
	return false
}
