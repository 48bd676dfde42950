package resolve

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
)

// lacks says why there is nothing at an address.
type lacks int

const (
	lacksIt      lacks = iota // there is no such block, or none of its objects has the key
	lacksKey                  // there are several, and the address has no key
	lacksForEach              // there is one, and the address has a key
	lacksModule               // the module on the way there stands for several
)

// standing is what there is at the address of a resource, a node, a service or a module.
type standing struct {
	there  bool
	where  diag.Range // of the block
	told   bool       // it may be missing because of a mistake that was told
	open   bool       // whether it is there nobody but the cluster knows, which may change at any time
	lacks  lacks
	detail string // what is in the way
	// hint looks for something better than to add it, "" if there is nothing; nil for no hint. It is asked
	// for once there is something to tell: that nothing is there is what most statements expect, and to
	// find the nearest name takes a look at all of them.
	hint func() string
}

func (s standing) advice() string {
	if s.hint == nil {
		return ""
	}
	return s.hint()
}

// standing looks at an address, which a block in a module has. whole asks for a block or a call with
// all that it stands for, else the address is of one object or one instance of a module.
func (r *resolver) standing(from *module, a addr.Address, whole bool) standing {
	parent := addr.Module{}
	switch a := a.(type) {
	case addr.Object:
		if a.Kind() == "service" {
			where, there := r.config.Defined(a)
			return standing{there: there, where: where}
		}
		if parent = a.Module(); a.Kind() == nodeKind && parent.IsRoot() {
			return r.nodeStanding(from, a, whole)
		}
	case addr.Module:
		parent = a.Parent()
	}
	m := r.modules[parent]
	if m == nil || m.standsIn { // the same holds for all modules on the way there
		way := r.standing(from, parent, false)
		if way.lacks == lacksKey {
			way.lacks = lacksModule
		}
		return standing{told: way.told || way.there, lacks: way.lacks, detail: way.detail, hint: way.hint}
	}
	if o, ok := a.(addr.Object); ok {
		return r.blockStanding(from, m, o, whole)
	}
	inner, _ := a.(addr.Module)
	return r.callStanding(from, m, inner, whole)
}

func (r *resolver) blockStanding(from, m *module, o addr.Object, whole bool) standing {
	b := m.blocks[o.In(addr.Module{}).Block()]
	if rule, ok := r.ruling(o); ok && b == nil {
		return r.ruledStanding(rule, o, whole)
	}
	if b == nil {
		return r.missing(from, o.Block(), func() string {
			names := map[string]string{}
			for other := range m.blocks {
				if other.Kind() == o.Kind() && other.Mode() == o.Mode() {
					names[other.Name()] = from.name(other.In(m.path))
				}
			}
			return closest(o.Name(), names)
		})
	}
	return subject{
		name: from.name(b.address), where: b.config.Range, objects: "objects", object: "object",
		whole: whole, there: b.at(o.Key()) != nil, broken: b.broken, repeated: b.repeated(), keys: b.keys(),
	}.standing(o.Key())
}

func (r *resolver) callStanding(from, m *module, inner addr.Module, whole bool) standing {
	local, err := addr.Module{}.Child(inner.Last().Name, addr.Key{})
	written := m.site.declared.calls[local]
	c := m.calls[local]
	switch {
	case err != nil || written == nil:
		return r.missing(from, inner.Call(), func() string {
			names := map[string]string{}
			for other := range m.site.declared.calls {
				names[other.Last().Name] = from.name(other.In(m.path))
			}
			return closest(inner.Last().Name, names)
		})
	case c == nil: // it could not be loaded
		return standing{there: whole, told: true, where: written.Range}
	}
	return subject{
		name: from.name(inner.Call()), where: c.site.call.Range, objects: "modules", object: "module",
		whole: whole, there: c.byKey[inner.Last().Key] != nil, broken: c.broken, repeated: c.repeated(), keys: maps.Keys(c.byKey),
	}.standing(inner.Last().Key)
}

func (r *resolver) missing(from *module, a addr.Address, hint func() string) standing {
	return standing{detail: fmt.Sprintf("there is no %s in this %s", from.name(a), from.site.what()), hint: hint}
}

// subject is a block, or the call of a module, and whether it stands for what was looked for.
type subject struct {
	name            string
	where           diag.Range
	object, objects string
	whole           bool // all that it stands for was looked for
	there           bool // the one with the key, or without
	broken          bool
	repeated        bool
	keys            iter.Seq[addr.Key]
}

func (f subject) standing(key addr.Key) standing {
	_, keyed := key.Value()
	s := standing{there: f.whole || f.there, where: f.where, told: f.broken}
	switch {
	case f.repeated && !keyed:
		s.lacks, s.detail = lacksKey, fmt.Sprintf("%s has for_each, so it stands for several %s", f.name, f.objects)
		s.hint = func() string { return fmt.Sprintf("write one of its keys, such as %s[%q]", f.name, anyOf(f.keys)) }
	case !f.repeated:
		s.lacks, s.detail = lacksForEach, fmt.Sprintf("%s has no for_each, so it is one %s without a key", f.name, f.object)
		s.hint = func() string { return "write: " + f.name }
	default:
		text, _ := key.Value()
		s.detail = fmt.Sprintf("%s has no %s with the key %q", f.name, f.object, text)
		s.hint = func() string { return keyHint(text, f.keys) }
	}
	return s
}

// keyHint finds the key that was probably meant, or lists those that there are when they are few.
func keyHint(key string, known iter.Seq[addr.Key]) string {
	keys := texts(known)
	hint := didYouMean(key, keys)
	switch {
	case hint != "":
		return hint
	case len(keys) == 0:
		return "there are no keys: for_each is empty"
	case len(keys) <= 12:
		return "there are: " + strings.Join(keys, ", ")
	default:
		return fmt.Sprintf("there are %d keys, from %q to %q", len(keys), keys[0], keys[len(keys)-1])
	}
}

// anyOf returns the first of some keys for an example.
func anyOf(known iter.Seq[addr.Key]) string {
	if keys := texts(known); len(keys) > 0 {
		return keys[0]
	}
	return "a"
}

func texts(known iter.Seq[addr.Key]) []string {
	var keys []string
	for k := range known {
		name, _ := k.Value()
		keys = append(keys, name)
	}
	slices.Sort(keys)
	return keys
}
