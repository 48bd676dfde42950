package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// check looks at every reference of the configuration before anything is evaluated.
func (r *resolver) check() {
	sites := map[*config.Module]int{}
	for _, s := range r.all {
		sites[s.config]++
	}
	for _, s := range r.all {
		if s.parent != nil {
			r.scope.path, r.scope.anywhere = s.parent.path, sites[s.parent.config] < -1
			r.checkInputs(s)
		}
		if sites[s.config] > 0 {
			r.current, r.scope.path, r.scope.anywhere = s, s.path, sites[s.config] > 1
			r.checkModule(s.config)
			sites[s.config] = -sites[s.config] // checked
		}
	}
	r.current, r.scope.path, r.scope.anywhere = r.root.site, addr.Module{}, false
	if r.config.Cloud != nil {
		r.checkBlock(r.config.Cloud)
	}
	for _, b := range slices.Concat(r.config.OtherClouds, r.config.Profiles, r.config.Nodes) {
		r.checkBlock(b)
	}
}

// checkModule looks at what can stand in every module.
func (r *resolver) checkModule(m *config.Module) {
	for _, b := range m.Variables {
		r.checkRules(b)
	}
	for _, l := range m.Locals {
		r.checkAttribute(l, eachMissing)
	}
	for _, b := range slices.Concat(m.Outputs, m.Resources, m.Data) {
		r.checkBlock(b)
	}
	for _, c := range m.Calls {
		r.checkBlock(c.Block)
	}
	for _, s := range slices.Concat(m.Imports, m.Removed, m.Suspended) {
		r.checkStatement(s)
	}
}

// checkStatement looks at what an import, removed or suspended block evaluates.
func (r *resolver) checkStatement(s *config.Statement) {
	defer r.scope.within(s.Block)()
	each := s.Attribute("for_each")
	for _, a := range s.Evaluated() {
		r.checkAttribute(a, eachOfBlock(each != nil && a != each, s.EachTold))
	}
}

func (r *resolver) checkBlock(b *config.Block) {
	defer r.scope.within(b)()
	if b.ForEach != nil {
		r.checkAttribute(b.ForEach, eachMissing)
	}
	r.checkInside(b, eachOfBlock(b.ForEach != nil, b.EachTold))
	for _, ref := range b.DependsOn {
		r.checkReference(ref, true, eachMissing)
	}
	for _, inner := range b.Blocks { // services of a cloud
		for _, ref := range inner.DependsOn {
			r.checkReference(ref, true, eachMissing)
		}
	}
}

// checkInside looks at what is written in a block, but for its own for_each.
func (r *resolver) checkInside(b *config.Block, each eachIn) {
	for _, a := range b.Attributes {
		r.checkAttribute(a, each)
	}
	for _, inner := range b.Blocks {
		if inner.ForEach != nil {
			r.checkAttribute(inner.ForEach, each)
		}
		r.checkInside(inner, max(each, eachOfBlock(false, inner.EachTold)))
	}
	if b.Lifecycle != nil {
		r.checkInside(b.Lifecycle, each)
	}
}

// eachIn says what each.key and each.value are where an expression stands.
type eachIn int

const (
	eachMissing eachIn = iota
	eachTold           // there is none, and that was told
	eachThere
)

func eachOfBlock(repeated, told bool) eachIn {
	switch {
	case repeated:
		return eachThere
	case told:
		return eachTold
	default:
		return eachMissing
	}
}

func (r *resolver) checkAttribute(a *config.Attribute, each eachIn) {
	for i, ref := range a.References {
		if ref.Path {
			continue
		}
		if ref.Target == nil {
			if each == eachThere || ref.Iterator != "" {
				continue
			}
			r.broken[a] = append(r.broken[a], i)
			if each == eachMissing {
				r.scope.fail(codeReference, ref.Range, "no each here", "each.key and each.value exist only within a block that has for_each, and not in for_each itself",
					"write for_each in this block; the element of a dynamic block goes by the name of the block or its iterator, such as rule.value")
			}
			continue
		}
		if !r.checkReference(ref, false, each) {
			r.broken[a] = append(r.broken[a], i)
		}
	}
}

