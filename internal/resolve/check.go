package resolve

import (
	"fmt"
	"slices"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/config"
)

// check looks at every reference of the configuration before anything is evaluated.
func (r *resolver) check() {
	for _, l := range r.config.Locals {
		r.checkAttribute(l, false)
	}
	if r.config.Cloud != nil {
		r.checkBlock(r.config.Cloud)
	}
	for _, group := range [][]*config.Block{r.config.Profiles, r.config.Nodes, r.config.Resources, r.config.Data} {
		for _, b := range group {
			r.checkBlock(b)
		}
	}
}

func (r *resolver) checkBlock(b *config.Block) {
	defer r.scope.within(b)()
	if b.ForEach != nil {
		r.checkAttribute(b.ForEach, false)
	}
	everyAttribute(b, func(a *config.Attribute) {
		if a != b.ForEach {
			r.checkAttribute(a, b.ForEach != nil)
		}
	})
	for _, ref := range b.DependsOn {
		r.checkReference(ref, true)
	}
}

func (r *resolver) checkAttribute(a *config.Attribute, repeated bool) {
	for _, ref := range a.References {
		if ref.Target == nil {
			if !repeated {
				r.scope.fail(codeReference, ref.Range, "no each here", "each.key and each.value exist only within a block that has for_each, and not in for_each itself", "")
				r.broken[a] = true
			}
			continue
		}
		if !r.checkReference(ref, false) {
			r.broken[a] = true
		}
	}
}

// checkReference reports whether a reference leads somewhere.
func (r *resolver) checkReference(ref config.Reference, waits bool) bool {
	to := target(ref)
	if o, ok := to.(addr.Object); ok && o.Kind() == "service" {
		return r.checkService(ref, o, waits)
	}
	if !r.exists(to) {
		if !r.config.Partial {
			r.scope.fail(codeReference, ref.Range, "unknown reference", fmt.Sprintf("there is no %s in this configuration", to), r.suggest(to))
		}
		return false
	}
	object, ok := ref.Object()
	if !ok {
		return true
	}
	return r.checkKey(ref, object, waits) && r.checkOutput(ref, object)
}

func (r *resolver) checkService(ref config.Reference, o addr.Object, waits bool) bool {
	if !waits {
		r.scope.fail(codeReference, ref.Range, "unknown reference", "a service has no values that an expression could use", "to wait for it, write: depends_on = ["+o.String()+"]")
		return false
	}
	if _, ok := r.config.Defined(o); !ok {
		if !r.config.Partial {
			r.scope.fail(codeReference, ref.Range, "unknown reference", fmt.Sprintf("the cloud has no block for the service %s", o.Name()), fmt.Sprintf("write in the cloud: service %q {}", o.Name()))
		}
		return false
	}
	return true
}

// checkKey wants a key after a block with for_each before an attribute, and none after others.
func (r *resolver) checkKey(ref config.Reference, object addr.Object, waits bool) bool {
	b := r.blocks[object.Block()]
	_, keyed := object.Key().Value()
	keyed = keyed || ref.Key != nil
	switch {
	case keyed && !b.repeated():
		r.scope.fail(codeReference, ref.Range, "no keys", fmt.Sprintf("%s has no for_each, so it is one object without a key", b.address), fmt.Sprintf("write: %s", b.address))
		return false
	case !keyed && b.repeated() && ref.Attribute != "" && !waits:
		r.scope.fail(codeReference, ref.Range, "key is missing", fmt.Sprintf("%s has for_each, so it stands for several objects", b.address),
			fmt.Sprintf("choose one by its key, such as %s[each.key].%s, or take all of them with [for o in %s : o.%s]", b.address, ref.Attribute, b.address, ref.Attribute))
		return false
	}
	return true
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
	r.scope.fail(codeReference, ref.Range, "unknown attribute", fmt.Sprintf("a %s has no attribute %q", object.Kind(), ref.Attribute), didYouMean(ref.Attribute, names))
	return false
}

// suggest finds what was probably meant: the same kind under another name, or the same name
// under another kind.
func (r *resolver) suggest(missing addr.Address) string {
	switch missing := missing.(type) {
	case addr.Value:
		names := map[string]string{}
		for v := range r.values {
			if v.Kind() == missing.Kind() {
				names[v.Name()] = v.String()
			} else if v.Name() == missing.Name() {
				return fmt.Sprintf("did you mean %s?", v)
			}
		}
		return closest(missing.Name(), names)
	case addr.Object:
		names := map[string]string{}
		var sameName []string
		for o := range r.blocks {
			if o.Kind() == missing.Kind() && o.Mode() == missing.Mode() {
				names[o.Name()] = o.String()
			}
			if o.Name() == missing.Name() && (o.Kind() == missing.Kind() || o.Mode() == missing.Mode()) {
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
