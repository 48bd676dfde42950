package addr

import (
	"cmp"
	"encoding"
	"fmt"
)

// Address is a [Module], an [Object] or a [Value]; no other package can add a fourth kind. Equal
// addresses are equal under == and have the same string.
type Address interface {
	fmt.Stringer
	encoding.TextMarshaler

	// Contains reports whether other is this address or one that it stands for: everything
	// inside a module, every object of a block. A step or object without a key stands for all
	// keys.
	Contains(other Address) bool

	place() Module // the module it stands in; a module stands in itself
	rank() int     // the order of the kinds of address within a module
}

const (
	rankModule = iota
	rankValue
	rankObject
)

// Compare orders addresses of all kinds as a person would list them: by module, and within one the
// module itself, its values, its managed objects, its data. Numbers within names compare as
// numbers, so worker-2 comes before worker-10. The order is total: Compare returns 0 for equal
// addresses only. A nil address comes first.
func Compare(a, b Address) int {
	if a == nil || b == nil {
		return cmp.Compare(boolInt(a != nil), boolInt(b != nil))
	}
	if c := a.place().Compare(b.place()); c != 0 {
		return c
	}
	if c := cmp.Compare(a.rank(), b.rank()); c != 0 {
		return c
	}
	switch a := a.(type) {
	case Object:
		return a.Compare(b.(Object))
	case Value:
		return a.Compare(b.(Value))
	default: // modules in the same place are the same module
		return 0
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
