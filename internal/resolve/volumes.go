package resolve

import (
	"fmt"

	"github.com/kupenstack/kupenstack-sync/internal/addr"
	"github.com/kupenstack/kupenstack-sync/internal/diag"
	"github.com/kupenstack/kupenstack-sync/internal/model"
)

// takenVolumes tells of volumes that an instance has twice: by two of its attributes, or by its block and a block
// volume_attachment, of which one attaches again what the other one takes away. That several instances have one volume
// is no mistake by itself: some volumes can do that.
func (r *resolver) takenVolumes(m *model.Model) {
	type pair struct{ instance, volume addr.Object }
	type claim struct {
		by        *model.Resource
		attribute string
	}
	taken := map[pair]claim{}
	claims := func(o *model.Resource, instance addr.Object, attribute string) {
		for _, volume := range claimed(o, attribute) {
			before, twice := taken[pair{instance, volume}]
			if !twice {
				taken[pair{instance, volume}] = claim{o, attribute}
				continue
			}
			if before.by.Kind != "instance" { // the same attachment twice, which is not ours to tell
				continue
			}
			later, where, earlier, first := o, o.Ranges[attribute], before.by, before.by.Ranges[before.attribute]
			if isBehind(first, where) {
				later, where, earlier, first = earlier, first, later, where
			}
			r.scope.add(diag.Diagnostic{
				Code: codeConflict, Subject: &where, Context: &later.Range, Address: later.Address, Summary: "volume is taken",
				Detail: fmt.Sprintf("%s attaches %s as well, at %s, and an instance has a volume once", earlier.Address, volume, place(first)),
				Hint:   "take it out of one of the two",
			})
		}
	}
	for i := range m.Resources {
		if o := &m.Resources[i]; o.Kind == "instance" && o.Address.Mode() != addr.Data {
			claims(o, o.Address, "boot_volume")
			claims(o, o.Address, "volumes")
		}
	}
	for i := range m.Resources {
		if o := &m.Resources[i]; o.Kind == "volume_attachment" && o.Address.Mode() != addr.Data {
			for _, instance := range claimed(o, "instance") {
				claims(o, instance, "volume")
			}
		}
	}
}

// claimed are the objects that an attribute names, as far as that is certain: as many as it has values that are known
// only when those are made. Where it chooses among more than that, nobody knows yet which ones are meant.
func claimed(o *model.Resource, attribute string) []addr.Object {
	var all []addr.Object
	for _, e := range o.Edges {
		if e.Attribute == attribute {
			all = append(all, e.To)
		}
	}
	open := 0
	v, _ := o.Desired.GetAttr(attribute).Unmark()
	switch {
	case !v.Type().IsSetType() && !v.Type().IsListType():
		if !v.IsKnown() {
			open = 1
		}
	case v.IsKnown() && !v.IsNull(): // else not even how many it has
		for it := v.ElementIterator(); it.Next(); {
			if _, element := it.Element(); !element.IsKnown() {
				open++
			}
		}
	}
	if len(all) > open {
		return nil
	}
	return all
}
