package plan

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/kupenstack/kupenstack-sync/internal/unit"
)

// keepNames holds back objects that are to exchange their names, in pairs or all round, where OpenStack takes a name for one object
// only: whichever is renamed first is refused, for as long as the others wait for it. A chain that ends with a free name comes
// through, one after the other.
func (p *Plan) keepNames(in *Input) {
	renamed := func(c *Change) bool {
		return c.Class == unit.ClassResource && c.Action == unit.ActionUpdate && c.Renames()
	}
	if !p.has(renamed) {
		return
	}
	type name struct{ kind, domain, text string }
	owners, wants := map[name]*Change{}, map[*Change]name{}
	reasons := map[string]string{}
	for i := range in.Units {
		r, ok := in.Units[i].Spec.(*unit.Resource)
		c := p.Change(in.Units[i].Address)
		if !ok || r.Lookup || r.Block == nil || !r.Block.OneName || c == nil || !renamed(c) {
			continue
		}
		seen := in.Seen(c.Address).Outputs
		domain, _ := textIn(seen, "domain")
		was, told := textIn(seen, "name")
		next, known := textIn(r.Desired, "name")
		if told && known && was != next {
			owners[name{c.Kind, domain, was}], wants[c] = c, name{c.Kind, domain, next}
			reasons[c.Kind] = r.Block.Unique
		}
	}
	for c := range wants {
		other := owners[wants[c]]
		for steps := 0; other != nil && other != c && steps < len(wants); steps++ {
			other = owners[wants[other]]
		}
		if other == c {
			c.block(fmt.Sprintf("%s has the name that this is to get, and neither can be renamed first, as each waits for the name of another one, and %s: give one of them a name that is free in a commit before",
				owners[wants[c]].Address, reasons[c.Kind]))
		}
	}
}

// textIn returns what a text in an object is; false where that is not known, or there is none.
func textIn(object cty.Value, name string) (string, bool) {
	if object == cty.NilVal || !object.Type().IsObjectType() || !object.Type().HasAttribute(name) {
		return "", false
	}
	object, _ = object.Unmark()
	v, _ := object.GetAttr(name).Unmark()
	if !v.IsKnown() || v.IsNull() || v.Type() != cty.String {
		return "", false
	}
	return v.AsString(), true
}
