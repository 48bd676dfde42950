package config

import (
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty/function"
)

// TryFunction returns the function try: the first of its arguments that can be evaluated without a fault.
func TryFunction() function.Function { return tryfunc.TryFunc }

// CanFunction returns the function can: whether its argument can be evaluated without a fault.
func CanFunction() function.Function { return tryfunc.CanFunc }
