package resolve

import (
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// what names the part of the configuration that a module is, in a sentence.
func (s *site) what() string {
	if s.parent == nil {
		return "configuration"
	}
	return "module"
}

// whatToAdd is the hint about something that is not there, and nothing that is like it.
func (s *site) whatToAdd(missing addr.Address) string {
	if v, ok := missing.(addr.Value); s.parent == nil || ok && v.Kind() == addr.Variable {
		return "add it, or correct the name"
	}
	return "add it, or correct the name; what the caller of the module has is given to it as a variable"
}

// exists tells whether an address without key is one of the module at work.
func (r *resolver) exists(a addr.Address) bool {
	switch a := a.(type) {
	case addr.Value:
		return r.current.declared.values[a]
	case addr.Object:
		return r.current.declared.blocks[a] != nil
	case addr.Module:
		return r.current.declared.calls[a] != nil
	}
	return false
}

// checkInputs compares what a call gives with the variables of its module.
func (r *resolver) checkInputs(s *site) {
	if r.config.Partial {
		return
	}
	defer r.scope.within(s.call.Block)()
	var names []string
	known := map[string]bool{}
	for _, v := range s.config.Variables {
		names = append(names, v.Label())
		known[v.Label()] = true
		if s.call.Attribute(v.Label()) == nil && v.Attribute("default") == nil && !v.Broken && !s.misspelt(v.Label()) {
			r.scope.fail(codeVariable, s.call.Range, fmt.Sprintf("the variable %q is missing", v.Label()),
				fmt.Sprintf("the module in %s has a variable %q without a default (%s), and this call does not give it a value", s.config.Dir, v.Label(), place(v.Range)),
				fmt.Sprintf("write in this block: %s = …", v.Label()))
		}
	}
	for _, a := range s.call.Attributes {
		if !known[a.Name] {
			r.scope.fail(codeVariable, a.NameRange, "unknown variable",
				fmt.Sprintf("the module in %s has no variable %q", s.config.Dir, a.Name), orHint(didYouMean(a.Name, names), "take the line away, or add the variable to the module"))
		}
	}
}

// misspelt tells whether a call gives a value to a variable by a name that is nearly the right one, which
// is told.
func (s *site) misspelt(name string) bool {
	var names []string
	for _, v := range s.config.Variables {
		names = append(names, v.Label())
	}
	return slices.ContainsFunc(s.call.Attributes, func(a *config.Attribute) bool {
		return !slices.Contains(names, a.Name) && config.Nearest(a.Name, names) == name
	})
}

// checkCall wants the key and the output of a reference to a module to be ones that it has.
func (r *resolver) checkCall(ref config.Reference, waits bool, each eachIn) bool {
	to, _ := ref.Target.(addr.Module)
	name := to.Call()
	call := r.current.declared.calls[name]
	keyed := to != name || !ref.Key.IsZero()
	repeated := call.ForEach != nil
	switch {
	case call.Module == nil:
		return false // told where it is called
	case keyed && !repeated:
		r.scope.fail(codeReference, ref.Range, "no keys", fmt.Sprintf("%s has no for_each, so it is one module without a key", name), fmt.Sprintf("write: %s", name))
		return false
	case waits || ref.Attribute == "":
		return true
	}
	var names []string
	for _, o := range call.Module.Outputs {
		names = append(names, o.Label())
	}
	_, known := call.Module.Defined(output(ref.Attribute))
	hint := didYouMean(ref.Attribute, names)
	switch {
	case repeated && !keyed && (known || hint == "" && !r.config.Partial):
		r.scope.fail(codeReference, ref.Range, "key is missing", fmt.Sprintf("%s has for_each, so it stands for several modules", name), chooseHint(name.String(), ref.Attribute, names, "m", each))
		return false
	case known:
		return true
	case r.config.Partial:
		return false
	case hint == "":
		hint = fmt.Sprintf("write in a file of %s: output %q { value = … }", call.Module.Dir, ref.Attribute)
	}
	r.scope.fail(codeReference, ref.Range, "unknown output", fmt.Sprintf("the module in %s has no output %q", call.Module.Dir, ref.Attribute), hint)
	return false
}

func output(name string) addr.Address {
	a, err := addr.NewValue(addr.Module{}, addr.Output, name)
	if err != nil {
		return nil
	}
	return a
}
