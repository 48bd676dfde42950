package addr

import (
	"cmp"
	"fmt"
	"strings"
)

// Mode says what a block asks for.
type Mode uint8

// The modes of blocks.
const (
	Managed Mode = iota // keep such an object in existence
	Data                // look one up that is somebody else's
)

// String returns "managed" or "data".
func (m Mode) String() string {
	switch m {
	case Managed:
		return "managed"
	case Data:
		return "data"
	default:
		return fmt.Sprintf("Mode(%d)", uint8(m))
	}
}

// Object is the address of a block and of the objects it stands for. Without a key it is the block:
// either its only object, or with for_each all of them. The zero Object names nothing.
type Object struct {
	module Module
	mode   Mode
	kind   string
	name   string
	key    Key
}

// NewObject returns the address of the block (or, with a key, of the object) of that kind and name
// in m. It fails when kind or name is not an identifier, or when kind is a word that begins other
// addresses.
func NewObject(m Module, mode Mode, kind, name string, key Key) (Object, error) {
	if mode > Data {
		return Object{}, fmt.Errorf("%v is no mode of a block", mode)
	}
	if err := checkName("the kind of a block", kind); err != nil {
		return Object{}, err
	}
	if reserved(kind) {
		return Object{}, fmt.Errorf("%q cannot be the kind of a block: the word is reserved", kind)
	}
	if err := checkName("the name of a block", name); err != nil {
		return Object{}, err
	}
	return Object{module: m, mode: mode, kind: kind, name: name, key: key}, nil
}

// Module returns the module that the block stands in.
func (o Object) Module() Module { return o.module }

// Mode returns whether the object is managed or looked up.
func (o Object) Mode() Mode { return o.mode }

// Kind returns the kind of the block, such as "network".
func (o Object) Kind() string { return o.kind }

// Name returns the label of the block.
func (o Object) Name() string { return o.name }

// Key returns the key among the block's objects.
func (o Object) Key() Key { return o.key }

// Block returns the address without the key.
func (o Object) Block() Object { return o.WithKey(Key{}) }

// WithKey returns the address of the block's object with that key.
func (o Object) WithKey(key Key) Object {
	o.key = key
	return o
}

// In returns the address of the same block or object in another module.
func (o Object) In(m Module) Object {
	o.module = m
	return o
}

// IsZero reports whether o names nothing.
func (o Object) IsZero() bool { return o == Object{} }

// String returns the address as a person writes it; empty for the zero Object.
func (o Object) String() string {
	if o.IsZero() {
		return ""
	}
	var b strings.Builder
	b.Grow(len(o.module.path) + len(o.kind) + len(o.name) + len(o.key.value) + len("data....[\"\"]"))
	o.module.writePrefix(&b)
	if o.mode == Data {
		b.WriteString(wordData + ".")
	}
	b.WriteString(o.kind)
	b.WriteByte('.')
	b.WriteString(o.name)
	o.key.write(&b)
	return b.String()
}

// Compare orders objects by module, mode (managed first), kind, name and key; see [Compare].
func (o Object) Compare(other Object) int {
	if c := o.module.Compare(other.module); c != 0 {
		return c
	}
	if c := cmp.Compare(o.mode, other.mode); c != 0 {
		return c
	}
	if c := natural(o.kind, other.kind); c != 0 {
		return c
	}
	if c := natural(o.name, other.name); c != 0 {
		return c
	}
	return o.key.Compare(other.key)
}

// Contains reports whether other is o or one of the objects that o stands for: instance.web
// contains instance.web["a"], and module.edge.network.web contains module.edge["fra"].network.web.
func (o Object) Contains(other Address) bool {
	x, ok := other.(Object)
	if !ok || o.mode != x.mode || o.kind != x.kind || o.name != x.name || !o.key.contains(x.key) {
		return false
	}
	below, ok := o.module.covers(x.module)
	return ok && below == ""
}

func (o Object) place() Module { return o.module }
func (o Object) rank() int     { return rankObject }
