package addr

import (
	"cmp"
	"fmt"
)

// ValueKind says where a named value comes from.
type ValueKind uint8

// The kinds of values.
const (
	Variable ValueKind = iota + 1 // given from outside the module
	Local                         // computed inside it
	Output                        // handed to its caller
)

// String returns the word that the address has for the kind: "var", "local" or "output".
func (k ValueKind) String() string {
	switch k {
	case Variable:
		return wordVar
	case Local:
		return wordLocal
	case Output:
		return wordOutput
	default:
		return fmt.Sprintf("ValueKind(%d)", uint8(k))
	}
}

// Value is the address of a variable, a local or an output of a module. The zero Value names
// nothing.
type Value struct {
	module Module
	kind   ValueKind
	name   string
}

// NewValue returns the address of a value in m. It fails when name is not an identifier.
func NewValue(m Module, kind ValueKind, name string) (Value, error) {
	if kind < Variable || kind > Output {
		return Value{}, fmt.Errorf("%v is no kind of a value", kind)
	}
	if err := checkName("the name of a value", name); err != nil {
		return Value{}, err
	}
	return Value{module: m, kind: kind, name: name}, nil
}

// Module returns the module that the value belongs to.
func (v Value) Module() Module { return v.module }

// Kind returns whether it is a variable, a local or an output.
func (v Value) Kind() ValueKind { return v.kind }

// Name returns the value's name.
func (v Value) Name() string { return v.name }

// In returns the address of the same value in another module.
func (v Value) In(m Module) Value {
	v.module = m
	return v
}

// IsZero reports whether v names nothing.
func (v Value) IsZero() bool { return v == Value{} }

// String returns the address, such as var.x or module.edge.output.id; empty for the zero Value.
func (v Value) String() string {
	switch {
	case v.IsZero():
		return ""
	case v.module.IsRoot():
		return v.kind.String() + "." + v.name
	default:
		return v.module.path + "." + v.kind.String() + "." + v.name
	}
}

// Compare orders values by module, kind (variables, locals, outputs) and name; see [Compare].
func (v Value) Compare(other Value) int {
	if c := v.module.Compare(other.module); c != 0 {
		return c
	}
	if c := cmp.Compare(v.kind, other.kind); c != 0 {
		return c
	}
	return natural(v.name, other.name)
}

// Contains reports whether other is v, in the same module or in an instance of it.
func (v Value) Contains(other Address) bool {
	x, ok := other.(Value)
	if !ok || v.kind != x.kind || v.name != x.name {
		return false
	}
	below, ok := v.module.covers(x.module)
	return ok && below == ""
}

func (v Value) place() Module { return v.module }
func (v Value) rank() int     { return rankValue }