// checkReference reports whether a reference leads somewhere.
func (r *resolver) checkReference(ref config.Reference, waits bool, each eachIn) bool {
	to := target(ref)
	if o, ok := to.(addr.Object); ok && o.Kind() == "service" {
		return r.checkService(ref, o, waits)
	} else if ok && o.Kind() == nodeKind {
		return r.checkNode(ref, o, waits)
	}
	if !r.exists(to) {
		if !r.config.Partial && !r.current.config.Missed(to) {
			r.scope.fail(codeReference, ref.Range, "unknown reference", fmt.Sprintf("there is no %s in this %s", to, r.current.what()), orHint(r.suggest(to), r.current.whatToAdd(to)))
		}
		return false
	}
	switch ref.Target.(type) {
	case addr.Object:
		object, _ := ref.Object()
		return r.checkKey(ref, object, waits, each) && r.checkOutput(ref, object)
	case addr.Module:
		return r.checkCall(ref, waits, each)
	default:
		return true
	}
}

func (r *resolver) checkService(ref config.Reference, o addr.Object, waits bool) bool {
	if !waits {
		r.scope.fail(codeReference, ref.Range, "unknown reference", "a service has no values that an expression could use", "to wait for it, write: depends_on = ["+o.String()+"]")
		return false
	}
	if _, ok := r.config.Defined(o); !ok {
		switch _, known := r.definition.Service(o.Name()); {
		case !known:
			r.scope.fail(codeReference, ref.Range, "unknown reference", fmt.Sprintf("there is no service named %q", o.Name()), r.serviceHint(o.Name()))
		case !r.config.Partial && !r.mayHave(o.Name()):
			r.scope.fail(codeReference, ref.Range, "unknown reference", fmt.Sprintf("the cloud has no block for the service %s", o.Name()), fmt.Sprintf("write in the cloud: service %q {}", o.Name()))
		}
		return false
	}
	return r.keyless(ref, o, "service")
}

// serviceHint finds the service that was probably meant.
func (r *resolver) serviceHint(name string) string {
	names := r.definition.Block("cloud").Nested("service").Labels[0].Allowed
	return orHint(didYouMean(name, names), "there are: "+strings.Join(names, ", "))
}

func (r *resolver) checkNode(ref config.Reference, o addr.Object, waits bool) bool {
	if !waits {
		r.scope.fail(codeReference, ref.Range, "unknown reference", "a node has no values that an expression could use", "to wait for it, write: depends_on = ["+o.String()+"]")
		return false
	}
	names := map[string]string{}
	for _, n := range r.config.Nodes {
		if n.Address == o {
			return n.ForEach != nil || r.keyless(ref, o, nodeKind)
		}
		names[n.Label()] = n.Address.String()
	}
	if r.config.Partial {
		return false
	}
	r.scope.fail(codeReference, ref.Range, "unknown reference", fmt.Sprintf("there is no %s in this configuration", o),
		orHint(closest(o.Name(), names), fmt.Sprintf("write: node %q { roles = [\"compute\"] }", o.Name())))
	return false
}

// keyless wants no key after the address of what there is one of.
func (r *resolver) keyless(ref config.Reference, block addr.Object, what string) bool {
	if ref.Target == addr.Address(block) {
		return true
	}
	detail := fmt.Sprintf("%s has no for_each, so it is one %s without a key", block, what)
	r.scope.fail(codeReference, ref.Range, "no keys", detail, fmt.Sprintf("write: %s", block))
	return false
}

// checkKey wants a key after a block with for_each before an attribute, and none after others.
func (r *resolver) checkKey(ref config.Reference, object addr.Object, waits bool, each eachIn) bool {
	b := object.Block()
	repeated := r.current.declared.blocks[b].ForEach != nil
	_, keyed := object.Key().Value()
	keyed = keyed || !ref.Key.IsZero()
	switch {
	case keyed && !repeated:
		r.scope.fail(codeReference, ref.Range, "no keys", fmt.Sprintf("%s has no for_each, so it is one object without a key", b), fmt.Sprintf("write: %s", b))
		return false
	case !keyed && repeated && ref.Attribute != "" && !waits:
		r.scope.fail(codeReference, ref.Range, "key is missing", fmt.Sprintf("%s has for_each, so it stands for several objects", b),
			chooseHint(b.String(), ref.Attribute, slices.Collect(maps.Keys(r.types[object.Kind()].AttributeTypes())), "o", each))
		return false
	}
	return true
}

