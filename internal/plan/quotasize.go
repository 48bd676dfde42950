package plan

import (
	"math/big"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// weighed is an object of OpenStack.
type weighed struct{ kind, id string }

// scales tell how much things take.
type scales struct {
	*maker
	found   map[weighed]addr.Object
	sharing map[shared]int64 // see sharers; nil until somebody asks
}

// scales have the units, what is on record and the changes of the plan at hand.
func (p *Plan) scales(in Input) *scales {
	m := &maker{Input: in, places: map[addr.Object]place{}}
	m.units(in.Units)
	m.records(Relocate(in.Entries, in.Moves, func(a addr.Object) bool { return m.places[a].unit != nil }).Entries)
	s := &scales{m, map[weighed]addr.Object{}, nil}
	for i := range p.Changes {
		c := &p.Changes[i]
		at := m.places[c.Address]
		at.change = c
		m.places[c.Address] = at
		state := in.Seen(c.Address)
		if state.Existence != unit.Present || state.ID == "" {
			continue
		}
		of := weighed{c.Kind, state.ID}
		if _, twice := s.found[of]; !twice || at.entry != nil { // it may be looked up, too
			s.found[of] = c.Address
		}
	}
	return s
}

// sizes returns how much an object takes, as far as that is known and may be told. The unit is the one behind it, nil for
// what OpenStack says of the object.
func (s *scales) sizes(kind *schema.Block, k known, u *unit.Unit) map[string]int64 {
	told := map[string]int64{}
	for limit, name := range kind.Quota.Parts {
		if v, _ := k.attribute(name); v != cty.NilVal && v.IsKnown() && v.CanIterateElements() {
			told[limit] = int64(v.LengthInt())
		}
	}
	all := append([]known{k}, s.measures(kind, k, u)...)
	for limit, name := range kind.Quota.Sizes {
		for _, one := range all {
			n, ok := one.number(name)
			if ok {
				told[limit] = n
			}
			if ok || one.secret(name) {
				break
			}
		}
	}
	return told
}

// measures returns what is known of the object that another one is as large as, or of the unit that is going to be that.
func (s *scales) measures(kind *schema.Block, k known, u *unit.Unit) []known {
	if kind.Quota.Of == "" {
		return nil
	}
	a, there := s.refers(kind, kind.Quota.Of, k, u)
	c := s.places[a].change
	switch {
	case a.IsZero():
		return nil
	case !there:
		return []known{s.wanted(a)}
	case u != nil && c.Action == unit.ActionUpdate && c.Suspended == "":
		return []known{s.wanted(a), s.there(a)}
	default:
		return []known{s.there(a)}
	}
}

// refers is what an attribute of an object refers to, and whether that is there; the zero address where that is not known,
// nothing here, or a secret. The unit is the one behind the object, nil for what OpenStack says of it.
func (s *scales) refers(kind *schema.Block, name string, k known, u *unit.Unit) (a addr.Object, there bool) {
	id, secret := k.attribute(name)
	to := kind.Attribute(name).Reference.Kind
	switch {
	case secret:
		return a, false
	case id != cty.NilVal && id.IsKnown():
		if id.Type() == cty.String {
			a, there = s.found[weighed{to, id.AsString()}]
		}
		return a, there
	case u == nil:
		return a, false
	}
	for _, e := range u.Edges {
		switch of := s.places[e.To].unit; {
		case of == nil || of.Spec.Locator().Kind != to:
		case !a.IsZero() && a != e.To:
			return addr.Object{}, false
		default:
			a = e.To
		}
	}
	return a, false
}

// known is what is known of an object: its attributes, and which of them are on record as sensitive.
type known struct {
	value   cty.Value
	secrets map[string]string
}

// there is what OpenStack says of an object.
func (s *scales) there(a addr.Object) known {
	k := known{value: s.Seen(a).Outputs}
	if entry := s.places[a].entry; entry != nil {
		k.secrets = entry.Sensitive
	}
	return k
}

// wanted is what a unit is to be.
func (s *scales) wanted(a addr.Object) known {
	u := s.places[a].unit
	if u == nil {
		return known{}
	}
	want, diags := Desired(Revealed(u, s.Seen(a)), s.outputs)
	if diags.HasErrors() {
		return known{}
	}
	return known{value: want}
}

// attribute returns an attribute that is there, which need not be known, else cty.NilVal, as for what is sensitive.
func (k known) attribute(name string) (v cty.Value, secret bool) {
	if k.value == cty.NilVal {
		return cty.NilVal, false
	}
	object, marks := k.value.Unmark()
	if object.IsNull() || !object.IsKnown() || !object.Type().IsObjectType() || !object.Type().HasAttribute(name) {
		return cty.NilVal, false
	}
	v = object.GetAttr(name)
	if len(marks) > 0 || v.IsMarked() || k.secrets[name] != "" {
		return cty.NilVal, true
	}
	if v.IsNull() {
		return cty.NilVal, false
	}
	return v, false
}

// secret tells whether an attribute must not be shown.
func (k known) secret(name string) bool {
	_, secret := k.attribute(name)
	return secret || k.secrets[name] != ""
}

// leavesOut tells whether an attribute is not written, which is not so while that is not known.
func (k known) leavesOut(name string) bool {
	v, secret := k.attribute(name)
	return v == cty.NilVal && !secret && k.value != cty.NilVal
}

// size is what an object takes of a limit that holds for it alone: a number, or the items of a map with those of ours.
func (k known) size(takes *schema.Taking, limit string) (int64, bool) {
	name := takes.Largest[limit]
	v, _ := k.attribute(name)
	if v == cty.NilVal || !v.IsKnown() || !v.CanIterateElements() {
		return k.number(name)
	}
	n := int64(v.LengthInt()) + 1
	if noted, _ := k.attribute(takes.Noted[limit]); noted != cty.NilVal && noted.RawEquals(cty.False) {
		n++
	}
	return n, true
}

// number returns an attribute that is a whole number, and known.
func (k known) number(name string) (int64, bool) {
	v, _ := k.attribute(name)
	if v == cty.NilVal || !v.IsKnown() || v.Type() != cty.Number {
		return 0, false
	}
	n, accuracy := v.AsBigFloat().Int64()
	return n, accuracy == big.Exact
}
