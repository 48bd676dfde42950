package openstack

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// traits are attributes with their values, as far as they can be seen: a name that is not among them is not known, and
// never counts as a difference. There may be very many objects, and a map with as few names takes more than twice as
// much memory.
type traits []trait

type trait struct {
	name  string
	value cty.Value
}

// get returns the value of an attribute, cty.NilVal for one that is not known.
func (t traits) get(name string) cty.Value {
	v, _ := t.look(name)
	return v
}

// look returns the value of an attribute, and whether it is known.
func (t traits) look(name string) (cty.Value, bool) {
	for i := range t {
		if t[i].name == name {
			return t[i].value, true
		}
	}
	return cty.NilVal, false
}

// set sets the value of an attribute.
func (t *traits) set(name string, value cty.Value) {
	for i := range *t {
		if at := &(*t)[i]; at.name == name {
			at.value = value
			return
		}
	}
	*t = append(*t, trait{name, value})
}

// drop makes an attribute one that is not known.
func (t *traits) drop(name string) {
	*t = slices.DeleteFunc(*t, func(at trait) bool { return at.name == name })
}

// byName returns a map of the values.
func (t traits) byName() map[string]cty.Value {
	values := make(map[string]cty.Value, len(t))
	for _, at := range t {
		values[at.name] = at.value
	}
	return values
}