// chooseHint says how to choose one of several by its key, or to take all of them. What is no attribute, nor
// nearly one, is meant as the key.
func chooseHint(block, attribute string, attributes []string, variable string, each eachIn) string {
	if !slices.Contains(attributes, attribute) && config.Nearest(attribute, attributes) == "" {
		return fmt.Sprintf("a key is written in brackets and quotes: %s[%q]", block, attribute)
	}
	key := `"…"`
	if each == eachThere {
		key = "each.key"
	}
	return fmt.Sprintf("choose one by its key, such as %s[%s].%s, or take all of them with [for %s in %s : %s.%s]", block, key, attribute, variable, block, variable, attribute)
}

// checkOutput wants the attribute after an object to be one that its kind has.
func (r *resolver) checkOutput(ref config.Reference, object addr.Object) bool {
	t := r.types[object.Kind()]
	if ref.Attribute == "" || t.HasAttribute(ref.Attribute) {
		return true
	}
	names := make([]string, 0, len(t.AttributeTypes()))
	for name := range t.AttributeTypes() {
		names = append(names, name)
	}
	r.scope.fail(codeReference, ref.Range, "unknown attribute", fmt.Sprintf("%s has no attribute %q", config.Indefinite(object.Kind()), ref.Attribute), config.OneOf(ref.Attribute, slices.Sorted(slices.Values(names))))
	return false
}

// maxCompared is how many names are looked at to find those that were meant. In a large configuration a
// mistake that is everywhere, such as a name that has changed, would take far longer than all the rest.
const maxCompared = 1_000_000

// suggest finds what was probably meant: the same kind under another name, or the same name
// under another kind.
func (r *resolver) suggest(missing addr.Address) string {
	if r.compared += len(r.current.declared.values) + len(r.current.declared.blocks); r.compared > maxCompared {
		return ""
	}
	switch missing := missing.(type) {
	case addr.Value:
		if name, subtracted, cut := strings.Cut(missing.Name(), "-"); cut {
			if v, err := addr.NewValue(addr.Module{}, missing.Kind(), name); err == nil && r.current.declared.values[v] {
				return fmt.Sprintf("a name can have a hyphen; to subtract, write blanks around it: %s - %s", v, subtracted)
			}
		}
		names := map[string]string{}
		for v := range r.current.declared.values {
			if v.Kind() == missing.Kind() {
				names[v.Name()] = v.String()
			} else if v.Kind() != addr.Output && v.Name() == missing.Name() {
				return fmt.Sprintf("did you mean %s?", v)
			}
		}
		return closest(missing.Name(), names)
	case addr.Module:
		names := map[string]string{}
		for m := range r.current.declared.calls {
			names[m.Last().Name] = m.String()
		}
		return closest(missing.Last().Name, names)
	case addr.Object:
		names := map[string]string{}
		var sameName []string
		for o := range r.current.declared.blocks {
			if r.scope.block != nil && o == r.scope.block.Address {
				continue // a block that means itself would be a circle
			}
			if o.Kind() == missing.Kind() && o.Mode() == missing.Mode() {
				names[o.Name()] = o.String()
			}
			if o.Name() == missing.Name() && o.Kind() == missing.Kind() {
				sameName = append(sameName, o.String())
			}
		}
		if hint := closest(missing.Name(), names); hint != "" {
			return hint
		}
		if len(sameName) > 0 {
			return fmt.Sprintf("did you mean %s?", slices.Min(sameName))
		}
	}
	return ""
}

func closest(name string, names map[string]string) string {
	candidates := make([]string, 0, len(names))
	for candidate := range names {
		candidates = append(candidates, candidate)
	}
	if found := config.Nearest(name, candidates); found != "" {
		return fmt.Sprintf("did you mean %s?", names[found])
	}
	return ""
}

func didYouMean(name string, candidates []string) string {
	if found := config.Nearest(name, candidates); found != "" {
		return fmt.Sprintf("did you mean %q?", found)
	}
	return ""
}

// orHint is the hint where there is no better one.
func orHint(found, otherwise string) string {
	if found == "" {
		return otherwise
	}
	return found
}
