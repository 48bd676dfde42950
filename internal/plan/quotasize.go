package plan

import (
	"maps"
	"math/big"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/unit"
	"github.com/kupenstack/kupenstack-sync/schema"
)

// taking is what an object of a kind takes of the quota of its project.
type taking struct {
	counted string            // the limit of how many there are
	sized   map[string]string // attributes, by the limits that they count for
	parts   map[string]string // nested blocks and lists, by the limits that each of their elements counts for
	first   []string          // the keys of those elements that OpenStack gives a new object by itself
	room    bool              // elements that are taken out go before others come
	of      string            // the kind of what has these where the object has none, and the attribute that names it; "" for none
}

// takings are by kind. Others take nothing that anybody counts here.
func takings() map[string]taking {
	return map[string]taking{
		kindInstance:     {counted: "instances", sized: map[string]string{"cores": "vcpus", "ram": "ram"}, of: "flavor", parts: map[string]string{"ports": "networks"}}, // Nova makes a port in each
		"volume":         {counted: "volumes", sized: map[string]string{"gigabytes": "size"}},
		"snapshot":       {counted: "snapshots", sized: map[string]string{"gigabytes": "size"}, of: "volume"},
		"network":        {counted: "networks"},
		"subnet":         {counted: "subnets"},
		"port":           {counted: "ports"},
		"router":         {counted: "routers", parts: map[string]string{"ports": "subnets"}, room: true}, // an interface in each
		"floating_ip":    {counted: "floating_ips"},
		"security_group": {counted: "security_groups", parts: map[string]string{"security_group_rules": "rule"}, first: schema.FirstGroupRules(), room: true},
		"server_group":   {counted: "server_groups"},
	}
}

// resizes tells whether an attribute says how large an object is.
func (t taking) resizes(attribute string) bool {
	return attribute == t.of && t.of != "" || slices.Contains(slices.Collect(maps.Values(t.sized)), attribute) || slices.Contains(slices.Collect(maps.Values(t.parts)), attribute)
}

// weighed is an object of OpenStack.
type weighed struct{ kind, id string }

// limits are those that depend on how large an object is.
func (t taking) limits() []string {
	return append(slices.Collect(maps.Keys(t.sized)), slices.Collect(maps.Keys(t.parts))...)
}

// scales tell how much things take.
type scales struct {
	*maker
	takings map[string]taking
	found   map[weighed]addr.Object
}

// scales have the units, what is on record and the changes of the plan at hand.
func (p *Plan) scales(in Input) *scales {
	m := &maker{Input: in, places: map[addr.Object]place{}}
	m.units(in.Units)
	m.records(Relocate(in.Entries, in.Moves, func(a addr.Object) bool { return m.places[a].unit != nil }).Entries)
	s := &scales{m, takings(), map[weighed]addr.Object{}}
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
func (s *scales) sizes(kind taking, k known, u *unit.Unit) map[string]int64 {
	told := map[string]int64{}
	for limit, name := range kind.parts {
		if v, _ := k.attribute(name); v != cty.NilVal && v.IsKnown() && v.CanIterateElements() {
			told[limit] = int64(v.LengthInt())
		}
	}
	all := append([]known{k}, s.measures(kind, k, u)...)
	for limit, name := range kind.sized {
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
func (s *scales) measures(kind taking, k known, u *unit.Unit) []known {
	if kind.of == "" {
		return nil
	}
	id, secret := k.attribute(kind.of)
	if secret {
		return nil
	}
	if id != cty.NilVal && id.IsKnown() {
		a, ok := addr.Object{}, false
		if id.Type() == cty.String {
			a, ok = s.found[weighed{kind.of, id.AsString()}]
		}
		if !ok {
			return nil
		}
		if c := s.places[a].change; u != nil && c.Action == unit.ActionUpdate && c.Suspended == "" {
			return []known{s.wanted(a), s.there(a)}
		}
		return []known{s.there(a)}
	}
	if u == nil {
		return nil
	}
	var found []addr.Object
	for _, e := range u.Edges {
		if to := s.places[e.To].unit; to != nil && to.Spec.Locator().Kind == kind.of && !slices.Contains(found, e.To) {
			found = append(found, e.To)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return []known{s.wanted(found[0])}
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

// number returns an attribute that is a whole number, and known.
func (k known) number(name string) (int64, bool) {
	v, _ := k.attribute(name)
	if v == cty.NilVal || !v.IsKnown() || v.Type() != cty.Number {
		return 0, false
	}
	n, accuracy := v.AsBigFloat().Int64()
	return n, accuracy == big.Exact
}
