package addr

import (
	"fmt"
	"strings"
)

// Module is a path of module calls from the root. The zero Module is the root, whose string is
// empty.
type Module struct {
	path string // canonical text; a string where a slice of steps could be no map key
}

// Step is one call on the path of a [Module]. Without a key it is the only instance of the call, or
// stands for all of them.
type Step struct {
	Name string
	Key  Key
}

// Child returns the module that is called by that name from m. It fails when name is not an
// identifier.
func (m Module) Child(name string, key Key) (Module, error) {
	if err := checkName("the name of a module", name); err != nil {
		return Module{}, err
	}
	return m.child(name, key), nil
}

func (m Module) child(name string, key Key) Module {
	var b strings.Builder
	m.writePrefix(&b)
	b.WriteString(wordModule + ".")
	b.WriteString(name)
	key.write(&b)
	return Module{path: b.String()}
}

// In returns the path that leads from the root to m where m is the path from parent on.
func (m Module) In(parent Module) Module {
	switch {
	case parent.IsRoot():
		return m
	case m.IsRoot():
		return parent
	}
	return Module{path: parent.path + "." + m.path}
}

// IsRoot reports whether m is the root of the configuration.
func (m Module) IsRoot() bool { return m.path == "" }

// Steps returns the calls from the root down to m; none for the root.
func (m Module) Steps() []Step {
	var steps []Step
	for rest := m.path; rest != ""; {
		var step Step
		step, rest = nextStep(rest)
		steps = append(steps, step)
	}
	return steps
}

// Call returns the path without the key of its last step; the root for the root.
func (m Module) Call() Module {
	if m.IsRoot() {
		return m
	}
	return m.Parent().child(m.Last().Name, Key{})
}

// Last returns the last step of the path; the zero Step for the root.
func (m Module) Last() Step {
	steps := m.Steps()
	if len(steps) == 0 {
		return Step{}
	}
	return steps[len(steps)-1]
}

// Parent returns the module from which m is called; the root's parent is the root.
func (m Module) Parent() Module {
	parent := 0
	for rest := m.path; rest != ""; {
		_, rest = nextStep(rest)
		if rest != "" {
			parent = len(m.path) - len(rest) - 1
		}
	}
	return Module{path: m.path[:parent]}
}

// String returns the path, empty for the root.
func (m Module) String() string { return m.path }

// Compare orders modules step by step, by name and then key; a module comes before what it calls.
func (m Module) Compare(other Module) int {
	if m.path == other.path {
		return 0
	}
	x, y := m.path, other.path
	for x != "" && y != "" {
		var a, b Step
		a, x = nextStep(x)
		b, y = nextStep(y)
		if c := natural(a.Name, b.Name); c != 0 {
			return c
		}
		if c := a.Key.Compare(b.Key); c != 0 {
			return c
		}
	}
	return boolInt(x != "") - boolInt(y != "")
}

// Contains reports whether other is m, or anything within m: module.edge contains
// module.edge["fra"] and module.edge["fra"].network.web. The root contains everything.
func (m Module) Contains(other Address) bool {
	if other == nil {
		return false
	}
	_, ok := m.covers(other.place())
	return ok
}

// covers reports whether other is at or below m, and returns the steps below.
func (m Module) covers(other Module) (below string, ok bool) {
	if m.path == other.path {
		return "", true
	}
	x, y := m.path, other.path
	for x != "" {
		if y == "" {
			return "", false
		}
		var a, b Step
		a, x = nextStep(x)
		b, y = nextStep(y)
		if a.Name != b.Name || !a.Key.contains(b.Key) {
			return "", false
		}
	}
	return y, true
}

func (m Module) place() Module { return m }
func (m Module) rank() int     { return rankModule }

// writePrefix appends the path as the beginning of a longer address.
func (m Module) writePrefix(b *strings.Builder) {
	if m.path != "" {
		b.WriteString(m.path)
		b.WriteByte('.')
	}
}

// nextStep splits the first step off a canonical path.
func nextStep(path string) (Step, string) {
	p := parser{in: path, at: len(wordModule) + 1}
	step, err := p.step()
	if err != nil {
		panic(fmt.Sprintf("addr: module path %q is not canonical: %v", path, err))
	}
	p.take(".")
	return step, p.rest()
}
